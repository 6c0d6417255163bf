// SPDX-License-Identifier: Apache-2.0
// The tour: from letters to topics, without privacy so far.

#include <dplda/dplda.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "support/letters.hpp"

int main() {
  // 1. Text in. Citizens' letters to a city's ombudsman, written for this tour.
  std::vector<std::string> texts;
  for (const auto& letter : dplda_examples::city_letters(2000)) texts.push_back(letter.text);
  std::cout << "1. 2000 letters to a city's ombudsman. The first one:\n\n   \"" << texts.front() << "\"\n\n";

  const dplda::corpus docs =
      dplda::corpus_from_texts(texts, {.tokens = {.stop_words = dplda::english_stop_words()}, .min_documents = 10});
  std::cout << "   " << statistics(docs) << ".\n\n";

  // 2. Topics out. Each start ends in its own optimum, so the best of five is kept, by the bound on the likelihood. A
  // tenth of the letters is held out to score the topics.
  auto random = dplda::seeded_random(7);
  auto bits = random.stream("held out");
  const auto [train, test] = dplda::train_test_split(docs, bits, {.share = 0.1});
  const dplda::svi learner({.topics = 10, .passes = 50, .batch_size = 0});
  const auto bound_of = [&](const dplda::svi_state<>& state) {
    return online_lda_bound(state, train, train.size()).per_word;
  };
  auto best = learner.fit_state(train, random);
  double best_bound = bound_of(best);
  for (int start = 1; start < 5; ++start) {
    auto state = learner.fit_state(train, random);
    const double bound = bound_of(state);
    if (bound > best_bound) {
      best = std::move(state);
      best_bound = bound;
    }
  }
  const dplda::topic_model<> topics = best.model();
  std::cout << "2. Ten topics of " << train.size() << " letters:\n\n";
  print_topics(std::cout, topics, 9);

  // 3. Are they any good? Half of each held-out letter is shown to the model, the other half is scored.
  const auto score = dplda::document_completion_perplexity(topics, test);
  const auto baseline = dplda::unigram_perplexity(train, test);
  const auto coherence = dplda::npmi_coherence(topics, train, 9);
  std::printf(
      "\n3. Perplexity of %zu held-out letters: %.0f with topics, %.0f with word frequencies alone (%zu words in "
      "all).\n"
      "   Coherence (mean NPMI of the words above): %.2f.\n",
      test.size(), score.perplexity, baseline.perplexity, docs.words(), coherence.mean);

  // 4. What is a new letter about?
  const std::vector<std::string> unseen{
      "The nurse on the ward was kind, but my appointment at the hospital was moved three times. "
      "And the bus to the clinic was late again."};
  const dplda::corpus letter =
      dplda::corpus_from_texts(unseen, {.tokens = {.stop_words = dplda::english_stop_words()}, .vocab = docs.vocab()});
  const Eigen::VectorXd theta = dplda::topic_inference(topics)(letter[0]);
  std::cout << "\n4. A new letter: \"" << unseen.front() << "\"\n";
  std::vector<std::size_t> order(topics.topics());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return theta[static_cast<Eigen::Index>(a)] > theta[static_cast<Eigen::Index>(b)];
  });
  for (const std::size_t k : {order[0], order[1]}) {
    std::printf("   %2.0f %% topic %zu:", 100 * theta[static_cast<Eigen::Index>(k)], k);
    for (const auto& w : top_words(topics, k, 5)) std::cout << ' ' << topics.vocab()->word(w.word);
    std::cout << '\n';
  }

  std::cout << "\nThese topics are not private: each letter has left its trace in them.\n";
}

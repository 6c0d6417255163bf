// SPDX-License-Identifier: Apache-2.0
// The tour: topics of letters that nobody may read, with a guarantee for each citizen.
//   tour [SEED]    with a seed the result is reproducible and not private, and its guarantee says so

#include <dplda/accounting/neighbours.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/coherence.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/text.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>
#include <dplda/random/source.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "support/paragraph.hpp"
#include "support/signed_letters.hpp"

using dplda_examples::paragraph;

static std::string list(const dplda::topic_model<>& model, std::size_t topic, std::size_t count) {
  std::string words;
  for (const auto& w : top_words(model, topic, count))
    words.append(words.empty() ? "" : " ").append(model.vocab()->word(w.word));
  return words;
}

int main(int argc, char** argv) {
  // 1. Text in. The words that citizens use are as private as what they say, so nothing is pruned here.
  const dplda_examples::signed_letters letters(20000);
  const dplda::corpus docs = dplda::corpus_from_texts(
      letters.texts, {.tokens = {.stop_words = dplda::english_stop_words()}}, &letters.citizens);
  std::cout << "1. Letters of citizens to a city's ombudsman, written for this tour. The first one:\n\n"
            << paragraph('"', letters.texts.front(), '"') << '\n'
            << paragraph(statistics(docs), '.') << '\n';

  // 2. A plan, made from public numbers only, such as the rough number of citizens who write.
  const auto citizen = dplda::privacy_unit::user;
  const dplda::fully_private_topics<> learner(
      {.vocabulary = {.unit = citizen}, .topics = {.topics = 10, .units = 10000, .unit = citizen}},
      {.epsilon = 2, .delta = 1e-6});
  std::cout << "2. Before any letter is read:\n\n" << paragraph(learner.guarantee()) << '\n';

  // 3. The release: the words that may be shown, and topics over them.
  auto random = argc > 1 ? dplda::seeded_random(std::strtoull(argv[1], nullptr, 10)) : dplda::secure_random();
  const auto released = learner.fit(docs, random);
  const dplda::topic_model<>& topics = released.value();
  const std::size_t citizens = letters.citizens.labels->size();
  std::size_t names = 0;
  for (unsigned i = 0; i < citizens; ++i) names += topics.vocab()->find(dplda_examples::surname(i)).has_value();
  std::cout << "3. Released: " << topics.topics() << " topics of " << topics.words() << " words. The letters have "
            << docs.words() << " words, " << citizens << " of them names; released names: " << names << ".\n\n"
            << paragraph(released.guarantee()) << '\n';

  // 4. For comparison, topics of the same letters and words without noise, which nothing protects.
  const dplda::corpus known = docs.restrict_to(topics.vocab());
  auto seed = dplda::seeded_random(7);
  const auto plain = dplda::gibbs({.topics = 10, .burn_in = 50, .samples = 5}).fit(known, seed);
  const auto exposed = dplda::select_topics(plain, dplda::align_topics(plain, topics));
  std::printf("4. %-64s | %s\n\n", "Private topics", "topics without privacy");
  for (std::size_t k = 0; k < topics.topics(); ++k)
    std::printf("   %-64s | %s\n", list(topics, k, 7).c_str(), list(exposed, k, 7).c_str());

  // 5. Are they any good? Half of each letter to another city is shown to the model, the other half is scored. (To hold
  // out some of the same letters, stable_split keeps the guarantee for all of them.)
  const dplda_examples::signed_letters others(1000, 2);
  const dplda::corpus unseen = dplda::corpus_from_texts(others.texts, {.vocab = topics.vocab()});
  std::printf("\n5. %zu letters to another city, and how well words go together:\n\n   %-22s %10s %10s\n",
              unseen.size(), "", "perplexity", "coherence");
  const auto row = [&](const char* name, const dplda::topic_model<>& model) {
    std::printf("   %-22s %10.0f %10.2f\n", name, dplda::document_completion_perplexity(model, unseen).perplexity,
                dplda::npmi_coherence(model, known, 7).mean);
  };
  row("private topics", topics);
  row("without privacy", exposed);
  std::printf("   %-22s %10.0f\n", "word frequencies alone", dplda::unigram_perplexity(known, unseen).perplexity);
  std::printf(
      "\n   The private topics and their words may be published, with the guarantee. Nothing else here may: it was\n"
      "   computed without noise.\n");
}

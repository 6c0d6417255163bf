// SPDX-License-Identifier: Apache-2.0
// Private topics over a public list of words: a plan, its guarantee, a fit with progress, and a folder with all that
// may be published. Without a public list, fully_private_topics chooses the words from the same budget (tour.cpp).
//   private_topics [FOLDER]

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/random/source.hpp>

#include <iostream>
#include <string>
#include <vector>

#include "support/letters.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> articles, letters;
  for (const auto& article : dplda_examples::city_letters(300, 2)) articles.push_back(article.text);
  for (const auto& letter : dplda_examples::city_letters(10000)) letters.push_back(letter.text);

  // The words of newspaper articles about the city are public: they would be the same if nobody had written a letter.
  // The words of the letters themselves are not, and fit() refuses them.
  const dplda::tokenizer_options tokens{.stop_words = dplda::english_stop_words()};
  const dplda::vocabulary_ptr words =
      dplda::declare_public(dplda::corpus_from_texts(articles, {.tokens = tokens}).vocab());
  const dplda::corpus docs = dplda::corpus_from_texts(letters, {.tokens = tokens, .vocab = words});

  // Public numbers only: the rough number of letters, and the length of the list.
  const dplda::private_svi learner({.topics = 10, .units = 10000, .words = words->size()},
                                   {.epsilon = 1, .delta = 1e-6});
  std::cout << learner.guarantee() << "\n\n";

  auto random = dplda::secure_random();
  const auto released = learner.fit(docs, random, [](const dplda::progress& p) {
    if (p.step % 10 == 0) std::cout << "step " << p.step << " of " << p.steps << '\n';
    return false;  // true would stop the fit: it throws fit_stopped, and nothing is released
  });
  std::cout << '\n';
  print_topics(std::cout, released.value(), 7);

  // The ledger lists every noisy release; anybody can price it again.
  const auto [lower, upper] = dplda::ledger_epsilon(released.ledger(), 1e-6);
  std::cout << "\nIts ledger costs epsilon " << lower << " to " << upper << ".\n";
  if (argc > 1) {
    dplda::save_release(argv[1], released);
    std::cout << "Saved in " << argv[1] << ".\n";
  }
}

// SPDX-License-Identifier: Apache-2.0
// Topics of a few texts, in as few lines as possible.

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/text.hpp>
#include <dplda/random/source.hpp>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> texts{
      "the ferry left the harbour at dawn", "gulls follow the ferry out of the harbour",
      "the baker sells bread and rolls",    "rolls and bread come warm from the baker",
      "a ferry needs a deep harbour",       "every baker is proud of the bread"};
  const dplda::corpus docs = dplda::corpus_from_texts(texts, {.tokens = {.stop_words = dplda::english_stop_words()}});
  auto random = dplda::seeded_random(1);
  print_topics(std::cout, dplda::svi({.topics = 2, .passes = 50, .batch_size = 0}).fit(docs, random), 3);
}

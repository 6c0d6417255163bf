// SPDX-License-Identifier: Apache-2.0
// A statistic of your own and topics from one budget: how long the letters of a city are, then what they are about.

#include <dplda/io/stop_words.hpp>
#include <dplda/io/text.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "support/letters.hpp"

int main() {
  std::vector<std::string> texts;
  for (const auto& letter : dplda_examples::city_letters(10000)) texts.push_back(letter.text);
  const dplda::corpus docs = dplda::corpus_from_texts(texts, {.tokens = {.stop_words = dplda::english_stop_words()}});

  // 1. Plan both before any letter is read. Each letter adds 1 to one of five bins, so it contributes at most 1.
  //    Noise of 20 is small against thousands of letters. The plan of the topics includes the cost of the statistic, so
  //    one guarantee covers both. It is also the price of looking at the statistic and skipping the topics: whether they
  //    are learned depends on what was seen.
  const dplda::accumulator_plan bins({.rows = 5, .clip = 1, .noise_multiplier = 20, .label = "lengths of letters"});
  dplda::ledger planned;
  planned.record(bins.event());
  const dplda::fully_private_topics<> learner({.topics = {.topics = 10, .units = 10000, .before = planned}},
                                              {.epsilon = 2, .delta = 1e-6});
  std::cout << learner.guarantee() << "\n\n";

  // 2. Release the statistic. A unit is added once, with all that it contributes; noise is added to every bin.
  auto random = dplda::secure_random();
  dplda::accumulator sums(bins);
  for (std::size_t d = 0; d < docs.size(); ++d)
    sums.add(static_cast<std::uint32_t>(std::min<std::uint64_t>(4, docs[d].length() / 15)), 1);
  dplda::ledger spent;
  const std::vector<double> lengths = sums.publish(random, spent);
  for (std::size_t bin = 0; bin < lengths.size(); ++bin)
    std::cout << "about " << std::max(0.0, lengths[bin]) << " letters of " << 15 * bin << (bin < 4 ? " to " : " words")
              << (bin < 4 ? std::to_string(15 * bin + 14) + " words" : " and more") << '\n';

  // 3. Release the topics. Their ledger begins with the statistic.
  const auto released = learner.fit(docs, random);
  std::cout << '\n';
  print_topics(std::cout, released.value(), 7);
  std::cout << "\nThe ledger has " << released.ledger().entries().size() << " entries; the first is \""
            << released.ledger().entries().front().event.label << "\".\n";
}

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_FIRST_WORDS_HPP
#define DPLDA_ANALYSIS_DETAIL_FIRST_WORDS_HPP

// Claim: what a unit adds is a function of its own documents, of the topics, and of bits named by the id of its first
//   document, and its norm is at most norm_of_first_words(topics).
// Preconditions: the topics are public or a release. `random` is secret.
// Argument: a document of the unit is drawn by its own bits. For each topic, c of its first words are in that document, and
//   c is cut to 4; the unit adds c / 4 and c (c - 1) / 12, which lie in [0, 1], so the square of its norm is at most twice
//   the number of topics. The accumulator checks that on integers all the same. Work space is the unit's own.
// Test: tests/analysis/private_score_test.cpp (grey-box audit), mutants first_words_*.

#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

inline constexpr std::size_t most_first_words = 4;  // more are rare, and would add noise to all
inline constexpr double full_count = 4, full_pairs = 12;

inline double norm_of_first_words(std::size_t topics) { return std::sqrt(2 * static_cast<double>(topics)); }

/// Adds for each unit how many of the first words of each topic its document has, and how many ordered pairs of them, as
/// parts of full_count and full_pairs. Preconditions: docs are over the topics' words; sums has two rows, with a cell for
/// each list.
inline void add_first_words(std::span<const std::vector<weighted_word>> lists, const divided_corpus& docs,
                            random_source& random, accumulator& sums) {
  const std::size_t topics = lists.size();
  const random_source own = random.fork();
  std::vector<std::vector<std::size_t>> topics_of(docs.docs().words());
  for (std::size_t k = 0; k < topics; ++k)
    for (const weighted_word& word : lists[k]) topics_of[word.word].push_back(k);
  constexpr std::uint32_t rows[] = {0, 1};
  for (std::size_t u = 0; u < docs.units().size(); ++u) {
    const std::span<const std::size_t> documents = docs.units().documents(u);
    auto bits = own.stream("sample", docs.docs()[documents.front()].id);
    const document doc = docs.docs()[documents[uniform_below(bits, documents.size())]];
    std::vector<std::size_t> found(topics);
    for (const word_id word : doc.words)
      for (const std::size_t k : topics_of[word]) ++found[k];
    std::vector<double> values(2 * topics);
    for (std::size_t k = 0; k < topics; ++k) {
      const double c = static_cast<double>(std::min(found[k], most_first_words));
      values[k] = c / full_count;
      values[topics + k] = c * (c - 1) / full_pairs;
    }
    sums.add(std::span<const std::uint32_t>(rows), std::span<const double>(values));
  }
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_VOCABULARY_STREAM_HPP
#define DPLDA_VOCABULARY_VOCABULARY_STREAM_HPP

// Formulas, arguments, options and limits: vocabulary/README.md

// Claim: the words that publish() returns are (epsilon, delta)-DP for one unit more or less, as the selector's
//   guarantee says.
// Preconditions: those of vocabulary_selector.hpp. All words of a unit come before its end_unit(), and none later.
// Argument: that of vocabulary_selector.hpp. A unit's words are those of its text, or words_per_unit of them, chosen by
//   bits that its place in the stream names. Words are numbered in order of appearance. The number decides only which
//   noise a cell gets; noise is independent from cell to cell, and the words leave sorted.
// Test: tests/vocabulary/vocabulary_selector_test.cpp

#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dplda::inline v0_1 {

/// Selects from a stream of words in one pass. Memory holds the distinct words and the words of one unit.
///
///   dplda::vocabulary_stream words(selector, random);
///   dplda::tokenizer tokens;
///   while (std::getline(text, line)) {  // a document is a unit
///     tokens.scan(line, [&](std::string_view token) { words.add(token); });
///     words.end_unit();
///   }
///   const auto released = words.publish();
///
/// Precondition: all words of a unit come before its end_unit() (a user's documents one after the other).
class vocabulary_stream {
 public:
  /// An empty stream. Throws std::invalid_argument unless the method is weighted_gaussian, weighted_laplace or
  /// count_laplace: rounds read the units several times, the other methods read them in random order.
  vocabulary_stream(const vocabulary_selector& selector, random_source& random);

  /// Adds a word to the open unit; repetitions are ignored. Precondition: not empty.
  void add(std::string_view word);

  void end_unit();

  /// The words that may be shown, sorted; the stream is empty afterwards. Throws std::logic_error if a unit is open.
  dplda::release<vocabulary_ptr> publish();

 private:
  static const sparse_histogram_plan& only_round(const vocabulary_selector& selector);

  sparse_histogram sums_;
  dplda::guarantee guarantee_;
  dplda::ledger before_;
  random_source key_;
  std::size_t threads_;
  vocabulary_builder words_;
  std::vector<std::uint64_t> last_;  // for each word, the number of the last unit that had it
  std::vector<std::uint32_t> own_;   // words of the open unit, in the order of its text
  std::uint64_t unit_ = 1;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/vocabulary/detail/vocabulary_stream.ipp>
#endif

#endif

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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
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
  vocabulary_stream(const vocabulary_selector& selector, random_source& random)
      : sums_(only_round(selector)),
        guarantee_(selector.guarantee()),
        before_(selector.options().before),
        key_(random.fork()),
        threads_(selector.options().threads) {}

  /// Adds a word to the open unit; repetitions are ignored. Precondition: not empty.
  void add(std::string_view word) {
    const word_id id = words_.add(word);
    if (id == last_.size()) last_.push_back(0);
    if (last_[id] == unit_) return;
    last_[id] = unit_;
    own_.push_back(id);
  }

  void end_unit() {
    detail::choose_some(own_, sums_.plan().options().cells_per_unit, key_, unit_);
    sums_.add(own_);
    own_.clear();
    ++unit_;
  }

  /// The words that may be shown, sorted; the stream is empty afterwards. Throws std::logic_error if a unit is open.
  dplda::release<vocabulary_ptr> publish() {
    if (!own_.empty()) throw std::logic_error("dplda::vocabulary_stream: the last unit is open: call end_unit()");
    dplda::ledger spent = before_;
    const std::vector<std::uint32_t> passed = sums_.publish(key_, spent, threads_).passed;
    const vocabulary_ptr all = words_.build();
    last_.clear();
    std::vector<std::string_view> kept;
    kept.reserve(passed.size());
    for (const std::uint32_t id : passed) kept.push_back(all->word(id));
    std::sort(kept.begin(), kept.end());
    vocabulary_builder chosen;
    for (const std::string_view word : kept) chosen.add(word);
    return dplda::release<vocabulary_ptr>(detail::as_released(chosen), guarantee_, std::move(spent));
  }

 private:
  static const sparse_histogram_plan& only_round(const vocabulary_selector& selector) {
    const vocabulary_method method = selector.options().method;
    detail::require(method == vocabulary_method::weighted_gaussian || method == vocabulary_method::weighted_laplace ||
                        method == vocabulary_method::count_laplace,
                    "vocabulary_stream", "method", "one that needs the whole corpus",
                    "must be weighted_gaussian, weighted_laplace or count_laplace");
    return selector.plan().rounds.front();
  }

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

#endif

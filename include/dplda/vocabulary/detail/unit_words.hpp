// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_DETAIL_UNIT_WORDS_HPP
#define DPLDA_VOCABULARY_DETAIL_UNIT_WORDS_HPP

// Claim: the cells that a unit names, their number (at most `most`) and their order are a function of that unit's words
//   and of secret bits of its own: part of what sparse_histogram requires of its caller.
// Preconditions: the key is secret and the same for all units; ids are distinct (mechanisms/units.hpp has the lemma).
// Argument: words are numbered in alphabetical order, which no other unit can change. A unit's words are
//   collected from its documents alone, and chosen or ordered by a stream that its id names. Processes that share the
//   key number the words of all of them.
// Test: tests/vocabulary/{vocabulary_selector,selector_privacy}_test.cpp

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/distributed/own_part.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Leaves `most` uniformly chosen items, by a stream of the unit's own.
inline void choose_some(std::vector<std::uint32_t>& items, std::size_t most, const random_source& key,
                        std::uint64_t unit) {
  if (items.size() <= most) return;
  chacha20 bits = key.stream("words of a unit", unit);
  for (std::size_t i = 0; i < most; ++i) std::swap(items[i], items[i + uniform_below(bits, items.size() - i)]);
  items.resize(most);
}

/// The distinct words of each unit, at most `most`: a function of the unit's words alone and of bits of its own. Words are
/// cells in alphabetical order, so that nothing depends on how the corpus numbers them.
class unit_words {
 public:
  /// If by_frequency, a unit's words come by its own counts, the most frequent first and ties at random, and the first
  /// ones stay. Otherwise those that stay are drawn at random, and come in alphabetical order.
  unit_words(const corpus& docs, const privacy_units& units, const random_source& key, std::size_t most,
             bool by_frequency)
      : vocab_(words_of_all(docs.vocab(), key.processes())), words_(vocab_->size()), ends_(1, 0) {
    std::iota(words_.begin(), words_.end(), word_id{0});
    const auto before = [&](word_id a, word_id b) { return vocab_->word(a) < vocab_->word(b); };
    if (!std::is_sorted(words_.begin(), words_.end(), before)) std::sort(words_.begin(), words_.end(), before);
    std::vector<std::uint32_t> cell_of(words_.size());
    for (std::uint32_t cell = 0; cell < words_.size(); ++cell) cell_of[words_[cell]] = cell;
    if (vocab_ != docs.vocab()) {  // from words of all processes to own ones
      const std::vector<std::uint32_t> cells = std::move(cell_of);
      cell_of.resize(docs.words());
      for (word_id w = 0; w < docs.words(); ++w) cell_of[w] = cells[*vocab_->find(docs.vocab()->word(w))];
    }

    std::vector<std::uint64_t> counts(by_frequency ? words_.size() : 0);
    std::vector<std::uint32_t> own;
    ends_.reserve(units.size() + 1);
    if (units.size() > 0) cells_.reserve(std::min(docs.entries() / units.size() + 1, most) * units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      own.clear();
      for (const std::size_t d : units.documents(unit)) {
        const document doc = docs[d];
        for (std::size_t i = 0; i < doc.size(); ++i) {
          own.push_back(cell_of[doc.words[i]]);
          if (by_frequency) counts[own.back()] += doc.counts[i];
        }
      }
      if (!std::is_sorted(own.begin(), own.end())) std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      if (by_frequency) {
        chacha20 bits = key.stream("words of a unit", units.id(unit));
        shuffle(std::span(own), bits);
        detail::stable_sort(own.begin(), own.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
        for (const std::uint32_t cell : own) counts[cell] = 0;
        if (own.size() > most) own.resize(most);
      } else if (own.size() > most) {
        choose_some(own, most, key, units.id(unit));
        std::sort(own.begin(), own.end());
      }
      cells_.insert(cells_.end(), own.begin(), own.end());
      ends_.push_back(cells_.size());
    }
  }

  std::size_t units() const { return ends_.size() - 1; }
  std::size_t cells() const { return words_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t unit) const {
    return std::span(cells_).subspan(ends_[unit], ends_[unit + 1] - ends_[unit]);
  }
  std::string_view word(std::uint32_t cell) const { return vocab_->word(words_[cell]); }

 private:
  vocabulary_ptr vocab_;        // of all processes
  std::vector<word_id> words_;  // by cell
  std::vector<std::uint32_t> cells_;
  std::vector<std::size_t> ends_;
};

}  // namespace dplda::inline v0_1::detail

#endif

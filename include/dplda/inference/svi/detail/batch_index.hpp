// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_BATCH_INDEX_HPP
#define DPLDA_INFERENCE_SVI_DETAIL_BATCH_INDEX_HPP

#include <dplda/core/corpus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The distinct words of a set of documents, each with a slot, in order of first appearance.
class word_slots {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  explicit word_slots(std::size_t vocabulary_size) : slot_(vocabulary_size, none) {}

  void assign(const corpus& docs, std::span<const std::size_t> positions) {
    for (const word_id word : words_) slot_[word] = none;
    words_.clear();
    for (const std::size_t d : positions) {
      for (const word_id word : docs[d].words) {
        if (slot_[word] == none) {
          slot_[word] = static_cast<std::uint32_t>(words_.size());
          words_.push_back(word);
        }
      }
    }
  }

  std::size_t size() const noexcept { return words_.size(); }
  word_id word(std::size_t slot) const { return words_[slot]; }
  std::uint32_t slot(word_id word) const { return slot_[word]; }

 private:
  std::vector<std::uint32_t> slot_;
  std::vector<word_id> words_;
};

/// The places of a few documents' entries sorted by word, so that documents can be processed in any order and words can
/// be summed in document order.
class entry_order {
 public:
  void assign(const corpus& docs, std::span<const std::size_t> positions, const word_slots& slots) {
    begins_.assign(slots.size() + 1, 0);
    document_begins_.assign(1, 0);
    for (const std::size_t d : positions) {
      const document doc = docs[d];
      for (const word_id word : doc.words) ++begins_[slots.slot(word) + 1];
      document_begins_.push_back(document_begins_.back() + doc.size());
    }
    for (std::size_t s = 0; s < slots.size(); ++s) begins_[s + 1] += begins_[s];
    places_.resize(document_begins_.back());
    next_.assign(begins_.begin(), begins_.end() - 1);
    std::size_t entry = 0;
    for (const std::size_t d : positions) {
      for (const word_id word : docs[d].words) places_[entry++] = next_[slots.slot(word)]++;
    }
  }

  std::size_t size() const noexcept { return places_.size(); }
  /// Sorted places of the entries of the batch's i-th document.
  std::span<const std::uint32_t> places(std::size_t i) const {
    return std::span(places_).subspan(document_begins_[i], document_begins_[i + 1] - document_begins_[i]);
  }
  /// The word's entries are at [begin(slot), begin(slot + 1)).
  std::size_t begin(std::size_t slot) const { return begins_[slot]; }

 private:
  std::vector<std::uint32_t> begins_, next_, places_;
  std::vector<std::size_t> document_begins_;
};

}  // namespace dplda::inline v0_1::detail

#endif

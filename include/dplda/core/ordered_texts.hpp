// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_ORDERED_TEXTS_HPP
#define DPLDA_CORE_ORDERED_TEXTS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Documents as sequences of words, where a corpus has lost their order: what phrases are found in. Documents may have
/// owners. Like the counts of a corpus_builder, sequences do not tell what was left out of them, so their pruning is
/// unknown until declare_unpruned; texts that this library reads are known (io/text.hpp).
class ordered_texts {
 public:
  /// Throws std::invalid_argument if the vocabulary is null, if a word is beyond it, or if there are users but not one
  /// below user_count for each document.
  ordered_texts(std::vector<std::vector<word_id>> documents, vocabulary_ptr vocab, std::vector<user_id> users = {},
                std::size_t user_count = 0)
      : documents_(std::move(documents)), vocab_(std::move(vocab)), users_(std::move(users)), user_count_(user_count) {
    const char* const function = "ordered_texts";
    detail::require(vocab_ != nullptr, function, "vocabulary", "null", "must be given");
    for (const std::vector<word_id>& words : documents_)
      detail::require(std::ranges::all_of(words, [&](word_id w) { return w < vocab_->size(); }), function, "a word",
                      "beyond the vocabulary", "must be in it");
    detail::require(users_.empty() || users_.size() == documents_.size(), function, "number of users", users_.size(),
                    "must be that of the documents");
    detail::require(std::ranges::all_of(users_, [&](user_id u) { return u < user_count; }), function, "a user",
                    "too large", "must be below the number of users");
  }

  std::size_t size() const noexcept { return documents_.size(); }
  /// Precondition: d < size().
  std::span<const word_id> operator[](std::size_t d) const { return documents_[d]; }
  const vocabulary_ptr& vocab() const noexcept { return vocab_; }
  /// Of each document; empty: no owners.
  const std::vector<user_id>& users() const noexcept { return users_; }
  std::size_t user_count() const noexcept { return user_count_; }
  /// Whether other documents may have decided which words are left.
  dplda::pruning pruning() const noexcept { return pruning_; }

  /// The same texts. By calling this you declare that each of them depends on its own text and on public rules alone, as
  /// for a corpus.
  friend ordered_texts declare_unpruned(ordered_texts texts) {
    texts.pruning_ = dplda::pruning::none;
    return texts;
  }

 private:
  std::vector<std::vector<word_id>> documents_;
  vocabulary_ptr vocab_;
  std::vector<user_id> users_;
  std::size_t user_count_;
  dplda::pruning pruning_ = dplda::pruning::unknown;
};

}  // namespace dplda::inline v0_1

#endif

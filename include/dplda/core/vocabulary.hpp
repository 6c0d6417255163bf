// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_VOCABULARY_HPP
#define DPLDA_CORE_VOCABULARY_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// A word's position in its vocabulary, from 0.
using word_id = std::uint32_t;

namespace detail {

/// Words in order of insertion, found by an open-addressing hash table. The bytes of all words lie in one string, so
/// that a million words cost little more than their letters.
class word_table {
 public:
  static constexpr std::size_t max_words = 0xFFFFFFFFu;  // the last id marks an empty slot

  std::size_t size() const noexcept { return ends_.size(); }

  std::string_view operator[](std::size_t id) const;

  std::optional<word_id> find(std::string_view word) const;

  /// The word's id, and whether it is new.
  std::pair<word_id, bool> insert(std::string_view word);

 private:
  static constexpr word_id vacant = 0xFFFFFFFFu;

  struct slot {
    word_id id = vacant;
    std::uint32_t tag = 0;  // bits of the hash beyond those that choose the slot; they avoid most string comparisons
  };

  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> (sizeof hash * 4)); }

  std::size_t slot_of(std::string_view word, std::size_t hash) const;

  void grow();

  std::string letters_;
  std::vector<std::size_t> ends_;
  std::vector<slot> slots_;
};

}  // namespace detail

/// Where a list of words comes from. Private learners check it, because they publish the list with their topics.
enum class word_origin {
  documents,    ///< collected from documents (the default): the list reveals words of single documents
  public_list,  ///< independent of the documents: the user called declare_public
  released      ///< chosen from documents by a mechanism whose ledger records the privacy loss
};

class vocabulary;
using vocabulary_ptr = std::shared_ptr<const vocabulary>;

namespace detail {

/// The same list with another origin; the words are shared. Only declare_public and mechanisms may say where words
/// come from.
vocabulary_ptr with_origin(const vocabulary& words, word_origin origin);

/// The same list, of origin `released`: a release does this to its value. Null stays null.
vocabulary_ptr as_released(const vocabulary_ptr& words);

}  // namespace detail

/// An immutable list of distinct words. Corpora and topic models share one through `vocabulary_ptr`.
class vocabulary {
 public:
  vocabulary() = default;

  /// Throws std::invalid_argument if a word is empty or occurs twice.
  explicit vocabulary(std::span<const std::string> words);

  std::size_t size() const noexcept { return words_->size(); }

  word_origin origin() const noexcept { return origin_; }

  /// The word at `id`. Throws std::out_of_range if there is no such word.
  std::string_view word(word_id id) const;

  /// The id of `word`, or nothing if it is not in the list.
  std::optional<word_id> find(std::string_view word) const { return words_->find(word); }

  /// Whether both list the same words in the same order, wherever they come from.
  friend bool operator==(const vocabulary& a, const vocabulary& b) {
    if (a.words_ == b.words_) return true;
    if (a.size() != b.size()) return false;
    for (std::size_t id = 0; id < a.size(); ++id) {
      if ((*a.words_)[id] != (*b.words_)[id]) return false;
    }
    return true;
  }

 private:
  friend class vocabulary_builder;
  friend vocabulary_ptr detail::with_origin(const vocabulary& words, word_origin origin);
  std::shared_ptr<const detail::word_table> words_ = std::make_shared<const detail::word_table>();
  word_origin origin_ = word_origin::documents;
};

/// The same list. By calling this you declare it public: it would be the same list if these documents did not exist.
/// The library cannot check that. A dictionary is public. A list collected from the documents is not: a private release
/// over it reveals every rare word in them. Use vocabulary_selector to choose words that are not public.
/// Throws std::invalid_argument if the list is null, or if it was released: it was chosen from documents, at a cost.
vocabulary_ptr declare_public(const vocabulary_ptr& words);

/// Collects words one by one.
class vocabulary_builder {
 public:
  std::size_t size() const noexcept { return words_.size(); }

  /// The id of `word`, which is added if it is new. Precondition: `word` is not empty.
  word_id add(std::string_view word) { return words_.insert(word).first; }

  /// The vocabulary, of origin `documents`; the builder is empty afterwards.
  vocabulary_ptr build();

 private:
  detail::word_table words_;
};

/// The words "w0", "w1", ... for data that have ids but no words. The list is of origin `documents`, because its size
/// may be: if the size would be the same without the documents, say so by declare_public.
vocabulary_ptr numbered_vocabulary(std::size_t size);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/vocabulary.ipp>
#endif

#endif

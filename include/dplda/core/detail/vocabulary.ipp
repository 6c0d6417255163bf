// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_VOCABULARY_IPP
#define DPLDA_CORE_DETAIL_VOCABULARY_IPP

// Bodies of core/vocabulary.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>

#include <functional>
#include <stdexcept>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE std::string_view word_table::operator[](std::size_t id) const {
  const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
  return std::string_view(letters_).substr(begin, ends_[id] - begin);
}

DPLDA_INLINE std::optional<word_id> word_table::find(std::string_view word) const {
  if (slots_.empty()) return std::nullopt;
  const word_id id = slots_[slot_of(word, std::hash<std::string_view>{}(word))].id;
  return id == vacant ? std::nullopt : std::optional<word_id>(id);
}

DPLDA_INLINE std::pair<word_id, bool> word_table::insert(std::string_view word) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::size_t hash = std::hash<std::string_view>{}(word);
  slot& place = slots_[slot_of(word, hash)];
  if (place.id != vacant) return {place.id, false};
  if (size() >= max_words) throw std::length_error("dplda::vocabulary: more than 4294967295 words");
  place = {static_cast<word_id>(size()), tag_of(hash)};
  letters_.append(word);
  ends_.push_back(letters_.size());
  return {place.id, true};
}

DPLDA_INLINE std::size_t word_table::slot_of(std::string_view word, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  while (slots_[place].id != vacant && (slots_[place].tag != tag_of(hash) || (*this)[slots_[place].id] != word)) {
    place = (place + 1) & mask;
  }
  return place;
}

DPLDA_INLINE void word_table::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), slot{});
  for (std::size_t id = 0; id < size(); ++id) {
    const std::size_t hash = std::hash<std::string_view>{}((*this)[id]);
    slots_[slot_of((*this)[id], hash)] = {static_cast<word_id>(id), tag_of(hash)};
  }
}

}  // namespace detail

DPLDA_INLINE vocabulary::vocabulary(std::span<const std::string> words) {
  detail::word_table table;
  for (const std::string& word : words) {
    const std::string place = "word " + std::to_string(table.size());
    detail::require(!word.empty(), "vocabulary", place, "\"\"", "must not be empty");
    detail::require(table.insert(word).second, "vocabulary", place, "\"" + word + "\"", "is already in the list");
  }
  words_ = std::make_shared<const detail::word_table>(std::move(table));
}

DPLDA_INLINE std::string_view vocabulary::word(word_id id) const {
  if (id >= size()) {
    throw std::out_of_range(detail::text("dplda::vocabulary::word: id is ", id, ", but there are ", size(), " words"));
  }
  return (*words_)[id];
}

namespace detail {

DPLDA_INLINE vocabulary_ptr with_origin(const vocabulary& words, word_origin origin) {
  auto same = std::make_shared<vocabulary>(words);
  same->origin_ = origin;
  return same;
}

DPLDA_INLINE vocabulary_ptr as_released(const vocabulary_ptr& words) {
  return words == nullptr ? nullptr : with_origin(*words, word_origin::released);
}

}  // namespace detail

DPLDA_INLINE vocabulary_ptr declare_public(const vocabulary_ptr& words) {
  detail::require(words != nullptr, "declare_public", "the list of words", "null", "must be given");
  detail::require(words->origin() != word_origin::released, "declare_public", "the list of words",
                  "chosen privately from documents",
                  "must be independent of them. Give the release of the words to fit(words, docs, random), with its "
                  "ledger in options.before, so that the guarantee covers it");
  return detail::with_origin(*words, word_origin::public_list);
}

DPLDA_INLINE vocabulary_ptr vocabulary_builder::build() {
  auto built = std::make_shared<vocabulary>();
  built->words_ = std::make_shared<const detail::word_table>(std::exchange(words_, {}));
  return built;
}

DPLDA_INLINE vocabulary_ptr numbered_vocabulary(std::size_t size) {
  vocabulary_builder builder;
  for (std::size_t id = 0; id < size; ++id) builder.add(std::string("w").append(std::to_string(id)));
  return builder.build();
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_CORPUS_IPP
#define DPLDA_CORE_DETAIL_CORPUS_IPP

// Bodies of core/corpus.hpp.

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus::corpus()
    : data_(std::make_shared<const data>(corpus_storage())), vocab_(std::make_shared<const vocabulary>()) {}

DPLDA_INLINE document corpus::operator[](std::size_t d) const {
  const std::size_t begin = entry_begin(d), count = entry_begin(d + 1) - begin;
  const document doc = {data_->words.span().subspan(begin, count), data_->counts.span().subspan(begin, count), id(d)};
  if (!data_->checked) check(d, doc);
  return doc;
}

DPLDA_INLINE void corpus::check(std::size_t d, const document& doc) const {
  bool valid = true;
  for (std::size_t n = 0; n < doc.size(); ++n)
    valid = valid && doc.counts[n] > 0 && (n == 0 || doc.words[n - 1] < doc.words[n]);
  if (valid && (doc.empty() || doc.words.back() < words())) return;
  throw parse_error(data_->name, 0,
                    detail::text("expected document ", d,
                                 " to have ascending words of the vocabulary with counts of 1 "
                                 "or more; the files were changed or damaged"));
}

DPLDA_INLINE std::uint64_t corpus::count_tokens() const {
  const std::span<const std::uint32_t> counts = data_->counts.span();
  return data_->tokens = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

DPLDA_INLINE corpus corpus::select(std::span<const std::size_t> positions) const {
  auto copy = std::make_shared<data>(data_->storage);
  std::size_t total = 0;
  for (const std::size_t d : positions) {
    detail::require(d < size(), "corpus::select", "position", d, "must be below the number of documents");
    total += entry_begin(d + 1) - entry_begin(d);
  }
  copy->reserve(positions.size(), total);
  for (const std::size_t d : positions) {
    const document doc = (*this)[d];
    copy->words.append(doc.words);
    copy->counts.append(doc.counts);
    copy->offsets.push_back(copy->words.size());
    copy->ids.push_back(doc.id);
    if (has_users()) copy->users.push_back(data_->users[d]);
    copy->tokens += doc.length();
  }
  copy->user_count = data_->user_count;
  return corpus(std::move(copy), vocab_, pruning_);
}

DPLDA_INLINE corpus corpus::slice(std::size_t first, std::size_t last) const {
  detail::require(first <= last && last <= size(), "corpus::slice", "[first, last)",
                  detail::text("[", first, ", ", last, ")"), detail::text("must lie in [0, ", size(), ")"));
  std::vector<std::size_t> positions(last - first);
  std::iota(positions.begin(), positions.end(), first);
  return select(positions);
}

DPLDA_INLINE corpus corpus::restrict_to(vocabulary_ptr kept) const {
  detail::require(kept != nullptr, "corpus::restrict_to", "vocabulary", "null", "must be given");
  const bool was_released = vocab_->origin() == word_origin::released;
  const auto after_cut = [&](bool paid) { return std::max(pruning_, paid ? pruning::none : pruning::pruned); };
  const bool stays_released = kept->origin() == word_origin::released;
  if (*kept == *vocab_) return corpus(data_, std::move(kept), after_cut(!was_released || stays_released), first_id_);
  constexpr word_id dropped = 0xFFFFFFFFu;
  std::vector<word_id> renamed(words());
  std::size_t common = 0;
  for (word_id w = 0; w < words(); ++w) {
    renamed[w] = kept->find(vocab()->word(w)).value_or(dropped);
    common += renamed[w] != dropped;
  }
  const bool by_documents = common < words() && kept->origin() == word_origin::documents;
  const auto left = std::max(by_documents ? pruning::pruned : pruning::none,
                             after_cut(!was_released || (stays_released && common == kept->size() &&
                                                         (pruning_ != pruning::by_list || common == words()))));

  auto copy = std::make_shared<data>(data_->storage);
  std::size_t total = 0;
  for (std::size_t d = 0; d < size(); ++d) {
    for (const word_id word : (*this)[d].words) total += renamed[word] != dropped;
  }
  copy->reserve(size(), total);
  std::vector<std::pair<word_id, std::uint32_t>> line;
  for (std::size_t d = 0; d < size(); ++d) {
    const document doc = (*this)[d];
    line.clear();
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (renamed[doc.words[n]] != dropped) line.emplace_back(renamed[doc.words[n]], doc.counts[n]);
    }
    std::sort(line.begin(), line.end());
    for (const auto& [word, count] : line) {
      copy->words.push_back(word);
      copy->counts.push_back(count);
      copy->tokens += count;
    }
    copy->offsets.push_back(copy->words.size());
  }
  copy->ids.append(data_->ids.span());
  copy->users.append(data_->users.span());
  copy->user_count = data_->user_count;
  return corpus(std::move(copy), std::move(kept), left, first_id_);
}

DPLDA_INLINE corpus::data::data(const corpus_storage& place)
    : storage(place),
      words(place.column<word_id>()),
      counts(place.column<std::uint32_t>()),
      offsets(place.column<std::uint64_t>()) {
  offsets.push_back(0);
}

DPLDA_INLINE void corpus::data::reserve(std::size_t documents, std::size_t entries) {
  words.reserve(entries);
  counts.reserve(entries);
  offsets.reserve(documents + 1);
}

DPLDA_INLINE void corpus::data::trim() {
  words.trim();
  counts.trim();
  offsets.trim();
}

namespace detail {

DPLDA_INLINE corpus with_pruning(const corpus& docs, pruning known) {
  corpus same = docs;
  same.pruning_ = known;
  return same;
}

DPLDA_INLINE corpus open_arrays(packed_arrays arrays, vocabulary_ptr vocab, pruning known, corpus_storage storage) {
  auto opened = std::make_shared<corpus::data>(corpus_storage());
  opened->storage = std::move(storage);
  opened->words = column<word_id>(arrays.owner, arrays.words);
  opened->counts = column<std::uint32_t>(arrays.owner, arrays.counts);
  opened->offsets = column<std::uint64_t>(arrays.owner, arrays.offsets);
  opened->first_offset = arrays.offsets.front();
  opened->ids = column<std::uint64_t>(arrays.owner, arrays.ids);
  opened->users = column<user_id>(arrays.owner, arrays.users);
  opened->user_count = arrays.user_count;
  opened->tokens = arrays.tokens.value_or(corpus::not_counted);
  opened->checked = false;
  opened->name = std::move(arrays.name);
  return corpus(std::move(opened), std::move(vocab), known, arrays.first_id);
}

DPLDA_INLINE corpus renumbered(corpus docs, const numbers_in_whole& numbers) {
  docs.first_id_ = numbers.first_id;
  const bool same_words = numbers.words == nullptr || *numbers.words == *docs.vocab_;
  if (same_words && numbers.users.empty()) {
    if (numbers.words != nullptr) docs.vocab_ = numbers.words;
    return docs;
  }
  if (docs.data_.use_count() > 1 || !docs.data_->checked) {
    auto copy = std::make_shared<corpus::data>(docs.data_->storage);
    copy->reserve(docs.size(), docs.entries());
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const document doc = docs[d];
      copy->words.append(doc.words);
      copy->counts.append(doc.counts);
      copy->offsets.push_back(copy->words.size());
    }
    copy->ids.append(docs.data_->ids.span());
    copy->users.append(docs.data_->users.span());
    copy->user_count = docs.data_->user_count;
    copy->tokens = docs.tokens();
    docs.data_ = std::move(copy);
  }
  // Made as a corpus::data that is not const, here or by a builder, and nobody else has it.
  auto& own = const_cast<corpus::data&>(*docs.data_);
  if (!same_words) {
    const std::span<word_id> words = own.words.own_span();
    const std::span<std::uint32_t> counts = own.counts.own_span();
    std::vector<std::pair<word_id, std::uint32_t>> line;
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const std::size_t begin = docs.entry_begin(d), end = docs.entry_begin(d + 1);
      bool ascending = true;
      for (std::size_t n = begin; n < end; ++n) {
        words[n] = numbers.word_ids[words[n]];
        ascending = ascending && (n == begin || words[n - 1] < words[n]);
      }
      if (ascending) continue;
      line.clear();
      for (std::size_t n = begin; n < end; ++n) line.emplace_back(words[n], counts[n]);
      std::sort(line.begin(), line.end());
      for (std::size_t n = begin; n < end; ++n) std::tie(words[n], counts[n]) = line[n - begin];
    }
    docs.vocab_ = numbers.words;
  }
  if (!numbers.users.empty()) {
    own.users.shrink(0);
    own.users.append(numbers.users);
    own.user_count = numbers.user_count;
  }
  return docs;
}

}  // namespace detail

DPLDA_INLINE corpus declare_unpruned(const corpus& docs) {
  detail::require(docs.pruning() != pruning::pruned, "declare_unpruned", "the corpus", detail::pruned_corpus,
                  detail::unpruned_remedy);
  return docs.pruning() == pruning::unknown ? detail::with_pruning(docs, pruning::none) : docs;
}

DPLDA_INLINE void corpus_builder::add(word_id word, std::uint32_t count) {
  if (count == 0) return;
  sorted_ = sorted_ && (data_->words.size() == begin_ || data_->words.back() < word);
  data_->words.make_room();  // both grow or none, also on a full disk
  data_->counts.make_room();
  data_->words.push_back(word);
  data_->counts.push_back(count);
  data_->tokens += count;
  if (word >= word_limit_) word_limit_ = std::size_t{word} + 1;
}

DPLDA_INLINE void corpus_builder::end_document() {
  if (!sorted_) sort_and_merge();
  begin_ = data_->words.size();
  sorted_ = true;
  data_->offsets.push_back(begin_);
}

DPLDA_INLINE void corpus_builder::set_users(std::vector<user_id> users, std::size_t user_count) {
  detail::require(users.size() == size(), "corpus_builder::set_users", "number of users' entries", users.size(),
                  detail::text("must be the number of documents, ", size()));
  for (const user_id user : users) {
    if (user >= user_count)
      detail::refuse("corpus_builder::set_users", "user", user, detail::text("must be below ", user_count));
  }
  data_->users.shrink(0);
  data_->users.append(users);
  data_->user_count = user_count;
}

DPLDA_INLINE void corpus_builder::set_ids(std::vector<std::uint64_t> ids) {
  detail::require(ids.size() == size(), "corpus_builder::set_ids", "number of ids", ids.size(),
                  detail::text("must be the number of documents, ", size()));
  data_->ids.shrink(0);
  data_->ids.append(ids);
}

DPLDA_INLINE corpus corpus_builder::build(vocabulary_ptr vocab) {
  detail::require(vocab != nullptr, "corpus_builder::build", "vocabulary", "null", "must be given");
  detail::require(data_->words.size() == begin_, "corpus_builder::build", "last document", "still open",
                  "must be closed by end_document()");
  detail::require(word_limit_ <= vocab->size(), "corpus_builder::build", "largest word id", word_limit_ - 1,
                  detail::text("must be below the vocabulary's size, ", vocab->size()));
  detail::require(data_->users.empty() || data_->users.size() == size(), "corpus_builder::build",
                  "number of users' entries", data_->users.size(),
                  detail::text("must be the number of documents, ", size()));
  detail::require(data_->ids.empty() || data_->ids.size() == size(), "corpus_builder::build", "number of ids",
                  data_->ids.size(), detail::text("must be the number of documents, ", size()));
  data_->trim();
  corpus built(std::exchange(data_, std::make_shared<corpus::data>(storage_)), std::move(vocab), pruning::unknown);
  begin_ = 0;
  word_limit_ = 0;
  return built;
}

DPLDA_INLINE void corpus_builder::sort_and_merge() {
  std::vector<std::pair<word_id, std::uint64_t>> line;
  for (std::size_t n = begin_; n < data_->words.size(); ++n) line.emplace_back(data_->words[n], data_->counts[n]);
  std::sort(line.begin(), line.end());
  std::size_t merged = 0;
  for (std::size_t n = 1; n < line.size(); ++n) {
    if (line[n].first == line[merged].first) {
      line[merged].second += line[n].second;
    } else {
      line[++merged] = line[n];
    }
  }
  line.resize(merged + 1);
  for (const auto& [word, count] : line) {
    if (count > 0xFFFFFFFFu) {
      throw std::overflow_error("dplda::corpus_builder: a word's count in one document exceeds 4294967295");
    }
  }
  data_->words.shrink(begin_);
  data_->counts.shrink(begin_);
  for (const auto& [word, count] : line) {
    data_->words.push_back(word);
    data_->counts.push_back(static_cast<std::uint32_t>(count));
  }
}

}  // namespace dplda::inline v0_1

#endif

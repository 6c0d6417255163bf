// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_DETAIL_OWN_PART_IPP
#define DPLDA_DISTRIBUTED_DETAIL_OWN_PART_IPP

// Bodies of distributed/own_part.hpp.

#include <dplda/distributed/own_part.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

/// Whose the unit is, given the entries before each unit and of all: in whose share of all entries it begins.
inline std::size_t process_of(const std::vector<std::uint64_t>& before, std::size_t unit, std::size_t processes) {
  return static_cast<std::size_t>(static_cast<double>(before[unit]) / static_cast<double>(before.back()) *
                                  static_cast<double>(processes));
}

/// The entries of each user, and a few for each document, at the place behind.
inline std::vector<std::uint64_t> entries_of_users(const corpus& docs, std::size_t users) {
  std::vector<std::uint64_t> entries(users + 1);
  for (std::size_t d = 0; d < docs.size(); ++d)
    entries[docs.user(d) + std::size_t{1}] += docs.entry_begin(d + 1) - docs.entry_begin(d) + 1;
  return entries;
}

}  // namespace detail

DPLDA_INLINE std::vector<std::size_t> own_documents(const corpus& docs, bool by_user, const process_group& processes) {
  std::vector<std::uint64_t> before(1, 0);  // entries of the documents or users before each one, and of all
  if (by_user) {
    before = detail::entries_of_users(docs, docs.users());
    std::partial_sum(before.begin(), before.end(), before.begin());
  } else {
    for (std::size_t d = 0; d < docs.size(); ++d)
      before.push_back(before.back() + docs.entry_begin(d + 1) - docs.entry_begin(d) + 1);
  }
  std::vector<std::size_t> own;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (detail::process_of(before, by_user ? docs.user(d) : d, processes.size()) == processes.rank()) own.push_back(d);
  }
  return own;
}

DPLDA_INLINE corpus own_part(const corpus& docs, bool by_user, const process_group& processes) {
  return processes.alone() ? docs : docs.select(own_documents(docs, by_user, processes));
}

DPLDA_INLINE corpus users_together(const corpus& part, std::vector<std::uint32_t>& labels,
                                   const process_group& processes) {
  if (processes.alone()) return part;
  detail::require(part.has_users() || part.empty(), "users_together", "the corpus", "without users", "must have them");
  // A part without documents does not know how many users there are.
  const std::vector<std::uint64_t> known = processes.gather(part.empty() ? 0 : part.users());
  const std::size_t users_of_all = *std::ranges::max_element(known);
  std::vector<std::uint64_t> before = detail::entries_of_users(part, users_of_all);
  processes.sum(before);
  std::partial_sum(before.begin(), before.end(), before.begin());
  std::uint64_t labelled = labels.empty() ? 0 : 1;
  processes.sum(std::span(&labelled, 1));

  // A document is its id (two numbers), its user, its label, its size, and its words and counts.
  constexpr std::size_t most = std::size_t{1} << 20;  // numbers in a piece, or a few more
  std::vector<std::size_t> pieces(1, 0);              // the first document of each, and the end
  std::size_t size = 0;
  for (std::size_t d = 0; d < part.size(); ++d) {
    size += 5 + 2 * (part.entry_begin(d + 1) - part.entry_begin(d));
    if (size < most && d + 1 < part.size()) continue;
    pieces.push_back(d + 1);
    size = 0;
  }
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  std::vector<std::uint32_t> own_labels, numbers;
  const std::vector<std::uint64_t> sent = processes.gather(pieces.size() - 1);
  for (std::size_t r = 0; r < sent.size(); ++r) {
    for (std::size_t piece = 0; piece < sent[r]; ++piece) {
      numbers.clear();
      for (std::size_t d = pieces[piece]; r == processes.rank() && d < pieces[piece + 1]; ++d) {
        const document doc = part[d];
        const std::uint64_t id = part.id(d);
        numbers.insert(numbers.end(),
                       {static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32), part.user(d),
                        labels.empty() ? 0 : labels[d], static_cast<std::uint32_t>(doc.size())});
        numbers.insert(numbers.end(), doc.words.begin(), doc.words.end());
        numbers.insert(numbers.end(), doc.counts.begin(), doc.counts.end());
      }
      std::uint64_t length = numbers.size();
      processes.broadcast(std::as_writable_bytes(std::span(&length, 1)), r);
      numbers.resize(length);
      processes.broadcast(std::as_writable_bytes(std::span(numbers)), r);
      for (std::size_t at = 0; at < numbers.size();) {
        const std::size_t entries = numbers[at + 4], words = at + 5;
        if (detail::process_of(before, numbers[at + 2], processes.size()) == processes.rank()) {
          ids.push_back(std::uint64_t{numbers[at + 1]} << 32 | numbers[at]);
          users.push_back(numbers[at + 2]);
          if (labelled > 0) own_labels.push_back(numbers[at + 3]);
          for (std::size_t n = 0; n < entries; ++n) builder.add(numbers[words + n], numbers[words + entries + n]);
          builder.end_document();
        }
        at = words + 2 * entries;
      }
    }
  }
  builder.set_ids(std::move(ids));
  builder.set_users(std::move(users), users_of_all);
  labels = std::move(own_labels);
  return detail::with_pruning(builder.build(part.vocab()), part.pruning());
}

DPLDA_INLINE vocabulary_ptr words_of_all(const vocabulary_ptr& own, const process_group& processes) {
  if (processes.alone()) return own;
  vocabulary_builder all;
  for (std::size_t r = 0; r < processes.size(); ++r) {
    std::string text;  // for each new word its length, as a character ends it, and itself
    if (r == processes.rank()) {
      for (std::size_t w = 0; w < own->size(); ++w) {
        const std::string_view word = own->word(static_cast<word_id>(w));
        if (const std::size_t known = all.size(); all.add(word) == known)
          text.append(std::to_string(word.size())).append(" ").append(word);
      }
    }
    processes.broadcast(text, r);
    if (r == processes.rank()) continue;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t blank = text.find(' ', at), length = std::stoull(text.substr(at, blank - at));
      all.add(std::string_view(text).substr(blank + 1, length));
      at = blank + 1 + length;
    }
  }
  return all.build();
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_PARTS_IPP
#define DPLDA_IO_DETAIL_PARTS_IPP

// Bodies of io/parts.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// A summary is a list of numbers and texts: a number is eight bytes, the lowest first, and a text is its size and its
/// bytes.
inline void put_number(std::string& bytes, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> (8 * i) & 0xFF));
}

inline void put_names(std::string& bytes, const vocabulary& names) {
  put_number(bytes, names.size());
  for (word_id w = 0; w < names.size(); ++w) {
    put_number(bytes, names.word(w).size());
    bytes += names.word(w);
  }
}

class summary_reader {
 public:
  explicit summary_reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t found = 0;
    const std::string_view bytes = take(8);
    for (std::size_t i = 0; i < 8; ++i) found |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return found;
  }
  std::string_view name() { return take(number()); }
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    require(size <= rest_.size(), "in_whole", "a summary", "damaged", "must be what summary() gave");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest_;
};

/// The names of all parts together, and those of one part among them.
class joined_names {
 public:
  /// Adds the names of the next part.
  void add(summary_reader& summary, bool of_this_part) {
    for (std::uint64_t left = summary.number(); left > 0; --left) {
      const word_id id = all_.add(summary.name());
      if (of_this_part) own_.push_back(id);
    }
  }

  /// All names as they first appear.
  vocabulary_ptr build() { return all_.build(); }
  /// The number of each of the part's names.
  const std::vector<word_id>& own() const noexcept { return own_; }

  /// All names in the order of their bytes; own() is of that order then.
  vocabulary_ptr build_sorted() {
    const vocabulary_ptr appeared = all_.build();
    std::vector<word_id> order(appeared->size());
    for (word_id w = 0; w < order.size(); ++w) order[w] = w;
    std::sort(order.begin(), order.end(), [&](word_id a, word_id b) { return appeared->word(a) < appeared->word(b); });
    std::vector<word_id> place(order.size());
    vocabulary_builder sorted;
    for (const word_id w : order) place[w] = sorted.add(appeared->word(w));
    for (word_id& w : own_) w = place[w];
    return sorted.build();
  }

 private:
  vocabulary_builder all_;
  std::vector<word_id> own_;
};

}  // namespace detail

DPLDA_INLINE std::string corpus_part::summary() const {
  std::string bytes;
  detail::put_number(bytes, found.docs.size());
  detail::put_number(bytes, entries);
  detail::put_number(bytes, announced ? *announced + 1 : 0);
  detail::put_names(bytes, words_are_given ? vocabulary() : *found.docs.vocab());
  detail::put_names(bytes, numbered ? vocabulary() : *found.users);
  detail::put_names(bytes, numbered ? vocabulary() : *found.groups.labels);
  return bytes;
}

DPLDA_INLINE corpus_part in_whole(corpus_part part, const input_part& which, std::span<const std::string> summaries,
                                  const user_list* users) {
  detail::require(summaries.size() == which.of && which.index < which.of, "in_whole", "the number of summaries",
                  summaries.size(), detail::text("must be the number of parts, ", which.of));
  detail::joined_names words, owners, groups;
  std::uint64_t entries = 0;
  part.first = part.documents = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    detail::summary_reader summary(summaries[i]);
    const bool own = i == which.index;
    if (own) part.first = part.documents;
    part.documents += summary.number();
    entries += summary.number();
    const std::uint64_t announced = summary.number();
    detail::require(announced == (part.announced ? *part.announced + 1 : 0), "in_whole", "a summary",
                    "of another input", "must be of the same input");
    for (detail::joined_names* const names : {&words, &owners, &groups}) names->add(summary, own);
    detail::require(summary.at_end(), "in_whole", "a summary", "damaged", "must be what summary() gave");
  }
  if (part.announced && entries != *part.announced)
    throw parse_error(part.name, 0, detail::text("expected ", *part.announced, " entries, found ", entries));

  if (part.numbered && users == nullptr) return part;
  labelled_corpus& found = part.found;
  const corpus& docs = found.docs;
  detail::numbers_in_whole numbers{.first_id = part.first};
  if (!part.words_are_given) {
    numbers.words = words.build_sorted();
    numbers.word_ids = words.own();
  }
  std::vector<user_id> owner_of(users == nullptr && docs.has_users() ? docs.size() : 0);
  for (std::size_t d = 0; d < owner_of.size(); ++d) owner_of[d] = owners.own()[docs.user(d)];
  if (users != nullptr) {
    if (const std::size_t stated = users->of_document.size(); stated != part.documents)
      throw parse_error(users->name, std::min<std::uint64_t>(stated, part.documents) + 1,
                        detail::text("expected ", part.documents, " users, one for each document, found ", stated));
    numbers.users = std::span(users->of_document).subspan(static_cast<std::size_t>(part.first), docs.size());
    numbers.user_count = users->labels->size();
    found.users = users->labels;
  } else {
    found.users = owners.build();
    numbers.users = owner_of;
    numbers.user_count = found.users->size();
  }
  found.groups.labels = groups.build();
  for (std::uint32_t& group : found.groups.of_document)
    if (group != label_list::none) group = groups.own()[group];
  found.docs = detail::renumbered(std::move(found.docs), numbers);
  return part;
}

}  // namespace dplda::inline v0_1

#endif

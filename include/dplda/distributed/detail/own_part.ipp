// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_DETAIL_OWN_PART_IPP
#define DPLDA_DISTRIBUTED_DETAIL_OWN_PART_IPP

// Bodies of distributed/own_part.hpp.

#include <dplda/distributed/own_part.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::size_t> own_documents(const corpus& docs, bool by_user, const process_group& processes) {
  const auto entries_of = [&](std::size_t d) { return docs.entry_begin(d + 1) - docs.entry_begin(d) + 1; };
  std::vector<std::uint64_t> before(1, 0);  // entries of the documents or users before each one, and of all
  if (by_user) {
    before.resize(docs.users() + 1);
    for (std::size_t d = 0; d < docs.size(); ++d) before[docs.user(d) + 1] += entries_of(d);
    for (std::size_t u = 0; u < docs.users(); ++u) before[u + 1] += before[u];
  } else {
    for (std::size_t d = 0; d < docs.size(); ++d) before.push_back(before.back() + entries_of(d));
  }
  const auto is_own = [&](std::size_t unit) {
    // The process in whose share of all entries the unit begins.
    return static_cast<std::size_t>(static_cast<double>(before[unit]) / static_cast<double>(before.back()) *
                                    static_cast<double>(processes.size())) == processes.rank();
  };
  std::vector<std::size_t> own;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (is_own(by_user ? docs.user(d) : d)) own.push_back(d);
  }
  return own;
}

DPLDA_INLINE corpus own_part(const corpus& docs, bool by_user, const process_group& processes) {
  return processes.alone() ? docs : docs.select(own_documents(docs, by_user, processes));
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

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_CANARIES_IPP
#define DPLDA_AUDIT_DETAIL_CANARIES_IPP

// Bodies of audit/canaries.hpp.

#include <dplda/audit/canaries.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus make_canaries(const corpus& docs, const canary_options& options) {
  const char* const function = "make_canaries";
  detail::require(options.count >= 1, function, "count", options.count, "must be at least 1");
  detail::require(options.words >= 1, function, "words", options.words, "must be at least 1");
  detail::require(options.repeats >= 1, function, "repeats", options.repeats, "must be at least 1");
  detail::require(options.count <= docs.words() / options.words, function, "count", options.count,
                  detail::text("must be at most the vocabulary's size over words, ", docs.words() / options.words));
  const std::vector<std::uint64_t> tokens = word_counts(docs);
  std::vector<word_id> rarest(docs.words());
  std::iota(rarest.begin(), rarest.end(), word_id{0});
  detail::stable_sort(rarest.begin(), rarest.end(), [&](word_id a, word_id b) { return tokens[a] < tokens[b]; });
  corpus_builder canaries;
  for (std::size_t i = 0; i < options.count; ++i) {
    for (std::size_t j = 0; j < options.words; ++j) canaries.add(rarest[i * options.words + j], options.repeats);
    canaries.end_document();
  }
  return detail::with_pruning(canaries.build(docs.vocab()), docs.pruning());
}

DPLDA_INLINE corpus add_documents(const corpus& docs, const corpus& added, const std::vector<bool>& flags,
                                  left_out instead) {
  const char* const function = "add_documents";
  detail::require(docs.vocab() == added.vocab() || *docs.vocab() == *added.vocab(), function,
                  "vocabulary of the added documents", "another one", "must be the corpus's");
  detail::require(flags.size() == added.size(), function, "number of flags", flags.size(),
                  detail::text("must be the number of added documents, ", added.size()));
  corpus_builder joined;
  joined.reserve(docs.size() + added.size(), docs.entries() + added.entries());
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  const auto copy = [&](const document& doc, std::uint64_t id, std::size_t user) {
    for (std::size_t n = 0; n < doc.size(); ++n) joined.add(doc.words[n], doc.counts[n]);
    joined.end_document();
    ids.push_back(id);
    if (docs.has_users()) users.push_back(static_cast<user_id>(user));
  };
  for (std::size_t d = 0; d < docs.size(); ++d) copy(docs[d], docs[d].id, docs.user(d));
  std::vector<std::uint64_t> taken = ids;
  std::sort(taken.begin(), taken.end());
  std::uint64_t next = taken.empty() ? 0 : taken.back() + 1;  // after 2^64 - 1 it continues at 0
  for (std::size_t i = 0; i < added.size(); ++i, ++next) {
    while (std::binary_search(taken.begin(), taken.end(), next)) ++next;
    if (flags[i]) {
      copy(added[i], next, docs.users() + i);
    } else if (instead == left_out::empty_document) {
      copy({}, next, docs.users() + i);
    }
  }
  joined.set_ids(std::move(ids));
  if (docs.has_users()) joined.set_users(std::move(users), docs.users() + added.size());
  return detail::with_pruning(joined.build(docs.vocab()), docs.pruning());
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_DETAIL_SPLIT_IPP
#define DPLDA_CORPORA_DETAIL_SPLIT_IPP

// Bodies of corpora/split.hpp.

#include <dplda/corpora/split.hpp>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE unit_table::unit_table(const corpus& docs, split_unit unit) : unit_of(docs.size()) {
  if (unit == split_unit::document || !docs.has_users()) {
    std::iota(unit_of.begin(), unit_of.end(), std::size_t{0});
    count = docs.size();
    return;
  }
  std::vector<bool> present(docs.users(), false);
  for (std::size_t d = 0; d < docs.size(); ++d) present[docs.user(d)] = true;
  std::vector<std::size_t> number(docs.users(), 0);
  for (std::size_t u = 0; u < present.size(); ++u) {
    if (present[u]) number[u] = count++;
  }
  for (std::size_t d = 0; d < docs.size(); ++d) unit_of[d] = number[docs.user(d)];
}

DPLDA_INLINE chacha20 token_stream(const random_source& random, std::uint64_t id) {
  return random.stream("token halves", id);
}

}  // namespace detail

DPLDA_INLINE token_halves split_tokens(const corpus& docs, const random_source& random) {
  corpus_builder observed, scored;
  std::vector<std::uint64_t> ids(docs.size());
  std::vector<std::uint32_t> taken;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    auto bits = detail::token_stream(random, doc.id);
    detail::take_random_half(doc, bits, taken);
    for (std::size_t n = 0; n < doc.size(); ++n) {
      observed.add(doc.words[n], taken[n]);
      scored.add(doc.words[n], doc.counts[n] - taken[n]);
    }
    observed.end_document();
    scored.end_document();
    ids[d] = doc.id;
  }
  for (corpus_builder* half : {&observed, &scored}) {
    half->set_ids(ids);
    if (!docs.has_users()) continue;
    std::vector<user_id> users(docs.size());
    for (std::size_t d = 0; d < docs.size(); ++d) users[d] = docs.user(d);
    half->set_users(std::move(users), docs.users());
  }
  return {detail::with_pruning(observed.build(docs.vocab()), docs.pruning()),
          detail::with_pruning(scored.build(docs.vocab()), docs.pruning())};
}

}  // namespace dplda::inline v0_1

#endif

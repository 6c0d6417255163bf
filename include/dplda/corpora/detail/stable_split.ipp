// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_DETAIL_STABLE_SPLIT_IPP
#define DPLDA_CORPORA_DETAIL_STABLE_SPLIT_IPP

// Bodies of corpora/stable_split.hpp, which has their claim, argument and test.

#include <dplda/core/errors.hpp>
#include <dplda/corpora/stable_split.hpp>

#include <cstddef>
#include <cstdint>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE partition held_out_by_coins(const corpus& docs, const coin& held, split_unit unit, random_source& random) {
  chacha20 words = random.fork().stream("held out");
  partition cut;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    words.seek(unit == split_unit::user ? std::uint64_t{docs.user(d)} : docs[d].id);
    (held(words) ? cut.chosen : cut.others).push_back(d);
  }
  return cut;
}

}  // namespace detail

DPLDA_INLINE train_test stable_split(const corpus& docs, random_source& random, double share, split_unit unit) {
  detail::require(share >= 0 && share <= 1, "stable_split", "share", share, "must lie in [0, 1]");
  detail::require(!random.seeded(), "stable_split", "the random source", "seeded",
                  "must be secret (secure_random); for experiments use train_test_split");
  const partition cut = detail::held_out_by_coins(docs, coin(share), unit, random);
  return {docs.select(cut.others), docs.select(cut.chosen)};
}

}  // namespace dplda::inline v0_1

#endif

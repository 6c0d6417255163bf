// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DETAIL_LENGTH_CAP_HPP
#define DPLDA_PUBLISHED_DETAIL_LENGTH_CAP_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// `wanted` distinct numbers below `population`, ascending. Each subset of that size has the same probability (Floyd's
/// algorithm: one draw for each number taken). Precondition: wanted <= population.
template <BitGenerator64 Generator>
std::vector<std::uint64_t> random_subset(std::uint64_t population, std::uint64_t wanted, Generator& bits) {
  std::unordered_set<std::uint64_t> taken;
  for (std::uint64_t last = population - wanted; last < population; ++last) {
    if (!taken.insert(uniform_below(bits, last + 1)).second) taken.insert(last);
  }
  std::vector<std::uint64_t> sorted(taken.begin(), taken.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// The same documents with at most `cap` tokens each. A longer document keeps a uniformly random choice of its tokens,
/// drawn without replacement from its own stream, which its id names. The choice does not depend on other documents.
inline corpus cap_lengths(const corpus& docs, std::uint64_t cap, const random_source& random) {
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    const std::uint64_t length = doc.length();
    if (length <= cap) {
      for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    } else {
      chacha20 bits = random.stream("length cap", doc.id);
      const std::vector<std::uint64_t> tokens = random_subset(length, cap, bits);
      auto next = tokens.begin();
      std::uint64_t end = 0;  // of the word's tokens, if all tokens stand in the order of their words
      for (std::size_t n = 0; n < doc.size(); ++n) {
        const auto first = next;
        end += doc.counts[n];
        next = std::lower_bound(first, tokens.end(), end);
        builder.add(doc.words[n], static_cast<std::uint32_t>(next - first));
      }
    }
    builder.end_document();
    ids.push_back(doc.id);
    if (docs.has_users()) users.push_back(docs.user(d));
  }
  builder.set_ids(std::move(ids));
  if (docs.has_users()) builder.set_users(std::move(users), docs.users());
  return with_pruning(builder.build(docs.vocab()), docs.pruning());
}

}  // namespace dplda::inline v0_1::detail

#endif

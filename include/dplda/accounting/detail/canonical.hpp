// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_CANONICAL_HPP
#define DPLDA_ACCOUNTING_DETAIL_CANONICAL_HPP

// Ledgers as accountants see them: without labels, without samples that are the whole, without events that reveal
// nothing, each event once.

#include <dplda/accounting/ledger.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <variant>
#include <vector>

namespace dplda::detail {

/// The event without its label; a sample that holds every unit is none.
inline privacy_event canonical(const privacy_event& event) {
  privacy_event plain{event.noise, event.sampling, event.unit, event.relation, {}};
  const auto* poisson = std::get_if<poisson_sample>(&event.sampling);
  const auto* fixed = std::get_if<fixed_size_sample>(&event.sampling);
  if ((poisson != nullptr && poisson->rate == 1) || (fixed != nullptr && fixed->size == fixed->population))
    plain.sampling = all_units{};
  return plain;
}

/// Mechanism and sampling as bits: equal for events that cost the same, and ordered. Unit and neighbours are the
/// ledger's.
using event_key = std::array<std::uint64_t, 6>;

inline event_key key_of(const privacy_event& event) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x + 0.0); };  // -0 is 0
  event_key key{event.noise.index(), 0, 0, event.sampling.index(), 0, 0};
  std::visit(overloaded{[&](const randomized_response& n) {
                          key[1] = bits(n.noise);
                          key[2] = n.buckets;
                        },
                        [&](const approximate_dp& n) {
                          key[1] = bits(n.epsilon);
                          key[2] = bits(n.delta);
                        },
                        [&](const auto& n) { key[1] = bits(n.multiplier); }},
             event.noise);
  std::visit(overloaded{[](const all_units&) {}, [&](const poisson_sample& s) { key[4] = bits(s.rate); },
                        [&](const fixed_size_sample& s) {
                          key[4] = s.size;
                          key[5] = s.population;
                        }},
             event.sampling);
  return key;
}

/// Whether the result does not depend on the data.
inline bool reveals_nothing(const privacy_event& event) {
  const auto* claim = std::get_if<approximate_dp>(&event.noise);
  const auto* response = std::get_if<randomized_response>(&event.noise);
  return (claim != nullptr && claim->epsilon == 0 && claim->delta == 0) ||
         (response != nullptr && response->noise == 1);
}

/// The ledger with equal events counted together, in the order of their first use. Counts beyond 2^64 - 1, which no
/// ledger holds, leave it as it is.
inline ledger canonical(const ledger& book) {
  std::map<event_key, std::size_t> places;
  std::vector<ledger::entry> entries;
  for (const auto& [event, count] : book.entries()) {
    if (reveals_nothing(event)) continue;
    const privacy_event plain = canonical(event);
    const auto [place, is_new] = places.try_emplace(key_of(plain), entries.size());
    if (is_new) {
      entries.push_back({plain, count});
    } else if (count <= std::numeric_limits<std::uint64_t>::max() - entries[place->second].count) {
      entries[place->second].count += count;
    } else {
      return book;
    }
  }
  ledger merged;
  for (const ledger::entry& e : entries) merged.record(e.event, e.count);
  if (book.seeded()) merged.mark_seeded();
  return merged;
}

}  // namespace dplda::detail

#endif

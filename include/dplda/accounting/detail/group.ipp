// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GROUP_IPP
#define DPLDA_ACCOUNTING_DETAIL_GROUP_IPP

// Bodies of accounting/group.hpp, which has their claim, argument and test.

#include <dplda/accounting/group.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

/// (epsilon, delta) at the end of a chain of so many neighbours, rounded up.
inline approximate_dp chained(double epsilon, double delta, double links) {
  if (epsilon == 0) return {0, std::min(1 - 0x1p-53, delta == 0 ? 0 : raised(links * delta))};
  const double sum = raised(links * epsilon);
  // delta (e^(links epsilon) - 1) / (e^epsilon - 1), by logarithms.
  const double log_total =
      delta == 0 ? -infinite : log_above(delta) + raised(log_expm1(sum)) - log_expm1(epsilon) + 1e-9 * (1 + sum);
  if (!(sum < std::numeric_limits<double>::max()) || log_total >= 0) return nothing_proven;
  return {sum, std::min(1 - 0x1p-53, probability_above(log_total))};
}

inline mechanism for_group(const mechanism& noise, std::uint64_t size) {
  const auto links = static_cast<double>(size);
  return std::visit(
      [&]<class Mechanism>(Mechanism n) -> mechanism {
        if constexpr (requires { n.run; }) {
          n.run = group_ledger(*n.run, size);
          return n;
        } else if constexpr (requires { n.multiplier; }) {
          n.multiplier = lowered(n.multiplier / links, 2);
          return n;
        } else if constexpr (requires { n.sensitivity; }) {
          if (n.sensitivity > (std::uint64_t{1} << 52) / size) return nothing_proven;
          n.sensitivity *= size;
          return n;
        } else if constexpr (requires { n.orders; }) {
          n = curve_for_group(n, size);
          if (n.orders.size() == 0) return nothing_proven;
          return n;
        } else {
          return chained(mechanism_entry<Mechanism>::pure_epsilon(n), delta_of(n), links);
        }
      },
      noise);
}

}  // namespace detail

DPLDA_INLINE ledger group_ledger(const ledger& book, std::uint64_t size) {
  detail::require(size >= 1 && size <= (std::uint64_t{1} << 32), "group_ledger", "size of the group", size,
                  "must lie in [1, 2^32]");
  ledger group;
  for (auto [event, count] : book.entries()) {
    event.noise = detail::for_group(event.noise, size);
    // One use of an allocation on all units, as if the batch of each were shown, has the same noise.
    event.sampling = all_units{};
    group.record(event, count);
  }
  if (book.seeded()) group.mark_seeded();
  return group;
}

}  // namespace dplda::inline v0_1

#endif

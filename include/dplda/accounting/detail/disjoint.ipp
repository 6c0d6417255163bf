// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_DISJOINT_IPP
#define DPLDA_ACCOUNTING_DETAIL_DISJOINT_IPP

// Bodies of accounting/disjoint.hpp, which has their claim, argument and test.

#include <dplda/accounting/disjoint.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <span>

namespace dplda::inline v0_1 {

namespace detail {

/// The largest of price(common and one part).
template <class Price>
certified_bounds largest_of_parts(const ledger& common, std::span<const ledger> parts, const char* function,
                                  const Price& price) {
  const auto checked = [&](const ledger& book) {
    if (book.empty()) return;
    const neighbours relation = book.entries().front().event.relation;
    require(relation == neighbours::add_remove, function, "neighbours", relation, "must be add_remove");
  };
  checked(common);
  certified_bounds largest = price(common);
  ledger all = common;  // only to see that they are of one unit
  for (const ledger& part : parts) {
    checked(part);
    all.append(part);
    ledger both = common;
    both.append(part);
    const certified_bounds found = price(both);
    largest = {std::max(largest.lower, found.lower), std::max(largest.upper, found.upper)};
  }
  return largest;
}

}  // namespace detail

DPLDA_INLINE certified_bounds disjoint_epsilon(const ledger& common, std::span<const ledger> parts, double delta,
                                               accountant rule, const pld_options& accuracy) {
  detail::require_delta(delta, "disjoint_epsilon");
  return detail::largest_of_parts(common, parts, "disjoint_epsilon",
                                  [&](const ledger& book) { return ledger_epsilon(book, delta, rule, accuracy); });
}

DPLDA_INLINE certified_bounds disjoint_delta(const ledger& common, std::span<const ledger> parts, double epsilon,
                                             accountant rule, const pld_options& accuracy) {
  detail::require_epsilon(epsilon, "disjoint_delta");
  return detail::largest_of_parts(common, parts, "disjoint_delta",
                                  [&](const ledger& book) { return ledger_delta(book, epsilon, rule, accuracy); });
}

DPLDA_INLINE guarantee disjoint_guarantee(std::span<const guarantee> parts) {
  const char* const function = "disjoint_guarantee";
  detail::require(!parts.empty(), function, "number of parts", 0, "must be at least 1");
  guarantee all = parts.front();
  for (const guarantee& part : parts) {
    detail::require(part.basis == basis::proven && !part.gamma, function, "the guarantee of a part", "not proven",
                    "must be proven, and for certain");
    detail::require(part.relation == neighbours::add_remove, function, "neighbours", part.relation,
                    "must be add_remove");
    detail::require(part.unit == all.unit, function, "unit", part.unit, "must be the same for all parts");
    all.epsilon = std::max(all.epsilon, part.epsilon);
    all.delta = std::max(all.delta, part.delta);
    all.seeded = all.seeded || part.seeded;
    all.assumes_fixed_plans = all.assumes_fixed_plans || part.assumes_fixed_plans || parts.size() > 1;
  }
  return all;
}

}  // namespace dplda::inline v0_1

#endif

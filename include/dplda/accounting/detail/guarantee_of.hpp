// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GUARANTEE_OF_HPP
#define DPLDA_ACCOUNTING_DETAIL_GUARANTEE_OF_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>

namespace dplda::inline v0_1::detail {

/// A proven (epsilon, delta) for the unit and neighbours of a ledger.
inline guarantee guarantee_of(const ledger& book, double epsilon, double delta, accountant rule) {
  guarantee result{.epsilon = epsilon, .delta = delta, .accountant = rule, .seeded = book.seeded()};
  if (!book.empty()) {
    result.unit = book.entries().front().event.unit;
    result.relation = book.entries().front().event.relation;
  }
  return result;
}

}  // namespace dplda::inline v0_1::detail

#endif

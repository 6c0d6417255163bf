// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_ACCOUNTANTS_IPP
#define DPLDA_REPORT_DETAIL_ACCOUNTANTS_IPP

// Bodies of report/accountants.hpp.

#include <dplda/report/accountants.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE const char* title_of(accountant by) {
  for (const named_accountant& one : every_accountant)
    if (one.accountant == by) return one.title;
  return "";
}

DPLDA_INLINE std::vector<accountant_price> prices(const dplda::ledger& book, double delta) {
  std::vector<accountant_price> all;
  for (const named_accountant& one : every_accountant)
    all.push_back({one, ledger_epsilon(book, delta, one.accountant)});
  return all;
}

}  // namespace dplda::inline v0_1

#endif

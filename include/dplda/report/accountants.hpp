// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_ACCOUNTANTS_HPP
#define DPLDA_REPORT_ACCOUNTANTS_HPP

#include <dplda/accounting/accountant.hpp>

#include <array>
#include <vector>

namespace dplda {

/// An accountant, its name for machines and for people, and how it counts.
struct named_accountant {
  accountant rule;
  const char* key;
  const char* name;
  const char* words;
};

/// All of them, the closest look last.
inline constexpr std::array every_accountant = {
    named_accountant{accountant::linear, "linear", "Linear", "adds up what each use costs alone"},
    named_accountant{accountant::advanced, "advanced", "Advanced", "adds up more slowly, for a part of delta"},
    named_accountant{accountant::optimal, "optimal", "Optimal",
                     "the least where only epsilon and delta of each use are known"},
    named_accountant{accountant::zcdp, "zcdp", "zCDP",
                     "adds up the noise as zero-concentrated privacy; samples are left out of account"},
    named_accountant{accountant::rdp, "rdp", "Rényi (RDP)",
                     "adds up moments of the loss, at the best order; counts samples in"},
    named_accountant{accountant::gaussian, "gaussian", "Gaussian",
                     "exact for Gaussian noise on all of the data, and for one use on a sample"},
    named_accountant{accountant::pld, "pld", "Loss distribution (PLD)",
                     "follows the whole distribution of the loss, with bounds from both sides"},
    named_accountant{accountant::best, "best", "Best of all", "the smallest of all"}};

/// Its name for people.
inline const char* title_of(accountant rule) {
  for (const named_accountant& one : every_accountant)
    if (one.rule == rule) return one.name;
  return "";
}

/// What a ledger costs by one of them.
struct accountant_price {
  named_accountant by;
  certified_bounds epsilon;
};

/// What a ledger costs by each.
inline std::vector<accountant_price> prices(const dplda::ledger& book, double delta) {
  std::vector<accountant_price> all;
  for (const named_accountant& one : every_accountant) all.push_back({one, ledger_epsilon(book, delta, one.rule)});
  return all;
}

}  // namespace dplda

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_ACCOUNTANTS_HPP
#define DPLDA_REPORT_ACCOUNTANTS_HPP

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/config.hpp>

#include <array>
#include <vector>

namespace dplda::inline v0_1 {

/// An accountant as people read of it.
struct named_accountant {
  dplda::accountant accountant;
  const char* key;  ///< for machines
  const char* title;
  const char* how_it_counts;
};

/// All accountants; `best`, the minimum of the others, is last.
inline constexpr std::array every_accountant = {
    named_accountant{accountant::linear, "linear", "Linear", "adds up the separate cost of each use"},
    named_accountant{accountant::advanced, "advanced", "Advanced",
                     "grows more slowly, at the price of a part of delta"},
    named_accountant{accountant::optimal, "optimal", "Optimal",
                     "the tightest bound from epsilon and delta of each use alone"},
    named_accountant{accountant::zcdp, "zcdp", "zCDP", "adds up rho of zero-concentrated privacy; ignores sampling"},
    named_accountant{accountant::rdp, "rdp", "Rényi (RDP)",
                     "adds up Rényi divergences, at the best order; takes sampling into account"},
    named_accountant{accountant::gaussian, "gaussian", "Gaussian",
                     "exact for Gaussian noise on all of the data, and for a single use on a sample"},
    named_accountant{accountant::pld, "pld", "Loss distribution (PLD)",
                     "composes the whole distribution of the privacy loss; bounds epsilon from both sides"},
    named_accountant{accountant::best, "best", "Best of all", "the smallest of all"}};

/// The accountant's name for people.
const char* title_of(accountant by);

/// The cost of a ledger by one accountant.
struct accountant_price {
  named_accountant by;
  certified_bounds epsilon;
};

/// The cost of a ledger by each accountant.
std::vector<accountant_price> prices(const dplda::ledger& book, double delta);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/report/detail/accountants.ipp>
#endif

#endif

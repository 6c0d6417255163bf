// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_CALIBRATION_HPP
#define DPLDA_ACCOUNTING_CALIBRATION_HPP

// How much noise a budget requires, and how large a sample or how many steps it allows.
//
// Claim: the ledger made with the value returned costs at most the budget under the given accountant.
// Preconditions: make_ledger(x) returns the ledger of what will be done with x, and the same one at every call. The
//   claim does not need costs to rise with the rate and the steps and to fall with the noise; only the optimality of
//   the value does.
// Argument: the value returned was itself priced, and its price is within the budget; nothing is interpolated. For pld
//   and best, the search starts where the much cheaper rdp meets the budget, and uses wide bounds first: a lower bound
//   above the budget decides; otherwise the bounds are narrowed.
// Test: tests/accounting/calibration_test.cpp

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/detail/function_ref.hpp>

#include <cstdint>

namespace dplda::inline v0_1 {

struct calibration_options {
  /// The relative distance of the value from the best one. A number of steps is exact if this is less than one step.
  double tolerance = 1e-4;
  /// How far apart the bounds of pld may be. The default is that of ledger_epsilon and price, so they agree that the
  /// budget is met.
  pld_options accuracy = {};
};

/// The smallest noise multiplier z in [1e-6, 1e8] for which make_ledger(z) costs at most the budget. Throws
/// std::invalid_argument if there is none (the message says which budget could be met), and on an epsilon that is
/// negative or infinite, a delta outside [0, 1] or a tolerance outside (0, 1). The functions below throw likewise.
double smallest_noise(detail::function_ref<ledger(double)> make_ledger, const budget& target,
                      accountant rule = accountant::best, const calibration_options& options = {});

/// The largest sampling rate q in [1e-12, 1] for which make_ledger(q) costs at most the budget.
double largest_rate(detail::function_ref<ledger(double)> make_ledger, const budget& target,
                    accountant rule = accountant::best, const calibration_options& options = {});

/// The largest number of steps k in [1, 1e15] for which make_ledger(k) costs at most the budget.
std::uint64_t most_steps(detail::function_ref<ledger(std::uint64_t)> make_ledger, const budget& target,
                         accountant rule = accountant::best, const calibration_options& options = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/calibration.ipp>
#endif

#endif

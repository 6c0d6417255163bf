// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_EVENT_HPP
#define DPLDA_ACCOUNTING_EVENT_HPP

// What a release did to privacy, as plain values: which noise, on which part of the data, for which unit and
// neighbours. Events say what happened; accountants say what it cost.

#include <dplda/accounting/mechanisms.hpp>
#include <dplda/accounting/neighbours.hpp>
#include <dplda/accounting/sampling.hpp>

#include <string>

namespace dplda::inline v0_1 {

/// One use of one mechanism.
struct privacy_event {
  mechanism noise;
  dplda::sampling sampling = all_units{};
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// What was released, for the reader of a ledger; no accountant looks at it.
  std::string label = {};

  bool operator==(const privacy_event&) const = default;
};

/// Throws std::invalid_argument if the event has no meaning (a multiplier that is not positive, a rate outside (0, 1])
/// or if no accountant may price it: a sample of fixed size hides an exchanged unit, not an added one, and Poisson
/// samples under `replace` are analysed for Gaussian noise only.
void check(const privacy_event& event);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/event.ipp>
#endif

#endif

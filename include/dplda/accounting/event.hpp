// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_EVENT_HPP
#define DPLDA_ACCOUNTING_EVENT_HPP

// What a release did to privacy, as plain values: which noise, on which part of the data, for which unit and
// neighbours. Events say what happened; accountants say what it cost.

#include <dplda/accounting/mechanisms.hpp>
#include <dplda/accounting/neighbours.hpp>
#include <dplda/accounting/sampling.hpp>
#include <dplda/core/errors.hpp>

#include <string>
#include <variant>

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
inline void check(const privacy_event& event) {
  const char* const function = "check(privacy_event)";
  const bool under_replace = std::visit(
      [&]<class Mechanism>(const Mechanism& noise) {
        detail::mechanism_entry<Mechanism>::check(noise, function);
        return detail::HasPoissonReplacePair<Mechanism>;
      },
      event.noise);

  if (const auto* sample = std::get_if<poisson_sample>(&event.sampling)) {
    detail::require(sample->rate > 0 && sample->rate <= 1, function, "Poisson sampling rate", sample->rate,
                    "must lie in (0, 1]");
    detail::require(event.relation == neighbours::add_remove || under_replace, function, "Poisson sampling",
                    "combined with neighbours::replace",
                    "that pair is analysed for Gaussian noise only; use neighbours::add_remove");
  }
  if (const auto* sample = std::get_if<fixed_size_sample>(&event.sampling)) {
    detail::require(sample->size > 0 && sample->size <= sample->population, function, "size of the sample",
                    sample->size, detail::text("must lie in [1, ", sample->population, "], the population"));
    detail::require(event.relation == neighbours::replace, function, "a sample of fixed size",
                    "combined with neighbours::add_remove",
                    "its size tells the size of the corpus; use neighbours::replace or a Poisson sample");
  }
}

}  // namespace dplda::inline v0_1

#endif

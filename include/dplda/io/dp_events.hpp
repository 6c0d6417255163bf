// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DP_EVENTS_HPP
#define DPLDA_IO_DP_EVENTS_HPP

// Ledgers as the events of Google's dp_accounting, so that others can price ours and we theirs. Their DpEvent has the
// textual form of to_named_tuple: the module's and the class's name, and the fields. Here it is a JSON object:
//
//     {"module_name": "dp_accounting.dp_event", "class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01,
//      "event": {"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent", "noise_multiplier": 1.0}}
//
// Claim: what read_dp_events records costs at least as much as what the file describes.
// Preconditions: the file describes truthfully what was done to one data set; `unit` and `relation` are those of the
//   data. Under `replace`, the bounds on norms that it mentions are bounds on the contribution of one unit.
// Argument, event by event:
//   - Gaussian, Laplace: their multiplier is noise over a bound C on the norm of a unit's contribution. That is the
//     sensitivity if a unit is added or removed; if it is replaced, the sensitivity is at most 2 C, and the multiplier
//     is halved. (With Poisson samples under `replace`, our Gaussian event has the same meaning; sampling.hpp.)
//   - Discrete Gaussian: sigma over the sensitivity, halved likewise; zCDP does not depend on the dimension.
//   - Discrete Laplace: P(x)/P(x + d) <= e^{a |d|}, so it is (a C)-DP, twice that if a unit is replaced.
//   - Randomised response, (epsilon, delta): the same events here. No operation: nothing. Not private: nothing_proven.
//   - Poisson samples and samples without replacement of one event: the same samples here. Two events that share a
//     sample are not two samples, so they are refused.
// What has no such event is refused: so is a ledger under `replace`, because the events do not say what multipliers
// mean then, and their accountants differ by a factor of two; and discrete Gaussian noise, of which a ledger keeps the
// multiplier only, while theirs need sigma and sensitivity. So are random allocation and private selection.
// Test: tests/io/dp_events_test.cpp.

#include <dplda/accounting/ledger.hpp>
#include <dplda/io/json.hpp>

#include <filesystem>
#include <string>

namespace dplda::inline v0_1 {

/// A ledger as events of dp_accounting. Throws std::invalid_argument if they cannot say what the ledger says.
json_value to_dp_events(const ledger& book);

/// The ledger that events of dp_accounting describe; `name` stands for their file in messages. Throws parse_error, with
/// the event's class, if an event is unknown, invalid, or has no counterpart here for this relation.
ledger dp_events_from_json(const json_value& events, const std::string& name,
                           privacy_unit unit = privacy_unit::document, neighbours relation = neighbours::add_remove);

/// The same from a file. Throws parse_error also if the file cannot be read, or is not JSON.
ledger read_dp_events(const std::filesystem::path& path, privacy_unit unit = privacy_unit::document,
                      neighbours relation = neighbours::add_remove);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/dp_events.ipp>
#endif

#endif

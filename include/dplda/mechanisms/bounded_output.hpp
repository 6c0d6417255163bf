// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_BOUNDED_OUTPUT_HPP
#define DPLDA_MECHANISMS_BOUNDED_OUTPUT_HPP

// Claim: publish() is the Gaussian (or Laplace) mechanism on the sum of a few outputs, each an arbitrary function of a
//   part of the data, with noise of at least `noise_multiplier` times the sensitivity under the stated unit
//   and neighbours, followed by post-processing. The event that it writes says no more than that.
// Preconditions, which the caller owes:
//   - Each unit belongs to one part, and which one does not depend on other units. add() is called once for each part,
//     with a function of the units in it, of secret bits, and of public and released values. A single part with all of
//     the data is allowed. (Under `replace`, the new unit has the id, and so the part, of the unit that it replaces.)
//   - The random source is secret, and ChaCha20 under a secret key cannot be told from uniform independent bits: the
//     claim is computational in this one respect.
// Argument: neighbouring data, by `replace` or by `add_remove`, differ in the units of one part, so one output is
//   exchanged for another and all others stay as they are, given the bits. That is the accumulator's `replace`, with parts
//   for units: an output becomes integers of a norm of at most C without negative entries, checked on the integers, and
//   two of them are at most sqrt(2) C apart in l2, or 2 C in l1 (mechanisms/accumulator.hpp, steps 1 to 6). What holds
//   for each value of the bits holds on average. The event has the accumulator's noise and sensitivity, and the unit and
//   neighbours of the data; it is recorded before noise is drawn.
// Test: tests/mechanisms/bounded_output_test.cpp.

#include <dplda/mechanisms/accumulator.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// What is released: public, and fixed before a document is read.
struct bounded_output_options {
  /// Number of rows and of cells in each of them.
  std::size_t rows = 0;
  std::size_t row_size = 1;
  /// Bound on the norm of an output, l2 with Gaussian and l1 with Laplace noise; longer ones are clipped to it.
  double norm = 1;
  /// Noise divided by the sensitivity, which is sqrt(2) norm in l2 and 2 norm in l1.
  double noise_multiplier = 0;
  noise_kind noise = noise_kind::gaussian;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::replace;
  /// The number of outputs that are added up; public.
  std::uint64_t parts = 1;
  /// The name of the release in the ledger.
  std::string label = {};

  /// The event of one release. Nothing is checked: planners price many multipliers before they choose one.
  privacy_event event() const {
    return accumulator_options{
        .noise_multiplier = noise_multiplier, .noise = noise, .unit = unit, .relation = relation, .label = label}
        .event();
  }

  bool operator==(const bounded_output_options&) const = default;
};

/// A bounded output before it is computed: options, the integers that follow from them, and what a release will cost.
class bounded_output_plan {
 public:
  /// Throws std::invalid_argument as accumulator_plan does: no cells, a norm outside [1e-100, 1e100], a multiplier that
  /// is not positive or too large for its integers, parts outside [1, 2^48].
  explicit bounded_output_plan(bounded_output_options options)
      : options_(std::move(options)),
        sums_({.rows = options_.rows,
               .row_size = options_.row_size,
               .clip = options_.norm,
               .noise_multiplier = options_.noise_multiplier,
               .noise = options_.noise,
               .unit = options_.unit,
               .relation = neighbours::replace,
               .max_units = options_.parts}) {}

  const bounded_output_options& options() const noexcept { return options_; }
  std::size_t cells() const noexcept { return sums_.cells(); }
  /// The standard deviation (for Laplace noise, the scale) of the noise on each released cell.
  double noise() const noexcept { return sums_.noise(); }
  /// The event that a release writes.
  privacy_event event() const { return options_.event(); }
  /// The sums of parts.
  const accumulator_plan& sums() const noexcept { return sums_; }

 private:
  bounded_output_options options_;
  accumulator_plan sums_;
};

/// Releases the outputs of black-box functions, summed over disjoint parts of the data.
///
///   dplda::bounded_output sums({.rows = words, .row_size = topics, .norm = 1, .noise_multiplier = 4});
///   sums.add(values);                       // whatever was computed from all documents
///   std::vector<double> noisy = sums.publish(random, spent);
class bounded_output {
 public:
  /// No outputs yet.
  explicit bounded_output(bounded_output_plan plan)
      : plan_(std::move(plan)), sums_(plan_.sums()), rows_(plan_.options().rows) {
    std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
  }
  /// No outputs yet, for the plan with these options. Throws as bounded_output_plan does.
  explicit bounded_output(bounded_output_options options) : bounded_output(bounded_output_plan(std::move(options))) {}

  const bounded_output_plan& plan() const noexcept { return plan_; }
  const bounded_output_options& options() const noexcept { return plan_.options(); }
  std::size_t cells() const noexcept { return plan_.cells(); }
  /// The standard deviation (for Laplace noise, the scale) of the noise on each released cell.
  double noise() const noexcept { return plan_.noise(); }

  /// Adds the output of one part, row by row. Negative values count as zero; an output with a value that is not finite
  /// counts as zero. Throws std::logic_error unless there are cells() values, or if there are more outputs than parts.
  void add(std::span<const double> values) {
    if (added_ == options().parts) throw std::logic_error("dplda::bounded_output: more outputs than parts");
    sums_.add(std::span<const std::uint32_t>(rows_), values);
    ++added_;
  }

  /// Writes the noisy sum to `sums` and the event to the ledger, and forgets the outputs. The result does not depend on
  /// the number of threads. Throws std::invalid_argument if `sums` does not have cells() elements or the ledger
  /// refuses the event; then nothing was released or recorded.
  template <std::floating_point Real>
  void publish(random_source& random, ledger& spent, std::span<Real> sums, std::size_t threads = 1) {
    detail::require_one_process("bounded_output::publish", random);
    detail::require(sums.size() == cells(), "bounded_output::publish", "size of the result", sums.size(),
                    detail::text("must be the number of cells, ", cells()));
    spent.record(plan_.event());
    ledger inner;  // its units are parts, so only its seed mark is kept
    sums_.publish(random, inner, sums, threads);
    added_ = 0;
    if (inner.seeded()) spent.mark_seeded();
  }

  std::vector<double> publish(random_source& random, ledger& spent, std::size_t threads = 1) {
    std::vector<double> sums(cells());
    publish(random, spent, std::span(sums), threads);
    return sums;
  }

 private:
  bounded_output_plan plan_;
  accumulator sums_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t added_ = 0;
};

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_ACCUMULATOR_PLAN_HPP
#define DPLDA_MECHANISMS_ACCUMULATOR_PLAN_HPP

// The options of an accumulator (mechanisms/accumulator.hpp has its claim), and the integers that follow from them.
//
// Claim: noise of 2^scale_bits() is at least noise_multiplier times the sensitivity of a sum of integer vectors of norm
//   at most bound(), under the stated neighbours; sums of max_units of them and their noise stay within 64 bits.
// Preconditions: options are public.
// Argument: steps 2 and 4 of the accumulator's argument; fits() below for the range.
// Test: tests/mechanisms/accumulator_test.cpp.

#include <dplda/accounting/event.hpp>
#include <dplda/mechanisms/detail/quantise.hpp>
#include <dplda/random/floored_gaussian.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

namespace dplda::inline v0_1 {

/// Which noise a release adds, and with it the norm that bounds a unit's contribution: Gaussian noise goes with the l2
/// norm, Laplace noise with the l1 norm. The discrete Gaussian is for comparison: only zero-concentrated privacy is
/// proven for it, as its noise is drawn on the integers, and step 3 of accumulator.hpp does not apply.
enum class noise_kind { gaussian, laplace, discrete_gaussian };

/// Whether contributions may have negative entries. If not, negative values count as zero.
enum class value_signs { non_negative, any };

/// What an accumulator sums, and with how much noise: public, and fixed before a document is read.
struct accumulator_options {
  /// Number of rows (words, say) and of cells in each of them (topics, say).
  std::size_t rows = 0;
  std::size_t row_size = 1;
  /// Bound on the norm of a unit's contribution, in [1e-100, 1e100]; longer ones are clipped to it.
  double clip = 1;
  /// Noise divided by sensitivity.
  double noise_multiplier = 0;
  noise_kind noise = noise_kind::gaussian;
  value_signs signs = value_signs::non_negative;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  dplda::sampling sampling = all_units{};
  /// A public bound on the number of units that contribute. Beyond it sums may wrap around: privacy holds, but the
  /// result is meaningless.
  std::uint64_t max_units = std::uint64_t{1} << 24;
  /// The noise is 2^scale_bits in integer units; 0: the largest at which sums of max_units units cannot wrap.
  int scale_bits = 0;
  /// The name of the release in the ledger.
  std::string label = {};

  /// The event of one release. Nothing is checked: planners price many multipliers before they choose one.
  privacy_event event() const {
    const auto drawn = [&]() -> mechanism {
      if (noise == noise_kind::laplace) return laplace_noise{noise_multiplier};
      if (noise == noise_kind::discrete_gaussian) return discrete_gaussian_noise{noise_multiplier};
      return gaussian_noise{noise_multiplier};
    };
    return {drawn(), sampling, unit, relation, label};
  }

  bool operator==(const accumulator_options&) const = default;
};

/// An accumulator before it is filled: checked options and the integers that follow from them. It has no table, so a plan
/// for many topics of many words costs nothing.
///
///   const dplda::accumulator_plan lengths({.rows = 5, .noise_multiplier = 20, .label = "lengths"});
///   planned.record(lengths.event());   // what it will cost
///   dplda::accumulator sums(lengths);  // and later, the sums themselves
class accumulator_plan {
 public:
  /// Throws std::invalid_argument if the noise multiplier or the clip norm is out of range, if there are no
  /// cells, if no scale fits max_units, or if the event could not be priced (see check(privacy_event)).
  explicit accumulator_plan(accumulator_options options)
      : options_(std::move(options)), bits_(chosen_bits(checked(options_))), bound_(integer_bound(options_, bits_)) {
    detail::require(bound_ >= 1, "accumulator", "noise multiplier", options_.noise_multiplier,
                    detail::text("must be lower: the clip norm is below one unit at a noise of 2^", bits_));
    detail::require(fits(options_, bits_), "accumulator", "scale_bits", bits_,
                    detail::text("must be small enough for sums of ", options_.max_units,
                                 " units to stay below 2^62, and an integer bound of at most 2^55"));
    check(event());
  }

  const accumulator_options& options() const noexcept { return options_; }
  std::size_t cells() const noexcept { return options_.rows * options_.row_size; }

  /// The bound on the norm of a unit's contribution in integer units: C of the argument.
  std::uint64_t bound() const noexcept { return bound_; }
  /// The size of one integer unit in the scale of the contributions.
  double unit_size() const noexcept { return options_.clip / static_cast<double>(bound_); }
  /// The noise is 2^scale_bits() in integer units.
  int scale_bits() const noexcept { return bits_; }
  /// The standard deviation (for Laplace noise, the scale) of the noise on each released cell.
  double noise() const noexcept { return std::ldexp(unit_size(), bits_); }

  /// The event that a release writes.
  privacy_event event() const { return options_.event(); }

  /// The same plan with changed options: `change` modifies a copy of them. Throws as the constructor does.
  template <class Change>
  accumulator_plan with(const Change& change) const {
    accumulator_options changed = options_;
    change(changed);
    return accumulator_plan(std::move(changed));
  }

  bool operator==(const accumulator_plan&) const = default;

 private:
  static const accumulator_options& checked(const accumulator_options& o) {
    const char* const function = "accumulator";
    const auto positive = [](double x) { return x > 0 && x <= std::numeric_limits<double>::max(); };
    detail::require(o.rows > 0 && o.row_size > 0, function, "number of cells", 0, "must be at least 1");
    detail::require(o.rows <= std::uint64_t{1} << 32 && o.row_size <= (std::size_t{1} << 60) / o.rows, function,
                    "number of rows", o.rows, "must be at most 2^32, and rows times row_size at most 2^60");
    detail::require(o.clip >= 1e-100 && o.clip <= 1e100, function, "clip", o.clip, "must lie in [1e-100, 1e100]");
    detail::require(positive(o.noise_multiplier), function, "noise multiplier", o.noise_multiplier,
                    "must be positive and finite");
    detail::require(o.max_units > 0 && o.max_units <= std::uint64_t{1} << 48, function, "max_units", o.max_units,
                    "must lie in [1, 2^48]");
    detail::require(o.scale_bits >= 0 && o.scale_bits <= floored_gaussian_max_bits, function, "scale_bits",
                    o.scale_bits, "must lie in [1, 55], or be 0 for the largest that fits");
    return o;
  }

  // Sensitivity divided by the bound on a unit's norm (step 2 of the argument).
  static double sensitivity_factor(const accumulator_options& o) {
    if (o.relation == neighbours::add_remove) return 1;
    const bool sampled_by_coins = std::holds_alternative<poisson_sample>(o.sampling);
    const bool l2 = o.noise != noise_kind::laplace;
    return l2 && o.signs == value_signs::non_negative && !sampled_by_coins ? 0x1.6a09e667f3bcdp0 : 2;
  }

  static std::uint64_t integer_bound(const accumulator_options& o, int bits) {
    const double bound = std::ldexp(1 - 0x1p-50, bits) / (o.noise_multiplier * sensitivity_factor(o));
    return bound < 0x1p62 ? static_cast<std::uint64_t>(bound) : std::uint64_t{1} << 62;
  }

  // Bounds of at most 2^55, whose squares can be added up in 128 bits, and sums of max_units bounds and noise of 2^5
  // standard deviations below 2^62.
  static bool fits(const accumulator_options& o, int bits) {
    const std::uint64_t bound = integer_bound(o, bits);
    const detail::uint128 sums = detail::uint128{o.max_units} * bound + (detail::uint128{1} << (bits + 5));
    return bound <= std::uint64_t{1} << 55 && sums < detail::uint128{1} << 62;
  }

  static int chosen_bits(const accumulator_options& o) {
    int bits = o.scale_bits > 0 ? o.scale_bits : floored_gaussian_max_bits;
    while (o.scale_bits == 0 && bits > 1 && !fits(o, bits)) --bits;
    return bits;
  }

  accumulator_options options_;
  int bits_;
  std::uint64_t bound_;
};

}  // namespace dplda::inline v0_1

#endif

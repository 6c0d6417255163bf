// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_OWN_ANALYSIS_HPP
#define DPLDA_ACCOUNTING_OWN_ANALYSIS_HPP

// Mechanisms of the user's own: of which a dominating pair of laws is known, or points of a Renyi curve. Their entries
// in the table are in mechanisms.hpp.
//
// Claim: what is returned holds for every mechanism of which the pair or the points say the truth.
// Preconditions: the pair, or the points, were derived for the neighbours and the unit of the event.
//   - dominating_pair: for any corpora D and D + unit, the laws of the outputs on D + unit and on D are images of
//     (with, without) under one random map, which may depend on D and the unit. So are, for instance, the two laws of
//     the outputs themselves. Under `replace`, of the two laws for any two corpora that differ in one unit, in either
//     order; the pair must then be its own mirror image.
//   - renyi_curve: the divergences hold in both directions.
// Argument:
//   - Images have smaller divergences of every kind (post-processing), and are mixed as the pair is: on a Poisson
//     sample, given the rest of it, the laws are images of ((1 - q) without + q with, without), and divergences are
//     jointly convex. So the pair's Renyi divergences are sums over its outcomes, in both directions.
//   - A pair with outcomes that only one law has is (epsilon, delta)-DP, epsilon the largest finite loss and delta the
//     larger mass of such outcomes; its Renyi divergences are those of any such mechanism (rdp_curves.hpp).
//   - Laws that are cut off are images of those with one more outcome for each, which only that law has: draw from what
//     was cut off. Sums that are not 1 are refused, because dividing by them would forget that mass.
//   - The numbers of a pair are divided by their sums, with an error below 6 ulps for each; losses are off by at most
//     `own_pair_error`, which multiplies a likelihood ratio to the power alpha by at most e^(alpha own_pair_error).
//   - (alpha - 1) D_alpha is convex and 0 at 1, so chords between points are above it, and D_alpha does not fall; beyond
//     the last order nothing is known. A group of 2^c units: Mironov, Renyi differential privacy, 2017, Proposition 2.
// Test: tests/accounting/own_analysis_test.cpp

#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Numbers of an event. A value; copies share the numbers, which never change.
class number_list {
 public:
  number_list() = default;
  number_list(std::vector<double> numbers)
      : numbers_(std::make_shared<const std::vector<double>>(std::move(numbers))) {}
  number_list(std::initializer_list<double> numbers) : number_list(std::vector<double>(numbers)) {}

  const std::vector<double>& numbers() const {
    static const std::vector<double> none;
    return numbers_ ? *numbers_ : none;
  }
  std::size_t size() const { return numbers().size(); }
  double operator[](std::size_t i) const { return numbers()[i]; }
  void append_bits(std::vector<std::uint64_t>& bits) const;

  bool operator==(const number_list& other) const { return numbers() == other.numbers(); }

 private:
  std::shared_ptr<const std::vector<double>> numbers_;
};

/// A mechanism that this pair of laws on finitely many outcomes dominates. Each list is divided by its sum, which must
/// be 1 but for rounding: within (n + 16) 2^-53 for n outcomes. If laws have more outcomes and are cut off, what is left
/// of each law must be an outcome that only this law has: an outcome of both would hide how they differ there.
struct dominating_pair {
  number_list with;     ///< the probability of each outcome with the unit
  number_list without;  ///< and without it
  bool operator==(const dominating_pair&) const = default;
};

/// A mechanism whose Renyi divergence of each of these orders, in both directions, is at most the divergence beside it.
struct renyi_curve {
  number_list orders;  ///< above 1, ascending
  number_list divergences;
  bool operator==(const renyi_curve&) const = default;
};

namespace detail {

/// A bound on the errors of losses that come from dividing by the sums.
inline constexpr double own_pair_error = 16 * ulp;

void check_pair(const dominating_pair& pair, const char* function);
void check_curve(const renyi_curve& curve, const char* function);

/// Whether exchanging the laws gives the same pairs of numbers, bit for bit.
bool is_mirror_image(const dominating_pair& pair);
base_pair base_of(const dominating_pair& pair);
/// The largest finite loss, rounded up.
double largest_loss_of(const dominating_pair& pair);
/// The larger mass of outcomes that only one law has, rounded up.
double one_sided_mass(const dominating_pair& pair);
/// The log moment of order alpha on a Poisson sample (rate 1: on all units), in the worse direction.
double pair_log_moment(const dominating_pair& pair, double rate, double alpha);

/// The divergence of order alpha; infinite beyond the last order.
double divergence_of(const renyi_curve& curve, double alpha);
double epsilon_of(const renyi_curve& curve, double delta);
/// The curve for a group; no orders are left if all are too small.
renyi_curve curve_for_group(const renyi_curve& curve, std::uint64_t size);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/own_analysis.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_TRADE_OFF_HPP
#define DPLDA_ACCOUNTING_TRADE_OFF_HPP

// What a ledger promises, as a curve: delta at every epsilon, and what follows for somebody who guesses whether a unit
// was there.
//
// Claim: let delta(epsilon) be the smallest delta of the ledger at epsilon, and f the trade-off function that says the
//   same, f(a) = sup over epsilon >= 0 of max(0, 1 - delta(epsilon) - e^epsilon a, e^-epsilon (1 - delta(epsilon) - a))
//   (Dong, Roth and Su, Gaussian differential privacy, 2022, Proposition 6). Then missed(a) has bounds on f(a): no
//   test with at most a false alarms in the mean misses less than its lower bound. right_guess and believed: see there.
//   gaussian() is a description, not a bound.
// Preconditions: those of the ledger's accountant (accountant.hpp).
// Argument:
//   - Below: every (epsilon, delta) that holds gives two lines below f; the points of the curve are tried.
//   - Above: at a point, lower bounds on delta take the place of upper ones. Between neighbouring points, delta is a
//     convex function of e^epsilon, so it lies above the continuations of the chords on both sides (with the bounds of
//     the ends on their safe sides), and above its lower bound at the right end. Each line is linear in e^epsilon (or,
//     times e^epsilon, in e^-epsilon), so its largest value lies at an end, or where these bounds cross; at the
//     crossing the smaller of the two continuations is not used, which leaves the value too large. Beyond the last
//     point, delta >= 0.
//   - Sums of a few terms of size at most 1 + e^epsilon a: 64 libm ulps of them are added or taken off.
// Test: tests/accounting/trade_off_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/bounds.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// A point of the curve.
struct curve_point {
  double epsilon;
  certified_bounds delta;
};

/// The Gaussian mechanisms that a curve resembles: at every point, delta is that of a mechanism with mu (sensitivity
/// over noise) within `error` of `mu`.
struct gaussian_fit {
  double mu, error;
};

/// The privacy curve of a ledger, and what follows from it.
class trade_off_curve {
 public:
  /// The curve at `points` epsilons from 0 to where delta is about `least_delta` (or, where opaque events set delta
  /// aside, to where it hardly falls any further). Throws std::invalid_argument if points is below 2 or above 100000,
  /// or least_delta outside (0, 1).
  explicit trade_off_curve(composed_loss& loss, std::size_t points = 200, double least_delta = 1e-9);

  std::span<const curve_point> points() const noexcept { return points_; }

  /// Bounds on the trade-off function: the smallest probability with which a test misses the unit, if it raises a false
  /// alarm with probability `false_alarms`. Throws std::invalid_argument if that is outside [0, 1].
  certified_bounds missed(double false_alarms) const;

  /// The largest probability of the unit's presence that somebody believes in after the release, having started from
  /// `prior`, except with probability `exception` over the noise if the unit was there: an upper bound. Argument:
  /// delta(e) >= (1 - e^{e - x}) P(loss > x), so the loss exceeds e - log(1 - delta(e)/exception) with a probability of
  /// at most `exception`. Throws std::invalid_argument if prior is outside [0, 1], or exception outside (0, 1].
  double believed(double prior, double exception) const;

  /// The Gaussian mechanisms that the curve resembles, over the points with a delta of 1e-300 to 0.99; mu is infinite
  /// where some point has no such mechanism.
  gaussian_fit gaussian() const;

 private:
  std::vector<curve_point> points_;
};

/// Bounds on the chance that the best guess whether the unit was there is right, if before the release it was there with
/// probability `prior`. Without any release it is max(prior, 1 - prior). Argument: for p <= 1/2 the best guess is right
/// with probability (1 - p) + p delta(log((1 - p)/p)), and likewise for 1 - p. Throws std::invalid_argument if prior is
/// outside [0, 1].
certified_bounds right_guess(composed_loss& loss, double prior);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/trade_off.ipp>
#endif

#endif

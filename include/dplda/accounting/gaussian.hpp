// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_GAUSSIAN_HPP
#define DPLDA_ACCOUNTING_GAUSSIAN_HPP

// The Gaussian mechanism, exactly.
//
// Claim: noise of standard deviation z times the l2 sensitivity is (epsilon, delta)-DP if and only if
//   delta >= Phi(1/(2z) - epsilon z) - e^epsilon Phi(-1/(2z) - epsilon z)
// (Balle and Wang, Improving the Gaussian mechanism, 2018, Theorem 8). gaussian_log_delta and gaussian_delta return no
// less than the right side; gaussian_epsilon and gaussian_multiplier return no less than the inequality requires.
// Preconditions: z is the noise over the sensitivity under the neighbours of the guarantee.
// Argument: with u = epsilon z - 1/(2z), v = epsilon z + 1/(2z) and Mills' ratio R, the right side is
// phi(u) (R(u) - R(v)). A small difference is integrated from -R' > 0 and a value near 1 is computed from its
// complement, so nothing cancels; everything is in logarithms. These margins are added to log delta:
//   - 4 v (|u| + 2) ulps: u and v are rounded, by at most an ulp of v.
//   - 25 libm ulps: a Mills ratio of two functions errs by 2 libm + 8 ulps, a difference R(u) - R(v) or 1 - t R(t) by
//     up to 8.4 times as much (at u = 1, v = 3/2), and by less where it comes from a continued fraction.
//   - libm + 2 ulps of the logarithm of the difference, for the function and the roundings of the sum.
// Near 1 the sum of the first two lowers the complement instead. Inverses return the end of a bracket at which the
// raised value was computed and satisfies the inequality.
// Test: tests/accounting/gaussian_test.cpp

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace dplda::inline v0_1 {

/// log of the smallest delta for which the mechanism is (epsilon, delta)-DP, rounded up. Correct even where delta
/// itself would underflow. Throws std::invalid_argument if multiplier or epsilon is negative or NaN; 0 and infinity are
/// allowed.
inline double gaussian_log_delta(double multiplier, double epsilon) {
  const char* const function = "gaussian_log_delta";
  detail::require(multiplier >= 0, function, "multiplier", multiplier, "must be at least 0");
  detail::require_epsilon(epsilon, function);
  if (multiplier == detail::infinite || epsilon == detail::infinite) return -detail::infinite;
  const double half_step = 0.5 / multiplier;
  if (half_step == detail::infinite) return 0;
  const double shift = std::min(epsilon * multiplier, 1e300), u = shift - half_step, v = shift + half_step,
               step = 2 * half_step;
  const double error = detail::ulp * (25 * detail::libm + 4 * v * (std::abs(u) + 2));
  if (u > 1e100) {
    // Squares may overflow here, and the bound phi(u) (R(u) - R(v)) < exp(-u^2/2) is sharp enough.
    const double less = std::clamp(u - 4 * detail::ulp * v, 0.0, 1e154);
    return -less * less / 2;
  }
  const bool near = step <= 0.5 * std::max(1.0, u);
  double log_delta = 0;
  if (near || u > 0) {
    const double drop = near ? detail::mills_drop(u, step) : detail::mills_ratio(u) - detail::mills_ratio(v);
    const double log_drop = std::log(drop);
    log_delta =
        -u * u / 2 - detail::log_sqrt_two_pi + log_drop + error + (detail::libm + 2) * detail::ulp * std::abs(log_drop);
  } else {
    const double density = std::exp(-u * u / 2 - detail::log_sqrt_two_pi);
    const double rest = std::erfc(-u * detail::sqrt_half) / 2 + density * detail::mills_ratio(v);
    // Below the smallest normal number an ulp is the smallest number itself.
    const double underflow = 8 * detail::libm * std::numeric_limits<double>::denorm_min();
    log_delta = std::log1p(-std::max(0.0, rest * (1 - error) - underflow));
  }
  return std::clamp(log_delta, -std::numeric_limits<double>::max(), 0.0);
}

/// The smallest delta for which the mechanism is (epsilon, delta)-DP, rounded up (so never 0 for finite arguments).
/// Throws as gaussian_log_delta.
inline double gaussian_delta(double multiplier, double epsilon) {
  return detail::probability_above(gaussian_log_delta(multiplier, epsilon));
}

/// The smallest epsilon for which the mechanism is (epsilon, delta)-DP, rounded up within 1e-13 of itself; infinite at
/// delta = 0. Throws std::invalid_argument if multiplier is negative or NaN, or delta outside [0, 1].
inline double gaussian_epsilon(double multiplier, double delta) {
  const char* const function = "gaussian_epsilon";
  detail::require(multiplier >= 0, function, "multiplier", multiplier, "must be at least 0");
  detail::require_delta(delta, function);
  if (delta == 1 || multiplier == detail::infinite) return 0;
  const double wanted = detail::log_below(delta);
  const auto excess = [&](double epsilon) { return gaussian_log_delta(multiplier, epsilon) - wanted; };
  const double at_zero = excess(0);
  if (at_zero <= 0) return 0;
  if (delta == 0 || 0.5 / multiplier == detail::infinite) return detail::infinite;
  // The epsilon rho + 2 sqrt(rho log(1/delta)) of rho = 1/(2 z^2) is above the root.
  const double root_rho = detail::sqrt_half / multiplier;
  double hi = detail::raised(root_rho * (root_rho + 2 * std::sqrt(-wanted)));
  double at_hi = excess(hi);
  while (at_hi > 0 && hi < detail::infinite) at_hi = excess(hi *= 2);
  return detail::fulfilling_end(excess, 0, at_zero, hi, at_hi, 1e-13);
}

/// The smallest noise multiplier for which the mechanism is (epsilon, delta)-DP, rounded up within 1e-13 of itself;
/// infinite at delta = 0. Throws std::invalid_argument if epsilon is negative or NaN, or delta outside [0, 1].
inline double gaussian_multiplier(double epsilon, double delta) {
  const char* const function = "gaussian_multiplier";
  detail::require_epsilon(epsilon, function);
  detail::require_delta(delta, function);
  if (delta == 1 || epsilon == detail::infinite) return 0;
  if (delta == 0) return detail::infinite;
  const double wanted = detail::log_below(delta);
  const auto excess = [&](double multiplier) { return gaussian_log_delta(multiplier, epsilon) - wanted; };
  // Two multipliers that are large enough: one from delta <= phi(0)/z, one from the largest rho of the budget.
  const double root_log = std::sqrt(-wanted);
  double hi = std::min(1 / (delta * std::sqrt(2 * std::acos(-1.0))),
                       detail::sqrt_half * (std::sqrt(epsilon - wanted) + root_log) / epsilon);
  hi = detail::raised(hi);
  if (hi == detail::infinite) return hi;
  double at_hi = excess(hi);
  while (at_hi > 0) at_hi = excess(hi *= 1.0625);
  double lo = hi / 2, at_lo = excess(lo);
  while (at_lo <= 0) {
    hi = lo;
    at_hi = at_lo;
    at_lo = excess(lo /= 2);
  }
  return detail::fulfilling_end(excess, lo, at_lo, hi, at_hi, 1e-13);
}

/// `count` Gaussian mechanisms of one multiplier.
struct repeated_gaussian {
  double multiplier;
  std::uint64_t count = 1;
};

/// The composition of Gaussian mechanisms is one Gaussian mechanism. Returns its multiplier, 1/z^2 = sum count_i /
/// z_i^2, rounded down; infinite without parts. Throws std::invalid_argument on a multiplier that is not positive.
inline double composed_gaussian_multiplier(std::span<const repeated_gaussian> parts) {
  detail::require_rounding_to_nearest("composed_gaussian_multiplier");
  double least = detail::infinite;
  for (const repeated_gaussian& part : parts) {
    detail::require(part.multiplier > 0, "composed_gaussian_multiplier", "multiplier", part.multiplier,
                    "must be positive");
    if (part.count > 0) least = std::min(least, part.multiplier);
  }
  if (least == detail::infinite) return least;
  double sum = 0;
  for (const repeated_gaussian& part : parts) {
    const double share = least / part.multiplier;
    sum += static_cast<double>(part.count) * share * share;
  }
  return detail::lowered(least / std::sqrt(sum), 8 + static_cast<double>(parts.size()));
}

/// sqrt(2 log(1.25/delta)) / epsilon, the textbook multiplier (Dwork and Roth, The algorithmic foundations of
/// differential privacy, Theorem A.1), rounded up. It is proven only for epsilon < 1, where it is larger than
/// gaussian_multiplier. Throws std::invalid_argument if epsilon is not positive, delta outside (0, 1), or, with
/// basis::proven, epsilon >= 1. With basis::as_published the formula is evaluated for any epsilon, but for epsilon >= 1
/// the result is not a guarantee: at epsilon = 10, delta = 1e-5 it gives 0.484, where 0.4999 is needed.
inline double classic_gaussian_multiplier(double epsilon, double delta, basis claimed = basis::proven) {
  const char* const function = "classic_gaussian_multiplier";
  detail::require_rounding_to_nearest(function);
  detail::require(epsilon > 0, function, "epsilon", epsilon, "must be positive");
  detail::require(delta > 0 && delta < 1, function, "delta", delta, "must lie in (0, 1)");
  detail::require(claimed == basis::as_published || epsilon < 1, function, "epsilon", epsilon,
                  "must be below 1, where the formula is proven; use gaussian_multiplier");
  return detail::raised(std::sqrt(2 * (std::log(1.25) - std::log(delta))) / epsilon);
}

}  // namespace dplda::inline v0_1

#endif

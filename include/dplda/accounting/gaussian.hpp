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

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <cstdint>
#include <span>

namespace dplda::inline v0_1 {

/// log of the smallest delta for which the mechanism is (epsilon, delta)-DP, rounded up. Correct even where delta
/// itself would underflow. Throws std::invalid_argument if multiplier or epsilon is negative or NaN; 0 and infinity are
/// allowed.
double gaussian_log_delta(double multiplier, double epsilon);

/// The smallest delta for which the mechanism is (epsilon, delta)-DP, rounded up (so never 0 for finite arguments).
/// Throws as gaussian_log_delta.
double gaussian_delta(double multiplier, double epsilon);

/// The smallest epsilon for which the mechanism is (epsilon, delta)-DP, rounded up within 1e-13 of itself; infinite at
/// delta = 0. Throws std::invalid_argument if multiplier is negative or NaN, or delta outside [0, 1].
double gaussian_epsilon(double multiplier, double delta);

/// The smallest noise multiplier for which the mechanism is (epsilon, delta)-DP, rounded up within 1e-13 of itself;
/// infinite at delta = 0. Throws std::invalid_argument if epsilon is negative or NaN, or delta outside [0, 1].
double gaussian_multiplier(double epsilon, double delta);

/// `count` Gaussian mechanisms of one multiplier.
struct repeated_gaussian {
  double multiplier;
  std::uint64_t count = 1;
};

/// The composition of Gaussian mechanisms is one Gaussian mechanism. Returns its multiplier, 1/z^2 = sum count_i /
/// z_i^2, rounded down; infinite without parts. Throws std::invalid_argument on a multiplier that is not positive.
double composed_gaussian_multiplier(std::span<const repeated_gaussian> parts);

/// sqrt(2 log(1.25/delta)) / epsilon, the textbook multiplier (Dwork and Roth, The algorithmic foundations of
/// differential privacy, Theorem A.1), rounded up. It is proven only for epsilon < 1, where it is larger than
/// gaussian_multiplier. Throws std::invalid_argument if epsilon is not positive, delta outside (0, 1), or, with
/// basis::proven, epsilon >= 1. With basis::as_published the formula is evaluated for any epsilon, but for epsilon >= 1
/// the result is not a guarantee: at epsilon = 10, delta = 1e-5 it gives 0.484, where 0.4999 is needed.
double classic_gaussian_multiplier(double epsilon, double delta, basis claimed = basis::proven);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/gaussian.ipp>
#endif

#endif

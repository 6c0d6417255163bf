// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_BINOMIAL_HPP
#define DPLDA_ACCOUNTING_DETAIL_BINOMIAL_HPP

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <cmath>

namespace dplda::inline v0_1::detail {

/// log n! - log(sqrt(2 pi n) (n/e)^n) for an integer n >= 1; within 1e-16.
inline double stirling_error(double n) {
  constexpr double small[] = {0.08106146679532725822,  0.04134069595540929409,  0.02767792568499833915,
                              0.02079067210376509311,  0.01664469118982119216,  0.01387612882307074800,
                              0.01189670994589177010,  0.01041126526197209650,  0.009255462182712732918,
                              0.008330563433362871256, 0.007573675487951840795, 0.006942840107209529866,
                              0.006408994188004207068, 0.005951370112758847736, 0.005554733551962801371};
  if (n <= 15) return small[static_cast<int>(n) - 1];
  const double s = 1 / (n * n);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - (1.0 / 1188 - s * 691 / 360360) * s) * s) * s) * s) / n;
}

/// x log(x / mean) + mean - x >= 0; x >= 0, mean > 0. Within 3 * libm + 4 ulps of itself: where the logarithm is taken,
/// x is at least three times the mean or at most a third of it, and the value at least 0.39 of x |log(x / mean)|.
inline double deviance(double x, double mean) {
  if (x == 0) return mean;
  const double d = x - mean;
  if (std::abs(d) >= 0.5 * (x + mean)) return x * std::log(x / mean) - d;
  // With v = d/(x + mean): log(x/mean) = 2 artanh v, and x = (1 + v)(x + mean)/2.
  const double v = d / (x + mean), square = v * v;
  double power = 2 * x * v, sum = d * v;
  for (int j = 3; j < 100; j += 2) {
    power *= square;
    const double next = sum + power / j;
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

/// log of the probability of x successes in n trials of success probability p and failure probability q = 1 - p, by the
/// saddle-point form of Loader (Fast and accurate computation of binomial probabilities, 2000): its error does not grow
/// with n. `error` receives a bound on its absolute error when p and q are right within libm + 2 ulps.
inline double log_binomial(double x, double n, double p, double q, double& error) {
  if (x == 0 || x == n) {
    const double certain = x == 0 ? q : p, other = x == 0 ? p : q;
    const double value = n * (other < 0.5 ? std::log1p(-other) : std::log(certain));
    // The function and the product; and the errors of p and q, which count at most twice where other < 1/2.
    error = ulp * ((libm + 2) * std::abs(value) + 2 * (libm + 2) * n * (other < 0.5 ? other : 1));
    return value;
  }
  const double up = deviance(x, n * p), down = deviance(n - x, n * q);
  const double over = 0.5 * std::log(n / x), under = 0.5 * std::log(n - x);
  // The deviances, the logarithms, and eight roundings of the sum. d deviance(x, mean) / d log mean = mean - x, so an
  // ulp of p costs that many ulps.
  error = ulp * ((3 * libm + 8) * (up + down) + (libm + 4) * (1 + std::abs(over) + std::abs(under)) +
                 (libm + 4) * (std::abs(x - n * p) + std::abs(n - x - n * q)));
  return stirling_error(n) - stirling_error(x) - stirling_error(n - x) - up - down - log_sqrt_two_pi + (over - under);
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_REPLACED_GAUSSIAN_HPP
#define DPLDA_ACCOUNTING_DETAIL_REPLACED_GAUSSIAN_HPP

// The moments of two Gaussian mixtures that lie on opposite sides: P, Q = (1 - q) N(0, 1) + q N(+-c, 1), the pair of
// Poisson samples under `replace` (pld_pair.hpp). Its hockey-stick divergences dominate, so its Renyi divergences do.
//
// With w = q e^{-c^2/2}, M = 1 - q + w e^{cx}, N = 1 - q + w e^{-cx} and r = M/N, the excess of the moment of order a is
// the integral I of f = phi N (r^a - 1 - a (r - 1)) >= 0. By Taylor's formula f = phi 4 w^2 sinh(cx)^2 W / N, where W is
// the integral of a (a - 1)(1 - t)(1 + t (r - 1))^(a - 2) over t in [0, 1].
//
// The trapezoidal rule. Let |y| <= s < pi/(2c). At x + iy, M, N and (1 - t) N + t M have at most their absolute values
// at x and at least cos(cs) times these, and |sinh|^2 = sinh(cx)^2 + sin(cy)^2. So the integral of |f| is at most
// e^{s^2/2} cos(cs)^{-max(1, a - 1)} (I + sin(cs)^2 J), where J is I without the factor sinh^2. J is at most I/sinh(c)^2
// over |x| > 1. On [-1, 1] it is at most e^4 times J on [1, 3] where a >= 2, as W and 1/N rise with x; where a < 2, the
// logarithm of W falls by at most 2c a unit, which costs e^{4c}. As sin(cs)/sinh(c) <= s, the relative error of step h is
// at most 2 e^{s^2/2} cos(cs)^{-max(1, a - 1)} (1 + s^2 (1 + e^{4 + 4c})) / (e^{2 pi s/h} - 1) (Trefethen and Weideman,
// The exponentially convergent trapezoidal rule, 2014, Theorem 5.1), with e^4 for a >= 2.
//
// The ends. The logarithm of r rises by at most 2c a unit, those of 1/N by at most c, of sinh(cx)^2 by at most 2c + 2/x.
// So the logarithm of f falls by more than 10 a unit beyond 12 + 3c + 2c |a - 2|, and below -(12 + 4c); all further
// points of step h add at most 1/(10 h) times the last one.

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/renyi_moments.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dplda::inline v0_1::detail {

/// log E_Q[(P/Q)^alpha] from above, relative error of the excess below 1e-12 and those of the exponents; infinite where
/// that would take too many points. Precondition: 0 < rate < 1.
inline double replaced_gaussian_log_moment(double rate, double c, double alpha) {
  const double b = alpha - 1, power = std::max(1.0, b), near = alpha < 2 ? 4 + 4 * c : 4;
  const double strip = std::min(std::sqrt(72 / (1 + power * c * c)), std::numbers::pi / (4 * c));
  // -log cos u is at most 0.6 u^2 up to pi/4.
  const double growth =
      strip * strip / 2 + 0.6 * power * (c * strip) * (c * strip) + std::log1p(strip * strip * (1 + std::exp(near)));
  const double step = 2 * std::numbers::pi * strip / (32 + growth);
  const double first = -(12 + 4 * c), last = 12 + 3 * c + 2 * c * std::abs(alpha - 2);
  const double points = std::ceil((last - first) / step);
  if (!(points < 1e5) || !(c > 1e-8) || !(rate > 1e-290)) return infinite;
  const double log_weight = std::log(rate) - c * c / 2;
  positive_sum sum;
  for (double i = 0; i <= points; ++i) {
    const double x = first + i * step, reach = std::abs(x);
    const double small = log_mixture(rate, -c * reach - c * c / 2);
    // log((M - N)/N) on the right, where the logarithm of r is softplus of it; on the left it is minus that.
    const double v = log_weight + c * reach + std::log1p(-std::exp(-2 * c * reach)) - small;
    const double l = v > -infinite ? softplus(v) : 0;
    const scaled_number excess = moment_excess(x > 0 ? l : -l, b);
    const double log_n = x > 0 ? small : log_mixture(rate, c * reach - c * c / 2);
    const double size = std::abs(log_weight) + c * c + c * reach + std::abs(small) + 4;
    const double magnitude = std::abs(excess.exponent) + (2 + alpha * l) * size + std::abs(log_n) + x * x / 2;
    const bool end = i == 0 || i == points;
    sum.add({excess.exponent, excess.mantissa * (end ? 1 + 1 / (10 * step) : 1)}, log_n - x * x / 2, magnitude);
  }
  return softplus_above(sum.log_upper(1e-12) + std::log(step) - log_sqrt_two_pi);
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GAUSSIAN_IPP
#define DPLDA_ACCOUNTING_DETAIL_GAUSSIAN_IPP

// Bodies of accounting/gaussian.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/gaussian.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dplda::inline v0_1 {

DPLDA_INLINE double gaussian_log_delta(double multiplier, double epsilon) {
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

DPLDA_INLINE double gaussian_delta(double multiplier, double epsilon) {
  return detail::probability_above(gaussian_log_delta(multiplier, epsilon));
}

DPLDA_INLINE double gaussian_epsilon(double multiplier, double delta) {
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

DPLDA_INLINE double gaussian_multiplier(double epsilon, double delta) {
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

DPLDA_INLINE double composed_gaussian_multiplier(std::span<const repeated_gaussian> parts) {
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

DPLDA_INLINE double classic_gaussian_multiplier(double epsilon, double delta, basis claimed) {
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

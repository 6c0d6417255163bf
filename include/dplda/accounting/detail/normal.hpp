// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_NORMAL_HPP
#define DPLDA_ACCOUNTING_DETAIL_NORMAL_HPP

#include <dplda/core/config.hpp>

#include <cmath>

namespace dplda::inline v0_1::detail {

inline constexpr double log_sqrt_two_pi = 0.91893853320467274178;
inline constexpr double sqrt_half_pi = 1.2533141373155002512;
inline constexpr double sqrt_half = 0.70710678118654752440;

/// Laplace's continued fraction 1/(t + 2/(t + 3/(t + ...))) for t >= 2, from the inside out; the rest is replaced by
/// its asymptotic value.
inline double mills_fraction(double t) {
  const int terms = 8 + static_cast<int>(300 / (t * t));
  double rest = (std::sqrt(t * t + 4.0 * (terms + 1)) - t) / 2;
  for (int i = terms; i >= 1; --i) rest = i / (t + rest);
  return rest;
}

/// Mills' ratio R(t) = (1 - Phi(t)) / phi(t), the scaled complementary error function; t > -37.
inline double mills_ratio(double t) {
  return t < 2 ? sqrt_half_pi * std::exp(t * t / 2) * std::erfc(t * sqrt_half) : 1 / (t + mills_fraction(t));
}

/// -R'(t) = 1 - t R(t) > 0, without cancellation for large t.
inline double mills_decline(double t) {
  if (t < 2) return 1 - t * mills_ratio(t);
  const double rest = mills_fraction(t);
  return rest / (t + rest);
}

/// The integral of -R' over [t, t + width], for 0 <= width <= max(1, t) / 2 and t >= -1/4: Gauss and Legendre's rule of
/// ten points, with an error below 1e-17 of the value (R grows only at a distance of five half-widths).
inline double mills_drop(double t, double width) {
  constexpr double nodes[] = {0.14887433898163121088, 0.43339539412924719080, 0.67940956829902440623,
                              0.86506336668898451073, 0.97390652851717172008};
  constexpr double weights[] = {0.29552422471475287017, 0.26926671930999635509, 0.21908636251598204400,
                                0.14945134915058059315, 0.06667134430868813759};
  const double half = width / 2, middle = t + half;
  double sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += weights[i] * (mills_decline(middle - half * nodes[i]) + mills_decline(middle + half * nodes[i]));
  return half * sum;
}

}  // namespace dplda::inline v0_1::detail

#endif

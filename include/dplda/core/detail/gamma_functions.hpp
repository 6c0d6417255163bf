// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_GAMMA_FUNCTIONS_HPP
#define DPLDA_CORE_DETAIL_GAMMA_FUNCTIONS_HPP

// log gamma and its first two derivatives for positive numbers: the recurrence up to 10, then Stirling's series, whose
// first omitted term is below 1e-16 there. Boost.Math has them too, at several times the cost in compile time, which
// every program with a learner would pay.

#include <dplda/core/config.hpp>

#include <cmath>

namespace dplda::inline v0_1::detail {

/// The derivative of log gamma, for 0 < x < 1e300, with an error of at most 8 machine epsilons of max(1, |digamma(x)|).
inline double digamma(double x) {
  double below = 0;
  for (; x < 10; ++x) below += 1 / x;
  const double u = 1 / (x * x);
  const double series =
      u *
      (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u * (1.0 / 240 - u * (1.0 / 132 - u * (691.0 / 32760 - u / 12))))));
  return std::log(x) - 0.5 / x - series - below;
}

/// The second derivative, for 1e-150 < x < 1e300, with a relative error of at most 8 machine epsilons.
inline double trigamma(double x) {
  double below = 0;
  for (; x < 10; ++x) below += 1 / (x * x);
  const double u = 1 / (x * x);
  const double series =
      u *
      (1.0 / 6 - u * (1.0 / 30 - u * (1.0 / 42 - u * (1.0 / 30 - u * (5.0 / 66 - u * (691.0 / 2730 - u * 7 / 6))))));
  return (1 + (0.5 + series * x) / x) / x + below;
}

/// log gamma, for 1e-300 < x < 1e300, with an error of at most 32 machine epsilons of max(1, |log gamma(x)|). Unlike
/// std::lgamma it writes no global variable.
inline double log_gamma(double x) {
  double product = 1;
  for (; x < 10; ++x) product *= x;
  const double u = 1 / (x * x);
  const double series =
      (1.0 / 12 -
       u * (1.0 / 360 - u * (1.0 / 1260 - u * (1.0 / 1680 - u * (1.0 / 1188 - u * (691.0 / 360360 - u / 156)))))) /
      x;
  constexpr double half_log_two_pi = 0.918938533204672741780329736406;
  return (x - 0.5) * std::log(x) - x + half_log_two_pi + series - std::log(product);
}

}  // namespace dplda::inline v0_1::detail

#endif

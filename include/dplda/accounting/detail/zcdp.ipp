// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ZCDP_IPP
#define DPLDA_ACCOUNTING_DETAIL_ZCDP_IPP

// Bodies of accounting/zcdp.hpp, which has their claim, argument and test.

#include <dplda/accounting/zcdp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

inline double require_multiplier(double multiplier, std::string_view function) {
  require_rounding_to_nearest(function);
  require(multiplier > 0, function, "multiplier", multiplier, "must be positive");
  return multiplier;
}

}  // namespace detail

DPLDA_INLINE double gaussian_rho(double multiplier) {
  const double inverse = 1 / detail::require_multiplier(multiplier, "gaussian_rho");
  return inverse == 0 ? 0 : detail::raised(inverse * inverse / 2, 4);
}

DPLDA_INLINE double discrete_gaussian_rho(double multiplier) {
  return gaussian_rho(detail::require_multiplier(multiplier, "discrete_gaussian_rho"));
}

DPLDA_INLINE double pure_dp_rho(double epsilon) {
  detail::require_epsilon(epsilon, "pure_dp_rho");
  return epsilon == 0 ? 0 : detail::raised(epsilon * std::tanh(epsilon / 2));
}

DPLDA_INLINE double laplace_rho(double multiplier) {
  const double epsilon = 1 / detail::require_multiplier(multiplier, "laplace_rho");
  if (epsilon == 0) return 0;
  // The sum is at least 0.27 of expm1(-epsilon), so the function's error counts up to 3.7 times.
  if (epsilon >= 0.5) return detail::raised(epsilon + std::expm1(-epsilon), 4 * detail::libm + 16);
  double term = epsilon * epsilon / 2, sum = term;
  for (int j = 3; std::abs(term) > detail::ulp * sum && j < 40; ++j) sum += term *= -epsilon / j;
  return detail::raised(sum);
}

namespace detail {

/// log delta at the order 1 + t, rounded up.
inline double zcdp_log_delta_at(double rho, double epsilon, double t) {
  const double divergence = (1 + t) * rho, tail = std::log1p(1 / t), power = std::log1p(t);
  const double value = t * (divergence - epsilon - tail) - power;
  return value + 2 * libm * ulp * (t * (divergence + epsilon + tail) + power);
}

}  // namespace detail

DPLDA_INLINE double zcdp_log_delta(double rho, double epsilon, zcdp_conversion conversion) {
  const char* const function = "zcdp_log_delta";
  detail::require(rho >= 0, function, "rho", rho, "must be at least 0");
  detail::require_epsilon(epsilon, function);
  if (rho == 0) return -detail::infinite;
  if (rho == detail::infinite) return 0;
  if (epsilon == detail::infinite) return -detail::infinite;
  if (conversion == zcdp_conversion::basic) {
    if (epsilon <= rho) return 0;
    const double excess = (epsilon - rho) / (2 * std::sqrt(rho));
    return std::max(-std::numeric_limits<double>::max(), -detail::lowered(excess * excess));
  }
  // Where squares would overflow, a smaller epsilon and order give a bound that is 0 or 1 for all purposes.
  if (rho > 1e150) return 0;
  epsilon = std::min(epsilon, 1e150);
  const auto slope = [&](double log_t) {
    const double t = std::exp(log_t);
    return (1 + 2 * t) * rho - epsilon - std::log1p(1 / t);
  };
  const double lo = std::max(-690.0, -detail::log_expm1(rho + 2));
  const double hi = std::min(300.0, std::max(0.0, std::log((epsilon + 0.7) / (2 * rho))));
  const double value = detail::zcdp_log_delta_at(rho, epsilon, std::exp(detail::increasing_root(slope, lo, hi)));
  return std::clamp(value, -std::numeric_limits<double>::max(), 0.0);
}

DPLDA_INLINE double zcdp_delta(double rho, double epsilon, zcdp_conversion conversion) {
  return detail::probability_above(zcdp_log_delta(rho, epsilon, conversion));
}

DPLDA_INLINE double zcdp_epsilon(double rho, double delta, zcdp_conversion conversion) {
  const char* const function = "zcdp_epsilon";
  detail::require(rho >= 0, function, "rho", rho, "must be at least 0");
  detail::require_delta(delta, function);
  if (rho == 0 || delta == 1) return 0;
  if (rho == detail::infinite || delta == 0) return detail::infinite;
  const double log_inverse = -detail::log_below(delta);
  if (conversion == zcdp_conversion::basic) return detail::raised(rho + 2 * std::sqrt(rho) * std::sqrt(log_inverse));
  const auto excess = [&](double log_t) {
    const double t = std::exp(log_t);
    return t * t * rho + std::log1p(t) - log_inverse;
  };
  const auto least = [&](double share) {
    return std::min((std::log(share) - std::log(rho)) / 2, detail::log_expm1(share));
  };
  const double log_t = detail::increasing_root(excess, least(log_inverse / 2), least(log_inverse));
  const double t = std::exp(std::clamp(log_t, -690.0, 690.0));
  const double divergence = (1 + t) * rho, tail = std::log1p(1 / t), power = std::log1p(t);
  const double error = 2 * detail::libm * detail::ulp * (divergence + tail + (log_inverse + power) / t);
  return std::max(0.0, divergence - tail + (log_inverse - power) / t + error);
}

DPLDA_INLINE double zcdp_budget(double epsilon, double delta, zcdp_conversion conversion) {
  const char* const function = "zcdp_budget";
  detail::require_epsilon(epsilon, function);
  detail::require_delta(delta, function);
  if (delta == 1 || epsilon == detail::infinite) return detail::infinite;
  if (delta == 0) return 0;
  const double log_inverse = -detail::log_below(delta);
  if (conversion == zcdp_conversion::basic) {
    const double root = epsilon / (std::sqrt(log_inverse + epsilon) + std::sqrt(log_inverse));
    return detail::lowered(root * root);
  }
  const auto excess = [&](double log_t) {
    const double t = std::exp(log_t);
    return t * (t / (1 + 2 * t)) * (epsilon + std::log1p(1 / t)) + std::log1p(t) - log_inverse;
  };
  const double third = log_inverse / 3;
  const double lo = std::min(std::log(third), (std::log(third) - std::log(epsilon)) / 2);
  const double hi =
      std::min(detail::log_expm1(log_inverse),
               std::log(log_inverse + std::sqrt(log_inverse) * std::sqrt(log_inverse + epsilon)) - std::log(epsilon));
  const double t = std::exp(std::clamp(detail::increasing_root(excess, lo, hi), -690.0, 690.0));
  const double tail = std::log1p(1 / t), power = std::log1p(t);
  const double error = 2 * detail::libm * detail::ulp * (epsilon + tail + (log_inverse + power) / t);
  return detail::lowered(std::max(0.0, (epsilon + tail - (log_inverse - power) / t - error) / (1 + t)));
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_CONVERSION_IPP
#define DPLDA_ACCOUNTING_DETAIL_CONVERSION_IPP

// Bodies of accounting/conversion.hpp, which has their claim, argument and test.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/joint_range.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

inline void require_order(double alpha, std::string_view function) {
  require_rounding_to_nearest(function);
  require(alpha > 1 && alpha < infinite, function, "alpha", alpha, "must be greater than 1 and finite");
}

inline void require_rdp(double rdp, std::string_view function) {
  require_rounding_to_nearest(function);
  require(rdp >= 0, function, "rdp", rdp, "must be at least 0");
}

DPLDA_INLINE double log_conversion_factor(double alpha, bool classic) {
  if (classic) return 0;
  // Near order 1 the difference 1 - 1/alpha would lose all digits.
  const double order = alpha - 1, log_rest = alpha < 2 ? std::log(order / alpha) : std::log1p(-1 / alpha);
  return order * log_rest - std::log(alpha);
}

/// The bound of a closed form, from by_factor(classic) and by_branch2(). For `exact`, the smaller of the two closed
/// forms that it is compared with.
template <class ByFactor, class ByBranch2>
double closed_form(rdp_conversion conversion, const ByFactor& by_factor, const ByBranch2& by_branch2) {
  if (conversion == rdp_conversion::branch2) return by_branch2();
  const double factor = by_factor(conversion == rdp_conversion::classic);
  return conversion == rdp_conversion::exact ? std::min(factor, by_branch2()) : factor;
}

/// log(rdp/allowed), which has the sign of their difference.
inline double log_excess(double rdp, double allowed) {
  const double value = std::log(rdp / allowed);
  return rdp <= allowed ? std::min(value, 0.0) : std::max(value, std::numeric_limits<double>::min());
}

}  // namespace detail

DPLDA_INLINE double rdp_budget(double alpha, double epsilon, double delta, rdp_conversion conversion) {
  const char* const function = "rdp_budget";
  detail::require_order(alpha, function);
  detail::require_epsilon(epsilon, function);
  detail::require_delta(delta, function);
  if (delta == 1 || epsilon == detail::infinite) return detail::infinite;
  if (delta == 0) return 0;
  epsilon = std::min(epsilon, detail::largest_loss / alpha);
  const double order = alpha - 1;
  const auto by_factor = [&](bool classic) {
    const double log_factor = detail::log_conversion_factor(alpha, classic), log_delta = std::log(delta);
    const double error =
        2 * detail::libm * detail::ulp * (epsilon + (std::abs(log_factor) + std::abs(log_delta)) / order);
    return std::max(0.0, epsilon - (log_factor - log_delta) / order - error);
  };
  const auto by_branch2 = [&] {
    if (epsilon == 0) return 0.0;
    const double lift = std::log(alpha) + std::log(delta), power = detail::log_expm1(order * epsilon);
    const double error =
        2 * detail::libm * detail::ulp * (std::log(alpha) + std::abs(std::log(delta)) + std::abs(power) + 1);
    return detail::lowered(detail::softplus(lift + power - error) / order);
  };
  switch (conversion) {
    case rdp_conversion::classic:
      return by_factor(true);
    case rdp_conversion::improved:
      return by_factor(false);
    case rdp_conversion::branch2:
      return by_branch2();
    case rdp_conversion::exact:
      break;
  }
  if (alpha != 2) {
    return std::max({by_factor(false), by_branch2(), detail::least_binary_divergence(alpha, epsilon, delta)});
  }
  const double growth = std::expm1(epsilon);
  if (growth < detail::infinite && (1 - delta) * (growth + 2 * delta) <= (growth + 1) * delta)
    return detail::lowered(epsilon - std::log1p(-delta));
  const double log_sum = growth < detail::infinite ? std::log(growth + delta) : epsilon;
  const double error = 2 * detail::libm * detail::ulp * (std::abs(std::log(delta)) + std::abs(log_sum) + 2);
  return detail::lowered(detail::softplus(std::log(4 * delta) + log_sum - error));
}

DPLDA_INLINE double rdp_epsilon(double alpha, double rdp, double delta, rdp_conversion conversion) {
  const char* const function = "rdp_epsilon";
  detail::require_order(alpha, function);
  detail::require_rdp(rdp, function);
  detail::require_delta(delta, function);
  if (delta == 1) return 0;
  if (rdp == detail::infinite || delta == 0) return detail::infinite;
  const double order = alpha - 1, log_delta = detail::log_below(delta);
  const auto by_factor = [&](bool classic) {
    const double log_factor = detail::log_conversion_factor(alpha, classic);
    const double error = 2 * detail::libm * detail::ulp * (rdp + (std::abs(log_factor) - log_delta) / order);
    return std::max(0.0, rdp + (log_factor - log_delta) / order + error);
  };
  const auto by_branch2 = [&] {
    if (rdp == 0) return 0.0;
    const double power = detail::log_expm1(order * rdp);
    const double error = 2 * detail::libm * detail::ulp * (std::log(alpha) - log_delta + std::abs(power) + 1);
    return detail::raised(detail::softplus(power - std::log(alpha) - log_delta + error) / order);
  };
  const double closed = detail::closed_form(conversion, by_factor, by_branch2);
  if (conversion != rdp_conversion::exact) return closed;
  const auto excess = [&](double epsilon) {
    return detail::log_excess(rdp, rdp_budget(alpha, epsilon, delta, rdp_conversion::exact));
  };
  double hi = closed, at_hi = excess(hi);
  if (hi == 0 || at_hi > 0) return hi;
  // The closed forms are rarely more than log 2 too large.
  double lo = hi, at_lo = at_hi;
  for (double step = 0.7; at_lo <= 0; step *= 4) {
    if (lo == 0) return 0;
    hi = lo;
    at_hi = at_lo;
    lo = std::max(0.0, closed - step);
    at_lo = excess(lo);
  }
  return detail::fulfilling_end(excess, lo, at_lo, hi, at_hi, 1e-10);
}

DPLDA_INLINE double rdp_log_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion) {
  const char* const function = "rdp_log_delta";
  detail::require_order(alpha, function);
  detail::require_rdp(rdp, function);
  detail::require_epsilon(epsilon, function);
  if (rdp == detail::infinite) return 0;
  if (epsilon == detail::infinite) return -detail::infinite;
  if (rdp > detail::largest_loss / alpha) return 0;
  epsilon = std::min(epsilon, detail::largest_loss / alpha);
  const double order = alpha - 1;
  const auto bounded = [](double value) { return std::clamp(value, -std::numeric_limits<double>::max(), 0.0); };
  const auto by_factor = [&](bool classic) {
    const double log_factor = detail::log_conversion_factor(alpha, classic);
    return bounded(order * (rdp - epsilon) + log_factor +
                   2 * detail::libm * detail::ulp * (order * (rdp + epsilon) + std::abs(log_factor)));
  };
  const auto by_branch2 = [&] {
    if (rdp == 0) return -detail::infinite;
    if (epsilon == 0) return 0.0;
    const double over = detail::log_expm1(order * rdp), under = detail::log_expm1(order * epsilon);
    const double error = 2 * detail::libm * detail::ulp * (std::abs(over) + std::abs(under) + std::log(alpha) + 2);
    return bounded(over - under - std::log(alpha) + error);
  };
  const double closed = detail::closed_form(conversion, by_factor, by_branch2);
  if (conversion != rdp_conversion::exact) return closed;
  if (closed < std::log(1e-300)) return closed;
  const auto excess = [&](double delta) {
    return detail::log_excess(rdp, rdp_budget(alpha, epsilon, delta, rdp_conversion::exact));
  };
  double hi = std::min(1.0, std::exp(closed)), at_hi = excess(hi);
  if (at_hi > 0) return closed;
  double lo = hi / 4, at_lo = excess(lo);
  while (at_lo <= 0 && lo > 1e-300) {
    hi = lo;
    at_hi = at_lo;
    at_lo = excess(lo /= 16);
  }
  if (at_lo > 0) hi = detail::fulfilling_end(excess, lo, at_lo, hi, at_hi, 1e-10);
  return std::min(closed, detail::log_above(hi));
}

DPLDA_INLINE double rdp_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion) {
  return detail::probability_above(rdp_log_delta(alpha, rdp, epsilon, conversion));
}

DPLDA_INLINE double bretagnolle_huber_delta(double rdp) {
  detail::require_rdp(rdp, "bretagnolle_huber_delta");
  return rdp == 0 ? 0 : std::min(1.0, detail::raised(std::sqrt(-std::expm1(-rdp)), detail::libm));
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_CONVERSION_HPP
#define DPLDA_ACCOUNTING_CONVERSION_HPP

// From Renyi differential privacy at one order to (epsilon, delta) and back.
//
// Claim: a mechanism whose Renyi divergence of order alpha is at most `rdp`, in both directions, is (epsilon, delta)-DP
// with the value returned (rounded up); rdp_budget is a divergence that implies a given (epsilon, delta) (rounded
// down).
// Preconditions: `rdp` is an upper bound on the divergence at exactly that order.
// Argument: with z = (1/a)(1 - 1/a)^(a-1), the largest divergence that implies (epsilon, delta)-DP is at least
//   classic   epsilon - log(1/delta)/(a-1)                        Mironov, Renyi differential privacy, 2017, Prop. 3
//   improved  epsilon - log(z/delta)/(a-1)                        Canonne, Kamath, Steinke 2020, Proposition 12
//   branch2   log(1 + a delta (e^((a-1) epsilon) - 1))/(a-1)      Asoodeh et al., Three variants of DP, 2021
//   exact     the least divergence of order a between two-point laws with p - e^epsilon q = delta.
// The others bound the last one from below: merging all results into "in the worst event" and "not in it" keeps p -
// e^epsilon q and lowers the divergence, and two-point laws are themselves mechanisms, so it is attained. At order 2 it
// is log(1 + 4 delta (e^epsilon - 1 + delta)) unless its p exceeds 1; elsewhere it is found numerically and bounded by
// convexity (detail/joint_range.hpp). Closed forms are rounded by 2 libm ulps of the sum of their absolute terms, each
// of which is one function of accurate arguments (log_expm1 counts as its value and 1) and at most eight roundings. An
// inverse of `exact` is the end of a bracket at which the inequality was computed and holds.
// Test: tests/accounting/conversion_test.cpp

#include <dplda/accounting/detail/joint_range.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace dplda::inline v0_1 {

/// How a Renyi divergence is converted to (epsilon, delta). `exact` is never above the others and costs tens of
/// microseconds. The others are closed forms; the smaller of improved and branch2 is close to exact.
enum class rdp_conversion { classic, improved, branch2, exact };

namespace detail {

inline void require_order(double alpha, std::string_view function) {
  require_rounding_to_nearest(function);
  require(alpha > 1 && alpha < infinite, function, "alpha", alpha, "must be greater than 1 and finite");
}
inline void require_rdp(double rdp, std::string_view function) {
  require_rounding_to_nearest(function);
  require(rdp >= 0, function, "rdp", rdp, "must be at least 0");
}

/// Larger products of order and loss could overflow; a smaller epsilon is on the safe side.
inline constexpr double largest_loss = 1e300;

/// log z; z = 1 for the classic rule.
inline double log_conversion_factor(double alpha, bool classic) {
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

/// The largest divergence of order alpha that implies (epsilon, delta)-DP by this conversion, rounded down; 0 if it
/// allows only mechanisms that reveal nothing. Throws std::invalid_argument unless 1 < alpha < infinity,
/// epsilon >= 0, and delta in [0, 1].
inline double rdp_budget(double alpha, double epsilon, double delta, rdp_conversion conversion) {
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

/// The epsilon for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up (exact: within 1e-10
/// of itself); infinite at delta = 0. Throws std::invalid_argument unless 1 < alpha < infinity, rdp >= 0, and delta in
/// [0, 1].
inline double rdp_epsilon(double alpha, double rdp, double delta, rdp_conversion conversion) {
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

/// log of the delta for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up (exact: delta
/// within 1e-10 of itself, and below 1e-300 the smaller of improved and branch2); at most 0. Throws
/// std::invalid_argument unless 1 < alpha < infinity, rdp >= 0, and epsilon >= 0.
inline double rdp_log_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion) {
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

/// The delta for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up. Throws as
/// rdp_log_delta.
inline double rdp_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion) {
  return detail::probability_above(rdp_log_delta(alpha, rdp, epsilon, conversion));
}

/// sqrt(1 - e^-rdp), rounded up: with at least this delta a divergence `rdp` of any order >= 1, the Kullback-Leibler
/// divergence among them, implies (0, delta)-DP (Bretagnolle and Huber, Estimation des densites, 1979). The exact
/// conversion does not need it; it improves the closed forms where delta is large. Throws
/// std::invalid_argument if rdp is negative or NaN.
inline double bretagnolle_huber_delta(double rdp) {
  detail::require_rdp(rdp, "bretagnolle_huber_delta");
  return rdp == 0 ? 0 : std::min(1.0, detail::raised(std::sqrt(-std::expm1(-rdp)), detail::libm));
}

}  // namespace dplda::inline v0_1

#endif

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

#include <dplda/core/config.hpp>

namespace dplda::inline v0_1 {

/// How a Renyi divergence is converted to (epsilon, delta). `exact` is never above the others and costs tens of
/// microseconds. The others are closed forms; the smaller of improved and branch2 is close to exact.
enum class rdp_conversion { classic, improved, branch2, exact };

namespace detail {

/// Larger products of order and loss could overflow; a smaller epsilon is on the safe side.
inline constexpr double largest_loss = 1e300;

/// log z; z = 1 for the classic rule.
double log_conversion_factor(double alpha, bool classic);

}  // namespace detail

/// The largest divergence of order alpha that implies (epsilon, delta)-DP by this conversion, rounded down; 0 if it
/// allows only mechanisms that reveal nothing. Throws std::invalid_argument unless 1 < alpha < infinity,
/// epsilon >= 0, and delta in [0, 1].
double rdp_budget(double alpha, double epsilon, double delta, rdp_conversion conversion);

/// The epsilon for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up (exact: within 1e-10
/// of itself); infinite at delta = 0. Throws std::invalid_argument unless 1 < alpha < infinity, rdp >= 0, and delta in
/// [0, 1].
double rdp_epsilon(double alpha, double rdp, double delta, rdp_conversion conversion);

/// log of the delta for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up (exact: delta
/// within 1e-10 of itself, and below 1e-300 the smaller of improved and branch2); at most 0. Throws
/// std::invalid_argument unless 1 < alpha < infinity, rdp >= 0, and epsilon >= 0.
double rdp_log_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion);

/// The delta for which a divergence `rdp` of order alpha implies (epsilon, delta)-DP, rounded up. Throws as
/// rdp_log_delta.
double rdp_delta(double alpha, double rdp, double epsilon, rdp_conversion conversion);

/// sqrt(1 - e^-rdp), rounded up: with at least this delta a divergence `rdp` of any order >= 1, the Kullback-Leibler
/// divergence among them, implies (0, delta)-DP (Bretagnolle and Huber, Estimation des densites, 1979). The exact
/// conversion does not need it; it improves the closed forms where delta is large. Throws
/// std::invalid_argument if rdp is negative or NaN.
double bretagnolle_huber_delta(double rdp);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/conversion.ipp>
#endif

#endif

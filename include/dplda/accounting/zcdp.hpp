// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_ZCDP_HPP
#define DPLDA_ACCOUNTING_ZCDP_HPP

// Zero-concentrated differential privacy: rho of the usual mechanisms, and its conversion to (epsilon, delta). The rho
// of a composition is the sum of the parts.
//
// Claim: a mechanism is zCDP with the rho returned for it (rounded up), and rho-zCDP implies the (epsilon, delta)
// returned for it (rounded up). zcdp_budget is a rho that implies a given (epsilon, delta) (rounded down).
// Preconditions: multipliers are noise over sensitivity under the neighbours of the guarantee.
// Argument: rho-zCDP bounds the Renyi divergence of every order a > 1 by a rho. Basic: Bun and Steinke, Concentrated
// differential privacy, 2016, Proposition 1.3. Tight: Canonne, Kamath and Steinke, The discrete Gaussian for
// differential privacy, 2020, Proposition 12 and Corollary 13: for every a > 1
//   log delta = (a - 1)(a rho - epsilon + log(1 - 1/a)) - log a.
// With t = a - 1 the best order solves (1 + 2t) rho - epsilon = log(1 + 1/t); eliminating epsilon, t^2 rho + log(1 + t)
// = log(1/delta); eliminating rho, t^2 (epsilon + log(1 + 1/t))/(1 + 2t) + log(1 + t) = log(1/delta). Any t is valid,
// so only the last evaluation must be rounded: by 2 libm ulps of the sum of the absolute terms, each of which is one
// function and at most eight roundings.
// Test: tests/accounting/zcdp_test.cpp

#include <dplda/accounting/detail/safe_side.hpp>

namespace dplda::inline v0_1 {

/// rho = 1/(2 z^2) of the Gaussian mechanism with noise multiplier z (Bun and Steinke, Proposition 1.6), rounded up.
/// Throws std::invalid_argument if the multiplier is not positive.
double gaussian_rho(double multiplier);

/// The same rho for the discrete Gaussian on the integers, whose sensitivity is that of an integer-valued query
/// (Canonne, Kamath and Steinke, Theorem 4), rounded up. Throws as gaussian_rho.
double discrete_gaussian_rho(double multiplier);

/// rho = epsilon tanh(epsilon/2) of any pure epsilon-DP mechanism, attained by randomised response, rounded up; at most
/// the epsilon^2/2 of Bun and Steinke, Proposition 1.4. Throws std::invalid_argument if epsilon is negative or NaN.
double pure_dp_rho(double epsilon);

/// rho = epsilon + e^-epsilon - 1 of the Laplace mechanism, epsilon = 1/multiplier, its Kullback-Leibler divergence,
/// rounded up: the ratio of Renyi divergence to order is largest as the order tends to 1 (Harrison and Manurangsi,
/// Exact zCDP characterizations for fundamental differentially private mechanisms, 2025). Throws std::invalid_argument
/// if the multiplier is not positive.
double laplace_rho(double multiplier);

/// How rho is converted to (epsilon, delta): by the closed form of Bun and Steinke, or at the best order of Canonne,
/// Kamath and Steinke.
enum class zcdp_conversion { basic, tight };

/// log of the delta for which rho-zCDP implies (epsilon, delta)-DP, rounded up, at most 0. Throws std::invalid_argument
/// if rho or epsilon is negative or NaN; infinities are allowed.
double zcdp_log_delta(double rho, double epsilon, zcdp_conversion conversion = zcdp_conversion::tight);

/// The delta for which rho-zCDP implies (epsilon, delta)-DP, rounded up. Throws as zcdp_log_delta.
double zcdp_delta(double rho, double epsilon, zcdp_conversion conversion = zcdp_conversion::tight);

/// The epsilon for which rho-zCDP implies (epsilon, delta)-DP, rounded up; infinite at delta = 0 (unless rho is 0).
/// Throws std::invalid_argument if rho is negative or NaN, or delta outside [0, 1].
double zcdp_epsilon(double rho, double delta, zcdp_conversion conversion = zcdp_conversion::tight);

/// The largest rho that implies (epsilon, delta)-DP by this conversion, rounded down; 0 at delta = 0 (unless epsilon is
/// infinite). Throws std::invalid_argument if epsilon is negative or NaN, or delta outside [0, 1].
double zcdp_budget(double epsilon, double delta, zcdp_conversion conversion = zcdp_conversion::tight);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/zcdp.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GDP_HPP
#define DPLDA_ACCOUNTING_DETAIL_GDP_HPP

// Events as Gaussian differential privacy (Dong, Roth and Su, Gaussian differential privacy, 2022).
//
// Claim: one use of the event is mu-GDP, where mu^2 is at most gdp_cost().mu_squared, once an event of probability
//   gdp_cost().reserved_delta is set aside: no test distinguishes neighbouring datasets better than a standard normal
//   variable from one that is shifted by mu.
// Argument: Gaussian noise of multiplier z is (1/z)-GDP by definition.
//   A pure epsilon is mu-GDP with Phi(-mu/2) = 1/(1 + e^epsilon): the trade-off curve of all epsilon-DP pairs is made
//   of two chords, from (0, 1) to (a, a) and from there to (1, 0), with a = 1/(1 + e^epsilon). The curve of mu-GDP,
//   Phi(Phi^-1(1 - x) - mu), is convex and passes through these three points, so it lies below both chords.
//   An opaque (epsilon, delta) is pure once an event of probability delta is set aside (Kairouz, Oh and Viswanath 2015;
//   Murtagh and Vadhan 2016).
//   Sampling is ignored: a mechanism on a secret sample is a mixture, over the same samples on both sides, of pairs
//   that are mu-GDP or equal, and as the curve of mu-GDP is convex, the mixture is mu-GDP. The same holds for what is
//   set aside.
//   Discrete Gaussian noise, for which only zero-concentrated privacy is claimed, has no finite mu and is refused.
// Test: tests/accounting/filter_test.cpp

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/mechanisms.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace dplda::inline v0_1::detail {

/// The smallest mu for which every epsilon-DP mechanism is mu-GDP, rounded up.
inline double pure_dp_mu(double epsilon) {
  if (epsilon == 0) return 0;
  // With x = mu / sqrt(8), the condition is erfc(x) <= 2 / (1 + e^epsilon), that is erf(x) >= tanh(epsilon / 2).
  double x = 0;
  if (epsilon <= 1) {
    const double wanted = raised(std::tanh(epsilon / 2), 32);
    const auto lack = [&](double at) { return wanted - std::erf(at); };
    x = fulfilling_end(lack, 0, wanted, epsilon, lack(epsilon), 1e-13);
  } else {
    // erfc(x) <= exp(-x^2), so this x is large enough.
    const double exponent = raised(softplus(epsilon) - std::log(2.0), 64), enough = raised(std::sqrt(exponent));
    const auto lack = [&](double at) { return raised(exponent, 64) + std::log(std::erfc(at)); };
    x = epsilon > 600 ? enough : fulfilling_end(lack, 0, exponent, enough, std::min(lack(enough), 0.0), 1e-13);
  }
  return raised(std::sqrt(8.0) * x);
}

struct gdp_price {
  double mu_squared;
  double reserved_delta;
};

/// The cost of one use, sampled or not. Throws std::invalid_argument for mechanisms that have no finite mu.
inline gdp_price gdp_cost(const mechanism& noise) {
  return std::visit(
      []<class Mechanism>(const Mechanism& n) -> gdp_price {
        if constexpr (requires { mechanism_entry<Mechanism>::mu(n); }) {
          const double mu = mechanism_entry<Mechanism>::mu(n);
          return {raised(mu * mu), 0};
        } else if constexpr (HasPureEpsilon<Mechanism>) {
          const double epsilon = mechanism_entry<Mechanism>::pure_epsilon(n);
          if (epsilon == 0) return {0, delta_of(n)};
          const double mu = pure_dp_mu(epsilon);
          return {raised(mu * mu), delta_of(n)};
        } else {
          refuse("privacy_filter", "the noise", mechanism_entry<Mechanism>::name,
                 "the Gaussian rule cannot price that; use filter_rule::renyi");
        }
      },
      noise);
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GDP_HPP
#define DPLDA_ACCOUNTING_DETAIL_GDP_HPP

// Events as Gaussian differential privacy (Dong, Roth and Su, Gaussian differential privacy, 2022).
//
// Claim: one use of the event is mu-GDP, where mu^2 is at most gdp_cost().mu_squared, once an event of probability
//   gdp_cost().reserved_delta is set aside: no test tells neighbouring datasets apart better than it could tell a
//   standard normal variable from one that is shifted by mu.
// Argument: Gaussian noise of multiplier z is (1/z)-GDP by definition.
//   A pure epsilon is mu-GDP with Phi(-mu/2) = 1/(1 + e^epsilon): the trade-off curve of all epsilon-DP pairs is made of
//   two chords, from (0, 1) to (a, a) and from there to (1, 0), with a = 1/(1 + e^epsilon). The curve of mu-GDP,
//   Phi(Phi^-1(1 - x) - mu), is convex and passes through these three points, so it lies below both chords.
//   An opaque (epsilon, delta) is pure once an event of probability delta is set aside (Kairouz, Oh and Viswanath 2015;
//   Murtagh and Vadhan 2016).
//   Samples are left out of account: a mechanism on a secret sample is a mixture, over the same samples on both sides,
//   of pairs that are mu-GDP or equal, and as the curve of mu-GDP is convex, the mixture is mu-GDP. The same holds for
//   what is set aside.
//   Discrete Gaussian noise, of which zero-concentrated privacy alone is claimed, has no finite mu and is refused.
// Test: tests/accounting/filter_test.cpp

#include <dplda/accounting/detail/priced_uses.hpp>
#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/event.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace dplda::detail {

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

/// Throws std::invalid_argument for discrete Gaussian noise.
inline gdp_price gdp_cost(const privacy_event& event) {
  require(!std::holds_alternative<discrete_gaussian_noise>(event.noise), "privacy_filter", "the noise",
          "discrete Gaussian", "the Gaussian rule cannot price that; use filter_rule::renyi");
  if (const auto* gaussian = std::get_if<gaussian_noise>(&event.noise)) {
    const double mu = 1 / gaussian->multiplier;
    return {raised(mu * mu), 0};
  }
  const budget pure = unsampled_price(event.noise, 0);
  if (pure.epsilon == 0) return {0, pure.delta};
  const double mu = pure_dp_mu(pure.epsilon);
  return {raised(mu * mu), pure.delta};
}

}  // namespace dplda::detail

#endif

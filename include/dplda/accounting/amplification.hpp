// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_AMPLIFICATION_HPP
#define DPLDA_ACCOUNTING_AMPLIFICATION_HPP

// What an (epsilon, delta)-DP mechanism guarantees if it sees only a secret random sample.
//
// Claim: the amplified guarantee (rounded up) holds under the same neighbours as the base guarantee.
// Preconditions: the sample is drawn as the function's name says, anew for each use, and never shown; shuffled epochs
// and batches of consecutive records do not qualify. The base guarantee holds for every sample.
// Argument: Balle, Barthe and Gaboardi, Privacy amplification by subsampling, 2018: Theorem 8 (Poisson, add/remove),
// Theorem 9 (without replacement, replace) and Theorem 10 (with replacement, replace): epsilon' = log(1 + q (e^epsilon
// - 1)), where q is the probability that the exchanged unit is sampled. The neighbours are an argument and are checked,
// because the other pairing is false: two samples of fixed size differ by an exchange even if a unit was added.
// Test: tests/accounting/amplification_test.cpp

#include <dplda/accounting/detail/binomial.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

/// log(1 + q (e^epsilon - 1)), rounded up, at most epsilon. The margin: log_mixture, and q itself may be rounded.
double amplified_epsilon(double epsilon, double q);

budget amplified(const budget& base, double q, std::string_view function);

}  // namespace detail

/// The guarantee of a mechanism that sees each unit with probability `rate`, independently (Theorem 8). `relation` is
/// that of the base guarantee and of the result, and must be add_remove: under replace the formula needs a base that
/// holds for both relations at once. Throws std::invalid_argument on another relation, a rate outside [0, 1], a
/// negative epsilon, or a delta outside [0, 1].
budget amplify_by_poisson_sampling(const budget& base, double rate, neighbours relation);

/// The guarantee of a mechanism that sees a uniform subset of `size` of the `population` units (Theorem 9). `relation`
/// is that of the base guarantee and of the result, and must be replace. Throws std::invalid_argument on another
/// relation, a size above the population or of 0, a negative epsilon, or a delta outside [0, 1].
budget amplify_by_sampling_without_replacement(const budget& base, std::uint64_t size, std::uint64_t population,
                                               neighbours relation);

/// The guarantee of a mechanism that sees `draws` units, each drawn from all `population` ones (Theorem 10): epsilon =
/// log(1 + q (e^base_epsilon - 1)) with q = 1 - (1 - 1/n)^m, delta = sum over k of Bin(k; m, 1/n) group_delta(k).
/// group_delta(k) is the smallest delta with which the base mechanism is (base_epsilon, delta)-DP if k >= 1 of its
/// units are exchanged at once, for Gaussian noise gaussian_delta(multiplier / k, base_epsilon); values above 1 count
/// as 1. It is called for k up to some multiple of sqrt(draws / population); the rest is bounded and added. `relation`
/// is that of the base guarantee and of the result, and must be replace. Throws std::invalid_argument on another
/// relation, on no draws, no population, a negative base_epsilon, or a group_delta that is negative or NaN.
template <class GroupDelta>
budget amplify_by_sampling_with_replacement(double base_epsilon, std::uint64_t draws, std::uint64_t population,
                                            neighbours relation, const GroupDelta& group_delta) {
  const char* const function = "amplify_by_sampling_with_replacement";
  detail::require(relation == neighbours::replace, function, "relation", relation, "must be replace");
  detail::require(draws > 0, function, "draws", draws, "must be at least 1");
  detail::require(population > 0, function, "population", population, "must be at least 1");
  detail::require_epsilon(base_epsilon, function, "base_epsilon");
  const auto checked = [&](std::uint64_t k) {
    const double delta = group_delta(k);
    detail::require(delta >= 0, function, "group_delta", delta, "must be at least 0");
    return std::min(delta, 1.0);
  };
  if (population == 1) return {base_epsilon, checked(draws)};
  const auto m = static_cast<double>(draws);
  const double p = 1 / static_cast<double>(population), log_none = m * std::log1p(-p);
  const double seen = std::min(1.0, detail::raised(-std::expm1(log_none)));
  // A large group may cost far more than a likely one, so the sum stops only where even delta = 1 would add nothing.
  double delta = 0, mass = 0, terms = 0;
  for (std::uint64_t k = 1; k <= draws; ++k, ++terms) {
    const auto x = static_cast<double>(k);
    double error = 0;
    const double log_mass = detail::log_binomial(x, m, p, 1 - p, error);
    // The function, and the rounding of the exponent.
    mass = detail::raised(std::exp(log_mass + error), detail::libm + 4 + std::abs(log_mass));
    delta += mass * checked(k);
    const double ratio = (m - x) / (x + 1) * p / (1 - p);
    if (ratio < 1 && mass * ratio / (1 - ratio) <= 1e-17 * delta) {
      delta += mass * ratio / (1 - ratio);
      break;
    }
  }
  return {detail::amplified_epsilon(base_epsilon, seen),
          delta == 0 ? 0 : std::min(1.0, detail::raised(delta, 16 + terms))};
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/amplification.ipp>
#endif

#endif

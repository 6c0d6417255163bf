// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_DISCRETE_GAUSSIAN_PAIR_HPP
#define DPLDA_ACCOUNTING_DETAIL_DISCRETE_GAUSSIAN_PAIR_HPP

// The pair of laws of discrete Gaussian noise on one integer that a unit changes by at most s: B = N_Z(s, sigma^2)
// against A = N_Z(0, sigma^2), with masses proportional to e^{-(x - s)^2 / (2 sigma^2)} and e^{-x^2 / (2 sigma^2)}.
//
// It dominates every smaller change a, 0 <= a <= s. The ratio of N_Z(a) to N_Z(0) rises with x, so that the best tests
// accept x >= t (Neyman and Pearson). On this test N_Z(s) has at least the power of N_Z(a), being the same law farther
// to the right. So the trade-off curve of (N_Z(s), N_Z(0)) is nowhere above that of (N_Z(a), N_Z(0)), and the first
// pair dominates the second (Blackwell). Negative a: reflect. x -> s - x exchanges B and A, so the pair is symmetric.
//
// Beyond the atoms, x < -w or x > s + w with w >= 38 sigma: the sum of e^{-x^2 / (2 sigma^2)} over x > w is at most its
// integral, sigma sqrt(2 pi) e^{-w^2 / (2 sigma^2)} / 2, and by Poisson's formula the sum over all integers is at least
// sigma sqrt(2 pi). So each law has less than e^-722 < 1e-313 there.

#include <dplda/accounting/detail/compensated_sum.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace dplda::inline v0_1::detail {

/// Nothing where there would be too many atoms (a sigma above about 500).
inline std::optional<base_pair> discrete_gaussian_pair(double sigma, std::uint64_t sensitivity) {
  constexpr double most_atoms = 40000;
  const double shift = static_cast<double>(sensitivity), beyond = std::ceil(38 * sigma) + 1;
  if (!(shift + 2 * beyond < most_atoms)) return std::nullopt;
  const auto weight = [&](double x) { return -x / sigma * (x / sigma) / 2; };
  compensated_sum all;
  for (double x = beyond; x >= -beyond; --x) all.add(std::exp(weight(x)));
  const double log_all = std::log(all.value());
  base_pair pair{.tail = 1e-313};
  // TV(B, A) is the sum of A(x - s) - A(x) over x > s/2, of which A on (-s/2, s/2] is left.
  compensated_sum variation;
  for (double x = -beyond; x <= shift + beyond; ++x) {
    const double log_a = weight(x) - log_all;
    if (2 * x > -shift && 2 * x <= shift) variation.add(std::exp(log_a));
    if (2 * x == shift) pair.at_zero = raised(std::exp(log_a), 64);
    pair.atoms.push_back({shift / sigma * ((2 * x - shift) / sigma) / 2, log_a});
  }
  pair.variation = std::min(1.0, raised(variation.value(), 64));
  return pair;
}

}  // namespace dplda::inline v0_1::detail

#endif

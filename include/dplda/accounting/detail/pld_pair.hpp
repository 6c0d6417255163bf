// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_PAIR_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_PAIR_HPP

// Events as pairs of laws (P, Q) that dominate them: for all alpha >= 0 and all neighbours, the hockey-stick divergence
// of the event's outputs is at most that of the pair. The same then holds for adaptive compositions and products of
// pairs (Zhu, Dong and Wang, Optimal accounting of differential privacy via characteristic function, 2022). Every pair
// here is attained by some mechanism and neighbours that fit the event, except that of `subset`.
//
// Base pairs (B, A), all symmetric: exchanging B and A turns y = log dB/dA into -y. Gaussian: N(s, 1) and N(0, 1) with
// s the inverse multiplier. Laplace: likewise. Randomised response: on the two values that neighbours exchange. An
// (epsilon, delta) event: with probability delta an outcome that tells the law, otherwise binary randomised response
// (Kairouz, Oh and Viswanath, The composition theorem for differential privacy, 2017).
//
// Poisson samples, add/remove: P = (1 - q) A + q B and Q = A if the unit is removed, (Q, P) if it is added (Zhu, Dong
// and Wang on amplification by sampling).
//
// Poisson samples, replace, Gaussian: P, Q = (1 - q) N(0, 1) + q N(+-c, 1), where a unit's own norm bound is half the
// replace sensitivity, so c = s/2. Given the other units sampled, the laws are (1 - q) N(0) + q N(a) and (1 - q) N(0) +
// q N(b) with |a|, |b| <= c. For a test S let S' be the half-space along the axis with N(0)(S') = N(0)(S): by Neyman
// and Pearson N(c)(S') >= N(a)(S) and N(-c)(S') <= N(b)(S), so the axis pair has the larger divergence of every order;
// joint convexity then averages over the other units.
//
// Samples of fixed size, replace, q = size / population (`subset`): Balle, Barthe and Gaboardi, Privacy amplification
// by subsampling, 2018, Theorem 9, bounds the divergence at 1 + q(e^epsilon - 1) by q times that of (B, A) at e^epsilon
// for epsilon >= 0; below 1, exchange the neighbours. This profile belongs to a pair: losses log(1 - q + q e^y) with
// the masses of (1 - q) A + q B and A where y > 0, their mirror image where y < 0, and the rest, (1 - q) TV(B, A) + A(y
// = 0), at loss 0. No single pair of corpora attains it. Lower bounds use the two Poisson pairs, which are attained if
// all other units agree with the exchanged one.

#include <dplda/accounting/detail/allocation_pair.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/event.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The pair of one use of a mechanism that sees each unit with probability `rate`; `subset` for samples of fixed size.
inline loss_pair sampled_pair(const base_pair& base, double rate, bool subset) {
  loss_pair pair{.kind = base.kind, .rate = rate, .slope = base.slope, .subset = subset};
  pair.symmetric = (rate == 1 && base.symmetric) || subset || base.kind == loss_pair::shape::two_sided;
  pair.tail = base.tail;
  pair.loss_error = base.y_error;
  for (const base_pair::atom& a : base.atoms) {
    pair.atoms.push_back({log_mixture(rate, a.y), a.log_a});
    pair.atom_reach = std::max(pair.atom_reach, std::abs(a.y));
  }
  pair.p_infinite = rate * base.b_only;
  if (rate == 1) {
    pair.q_infinite = base.a_only;
  } else if (base.a_only > 0) {
    pair.atoms.push_back({std::log1p(-rate), std::log(base.a_only)});
  }
  pair.zero_mass = (1 - rate) * base.variation + base.at_zero;
  pair.total_variation = raised(std::min(1.0, rate * base.variation));
  return pair;
}

/// The pair of a canonical event, or nothing where none is known.
inline std::optional<loss_pair> pair_of(const canonical_event& event) {
  if (const auto* allocation = std::get_if<random_allocation>(&event.sampling)) {
    const auto* gaussian = std::get_if<gaussian_noise>(&event.noise);
    return gaussian == nullptr ? std::nullopt : allocation_pair(gaussian->multiplier, allocation->batches);
  }
  const double rate = sampling_rate(event.sampling);
  const bool poisson = std::holds_alternative<poisson_sample>(event.sampling);
  const bool subset = std::holds_alternative<fixed_size_sample>(event.sampling);
  return std::visit(
      [&]<class Mechanism>(const Mechanism& noise) -> std::optional<loss_pair> {
        if constexpr (HasPoissonReplacePair<Mechanism>) {
          if (poisson && event.relation == neighbours::replace)
            return sampled_pair(mechanism_entry<Mechanism>::poisson_replace_pair(noise), rate, false);
        }
        if constexpr (HasPair<Mechanism>) {
          const std::optional<base_pair> base = mechanism_entry<Mechanism>::pair(noise);
          if (base) return sampled_pair(*base, rate, subset);
        }
        return std::nullopt;
      },
      event.noise);
}

/// The pairs of a ledger, with Gaussian noise on all units merged into one release (the precisions 1/z^2 add up);
/// nothing where an event has no pair.
inline std::optional<std::vector<counted_pair>> pairs_of(const canonical_ledger& book) {
  std::vector<counted_pair> pairs;
  double precision = 0, carried = 0, merged = 0, last = 0;
  for (const auto& [event, uses] : book.uses()) {
    const auto* gaussian = std::get_if<gaussian_noise>(&event.noise);
    if (gaussian == nullptr || !std::holds_alternative<all_units>(event.sampling)) continue;
    // Kahan's sum, so that its error does not grow with the number of entries.
    const auto count = static_cast<double>(uses);
    const double term = count / gaussian->multiplier / gaussian->multiplier - carried, sum = precision + term;
    carried = std::isfinite(sum) ? (sum - precision) - term : 0;
    precision = sum;
    merged += count;
    last = gaussian->multiplier;
  }
  if (merged > 0) {
    const double multiplier = merged == 1 ? last : 1 / std::sqrt(precision);
    if (!(multiplier > 0) || !std::isfinite(multiplier)) return std::nullopt;
    pairs.push_back({sampled_pair(mechanism_entry<gaussian_noise>::pair({multiplier}), 1, false), 1});
  }
  for (const auto& [event, uses] : book.uses()) {
    if (std::holds_alternative<gaussian_noise>(event.noise) && std::holds_alternative<all_units>(event.sampling))
      continue;
    const auto pair = pair_of(event);
    if (!pair) return std::nullopt;
    pairs.push_back({*pair, static_cast<double>(uses)});
  }
  return pairs;
}

}  // namespace dplda::inline v0_1::detail

#endif

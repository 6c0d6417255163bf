// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_PAIR_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_PAIR_HPP

// Events as pairs of laws (P, Q) that dominate them: for all alpha >= 0 and all neighbours, the hockey-stick divergence
// of the event's outputs is at most that of the pair, and so it is for adaptive compositions and products of pairs
// (Zhu, Dong and Wang, Optimal accounting of differential privacy via characteristic function, 2022). All pairs here
// are attained by some mechanism and neighbours that fit the event, except the one of `subset`.
//
// Base pairs (B, A), all symmetric under exchange with y = log dB/dA -> -y: Gaussian N(s, 1) and N(0, 1) with s the
// inverse multiplier; Laplace likewise; randomised response on the two values that neighbours exchange; and for an
// (epsilon, delta) event with probability delta an outcome that gives the law away, else binary randomised response
// (Kairouz, Oh and Viswanath, The composition theorem for differential privacy, 2017).
//
// Poisson samples, add/remove: P = (1 - q) A + q B and Q = A when the unit is removed, (Q, P) when it is added (Zhu,
// Dong and Wang on amplification by sampling).
//
// Poisson samples, replace, Gaussian: P, Q = (1 - q) N(0, 1) + q N(+-c, 1), where a unit's own norm bound is half the
// replace sensitivity, so c = s/2. Given the other units sampled, the laws are (1 - q) N(0) + q N(a) and (1 - q) N(0) +
// q N(b) with |a|, |b| <= c. For a test S let S' be the half-space along the axis with N(0)(S') = N(0)(S): by Neyman
// and Pearson N(c)(S') >= N(a)(S) and N(-c)(S') <= N(b)(S), so the axis pair has the larger divergence of every order;
// joint convexity takes the average over the other units.
//
// Samples of fixed size, replace, q = size / population (`subset`): Balle, Barthe and Gaboardi, Privacy amplification
// by subsampling, 2018, Theorem 9, bounds the divergence at 1 + q(e^epsilon - 1) by q times that of (B, A) at e^epsilon
// for epsilon >= 0; below 1 exchange the neighbours. This profile belongs to a pair: losses log(1 - q + q e^y) with the
// masses of (1 - q) A + q B and A where y > 0, their mirror image where y < 0, and the rest, (1 - q) TV(B, A) + A(y =
// 0), at loss 0. No single pair of corpora attains it; lower bounds use the two Poisson pairs, which are attained where
// all other units agree with the one exchanged.

#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/ledger.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace dplda::detail {

/// Which law of a pair generates the output whose loss is counted: P (the unit is there) or Q.
enum class pld_direction { remove, add };

struct loss_pair {
  /// The density of Q: phi(z) for gaussian (y = s z - s^2/2), phi(z) times a mixture for two_sided, (s/4) e^{-s z/2} on
  /// [0, 1] for laplace (y = s z - s/2). Losses increase with z.
  enum class shape { none, gaussian, laplace, two_sided };
  struct atom {
    double loss, log_q;  // P's mass is exp(loss + log_q)
  };

  shape kind = shape::none;
  double rate = 1;   // q
  double slope = 0;  // s, or c of two_sided
  std::vector<atom> atoms = {};
  double atom_reach = 0;                  // the largest |y| of an atom
  double p_infinite = 0, q_infinite = 0;  // P's mass where Q has none, and Q's where P has none
  bool symmetric = true;                  // (P, Q) and (Q, P) have the same loss distribution
  bool subset = false;                    // the mirrored pair described above, with this mass at loss 0
  double zero_mass = 0;
  double total_variation = 0;  // of P and Q, rounded up

  double offset_y() const { return kind == shape::gaussian ? -slope * slope / 2 : -slope / 2; }

  double log_density(double z) const {
    return kind == shape::laplace ? std::log(slope / 4) - slope * z / 2 : -z * z / 2 - log_sqrt_two_pi;
  }

  double weight_two_sided() const { return rate * std::exp(-slope * slope / 2); }

  double loss(double z) const {
    if (kind != shape::two_sided) return log_mixture(rate, slope * z + offset_y());
    return log_mixture(rate, slope * z - slope * slope / 2) - log_mixture(rate, -slope * z - slope * slope / 2);
  }

  /// e^l - (1 - q), by the difference that has digits left.
  double beyond_least(double l) const { return l < -0.5 ? std::exp(l) - (1 - rate) : std::expm1(l) + rate; }

  /// The z at which the loss is l; minus infinity where every loss is above l.
  double z_of_loss(double l) const {
    if (kind == shape::two_sided) {
      return (l / 2 + std::asinh((1 - rate) * std::sinh(l / 2) / weight_two_sided())) / slope;
    }
    if (rate == 1) return (l - offset_y()) / slope;
    // log(1 + (e^l - 1) / q), where e^l may be beyond the doubles.
    if (l > 1) return (l - std::log(rate) + std::log1p((rate - 1) * std::exp(-l)) - offset_y()) / slope;
    if (l < -0.5) {
      const double ratio = beyond_least(l) / rate;
      return ratio <= 0 ? -infinite : (std::log(ratio) - offset_y()) / slope;
    }
    const double v = std::expm1(l) / rate;
    return v <= -1 ? -infinite : (std::log1p(v) - offset_y()) / slope;
  }

  /// Where z is worth looking at: beyond lie at most `high_tail` on the side of large losses and `low_tail` on the
  /// other, in the direction's law.
  struct range {
    double from, to;
  };
  range domain(pld_direction direction, double high_tail, double low_tail) const {
    if (kind == shape::laplace) return {0, 1};
    const bool remove = direction == pld_direction::remove;
    const double left_tail = remove ? low_tail : high_tail, right_tail = remove ? high_tail : low_tail;
    range found{infinite, -infinite};
    // 1 - Phi(x) <= exp(-x^2/2)/2, and there are at most two components.
    const auto component = [&](double weight, double centre) {
      if (weight > left_tail) found.from = std::min(found.from, centre - std::sqrt(2 * std::log(weight / left_tail)));
      if (weight > right_tail) found.to = std::max(found.to, centre + std::sqrt(2 * std::log(weight / right_tail)));
    };
    const bool first = remove || kind == shape::two_sided;
    component(first ? 1 - rate : 1.0, 0);
    if (first) component(rate, remove ? slope : -slope);
    if (!(found.from < found.to)) found = {-1, 1 + slope};
    return found;
  }

  /// Whether cells of this step, over losses that span `width`, can be computed in doubles (and, for Gaussian noise so
  /// small that epsilon is above 1e8, in reasonable time).
  bool computable(double width, double step) const {
    return step > 1e-250 && width < 1e250 && (kind != shape::gaussian || slope < 2e4) &&
           (kind != shape::two_sided || slope * (slope + 40) < 600);
  }

  /// The largest finite loss of the direction; infinite for Gaussian noise unless a sample bounds it.
  double largest_loss(pld_direction direction) const {
    const bool remove = direction == pld_direction::remove || symmetric;
    double largest = -infinite;
    for (const atom& a : atoms) largest = std::max(largest, remove ? a.loss : -a.loss);
    if (kind == shape::gaussian) largest = remove || rate == 1 ? infinite : -std::log1p(-rate);
    if (kind == shape::two_sided) largest = infinite;
    return largest;
  }
};

struct counted_pair {
  loss_pair pair;
  double count;
};

/// How many ulps the sum of the largest losses may be wrong by: a mixture of a y that is itself wrong by libm + 2 ulps,
/// which count up to 1 + y times where the sample is small; and the roundings of the sum.
inline double largest_loss_ulps(std::span<const counted_pair> pairs) {
  double reach = 0;
  for (const counted_pair& c : pairs) reach = std::max(reach, c.pair.rate < 1 ? c.pair.atom_reach : 0);
  return 8 * libm + (libm + 2) * reach;
}

/// The pairs with those that are not attained replaced by ones that are.
inline std::vector<counted_pair> attained(std::vector<counted_pair> pairs) {
  for (counted_pair& c : pairs) {
    if (!c.pair.subset) continue;
    c.pair.subset = false;
    c.pair.symmetric = false;
  }
  return pairs;
}

/// The pair of an event, or nothing where none is known (discrete Gaussian noise).
inline std::optional<loss_pair> pair_of(const privacy_event& event) {
  loss_pair pair;
  double q = 1;
  if (const auto* sample = std::get_if<poisson_sample>(&event.sampling)) q = sample->rate;
  if (const auto* sample = std::get_if<fixed_size_sample>(&event.sampling)) {
    if (sample->size < sample->population) {
      q = static_cast<double>(sample->size) / static_cast<double>(sample->population);
      pair.subset = true;
    }
  }
  pair.rate = q;
  pair.symmetric = q == 1 || pair.subset;
  struct base_atom {
    double y, log_a;
  };
  std::vector<base_atom> base;
  double distinguishing = 0, variation = 0, at_zero = 0;
  const bool known =
      std::visit(overloaded{[&](const gaussian_noise& noise) {
                              pair.kind = loss_pair::shape::gaussian;
                              pair.slope = 1 / noise.multiplier;
                              if (q < 1 && event.relation == neighbours::replace && !pair.subset) {
                                pair.kind = loss_pair::shape::two_sided;
                                pair.slope /= 2;
                                pair.symmetric = true;
                                variation = std::erf(pair.slope * sqrt_half);
                              } else {
                                variation = std::erf(pair.slope * sqrt_half / 2);
                              }
                              return true;
                            },
                            [&](const laplace_noise& noise) {
                              const double y = 1 / noise.multiplier;
                              pair.kind = loss_pair::shape::laplace;
                              pair.slope = 2 * y;
                              base = {{-y, -std::log(2.0)}, {y, -std::log(2.0) - y}};
                              variation = -std::expm1(-y / 2);
                              return true;
                            },
                            [&](const discrete_gaussian_noise&) { return false; },
                            [&](const randomized_response& noise) {
                              const double buckets = static_cast<double>(noise.buckets), other = noise.noise / buckets;
                              const double y = std::log1p((1 - noise.noise) / other), log_other = std::log(other);
                              base = {{-y, log_other + y}, {y, log_other}};
                              at_zero = (buckets - 2) * other;
                              if (at_zero > 0) base.push_back({0, std::log(at_zero)});
                              variation = 1 - noise.noise;
                              return true;
                            },
                            [&](const approximate_dp& claim) {
                              const double y = claim.epsilon, kept = std::log1p(-claim.delta);
                              base = {{-y, kept - std::log1p(std::exp(-y))}, {y, kept - softplus(y)}};
                              distinguishing = claim.delta;
                              variation = claim.delta + (1 - claim.delta) * std::tanh(y / 2);
                              return true;
                            }},
                 event.noise);
  if (!known) return std::nullopt;
  for (const base_atom& a : base) {
    pair.atoms.push_back({log_mixture(q, a.y), a.log_a});
    pair.atom_reach = std::max(pair.atom_reach, std::abs(a.y));
  }
  if (distinguishing > 0) {
    pair.p_infinite = q * distinguishing;
    if (q < 1) {
      pair.atoms.push_back({std::log1p(-q), std::log(distinguishing)});
    } else {
      pair.q_infinite = distinguishing;
    }
  }
  pair.zero_mass = (1 - q) * variation + at_zero;
  pair.total_variation = raised(std::min(1.0, q * variation));
  return pair;
}

/// The pairs of a ledger, equal ones counted together and Gaussian noise on all units merged into one release (the
/// precisions 1/z^2 add up); nothing where an event has no pair.
inline std::optional<std::vector<counted_pair>> pairs_of(const ledger& book) {
  struct counted_event {
    mechanism noise;
    dplda::sampling sampling;
    neighbours relation;
    double count;
  };
  std::vector<counted_event> events;
  double precision = 0, carried = 0;
  const ledger::entry* merged = nullptr;
  double merged_count = 0;
  for (const ledger::entry& entry : book.entries()) {
    if (reveals_nothing(entry.event)) continue;
    const auto count = static_cast<double>(entry.count);
    const auto* sample = std::get_if<poisson_sample>(&entry.event.sampling);
    const auto* fixed = std::get_if<fixed_size_sample>(&entry.event.sampling);
    const bool all = (sample == nullptr || sample->rate == 1) && (fixed == nullptr || fixed->size == fixed->population);
    const auto* gaussian = std::get_if<gaussian_noise>(&entry.event.noise);
    if (gaussian != nullptr && all) {
      // Kahan's sum, so that its error does not grow with the number of entries.
      const double term = count / gaussian->multiplier / gaussian->multiplier - carried, sum = precision + term;
      carried = std::isfinite(sum) ? (sum - precision) - term : 0;
      precision = sum;
      merged = &entry;
      merged_count += count;
      continue;
    }
    const auto same = std::find_if(events.begin(), events.end(), [&](const counted_event& e) {
      return e.noise == entry.event.noise && e.sampling == entry.event.sampling;
    });
    if (same == events.end()) {
      events.push_back({entry.event.noise, entry.event.sampling, entry.event.relation, count});
    } else {
      same->count += count;
    }
  }
  std::vector<counted_pair> pairs;
  if (merged != nullptr) {
    const double multiplier =
        merged_count == 1 ? std::get<gaussian_noise>(merged->event.noise).multiplier : 1 / std::sqrt(precision);
    if (!(multiplier > 0) || !std::isfinite(multiplier)) return std::nullopt;
    pairs.push_back({*pair_of({.noise = gaussian_noise{multiplier}, .relation = merged->event.relation}), 1});
  }
  for (const counted_event& e : events) {
    const auto pair = pair_of({.noise = e.noise, .sampling = e.sampling, .relation = e.relation});
    if (!pair) return std::nullopt;
    pairs.push_back({*pair, e.count});
  }
  return pairs;
}

}  // namespace dplda::detail

#endif

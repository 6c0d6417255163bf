// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_LOSS_PAIR_HPP
#define DPLDA_ACCOUNTING_DETAIL_LOSS_PAIR_HPP

// A pair of laws (P, Q) and its privacy losses log dP/dQ. Which pair stands for which event: pld_pair.hpp.

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Which law of a pair generates the output whose loss is counted: P (the corpus with the unit) or Q (without it).
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
  double tail = 0;        // of each law, beyond the atoms: infinite losses from above, left out from below
  bool symmetric = true;  // (P, Q) and (Q, P) have the same loss distribution
  bool subset = false;    // the mirrored pair described above, with this mass at loss 0
  double zero_mass = 0;
  double total_variation = 0;  // of P and Q, rounded up
  double loss_error = 0;       // how far the losses of atoms may be from the truth
  /// A pair for lower bounds, where this one is not attained.
  std::shared_ptr<const loss_pair> below = nullptr;

  /// The atoms that matter. Beside those of a pair with a tail, which are in the order of their losses, lie at most
  /// `high_tail` on the side of large losses and `low_tail` on the other, in the direction's law.
  std::span<const atom> atoms_within(pld_direction direction, double high_tail, double low_tail) const {
    if (!(tail > 0) || subset) return atoms;
    const bool remove = direction == pld_direction::remove;
    const auto without = [&](auto first, auto last, double allowed) {
      double sum = 0;
      for (; first != last; ++first)
        if (!((sum += std::exp(first->log_q + (remove ? first->loss : 0))) < 0.9 * allowed)) break;
      return first;
    };
    const auto begin = without(atoms.begin(), atoms.end(), remove ? low_tail : high_tail);
    const auto end = without(atoms.rbegin(), std::reverse_iterator(begin), remove ? high_tail : low_tail).base();
    return {begin, end};
  }

  bool is_attained() const { return !subset && below == nullptr; }

  double offset_y() const { return kind == shape::gaussian ? -slope * slope / 2 : -slope / 2; }

  double log_density(double z) const {
    return kind == shape::laplace ? std::log(slope / 4) - slope * z / 2 : -z * z / 2 - log_sqrt_two_pi;
  }

  double weight_two_sided() const { return rate * std::exp(-slope * slope / 2); }

  double loss(double z) const {
    if (kind != shape::two_sided) return log_mixture(rate, slope * z + offset_y());
    return log_mixture(rate, slope * z - slope * slope / 2) - log_mixture(rate, -slope * z - slope * slope / 2);
  }

  /// e^l - (1 - q), by the difference that does not cancel.
  double beyond_least(double l) const { return l < -0.5 ? std::exp(l) - (1 - rate) : std::expm1(l) + rate; }

  /// The z at which the loss is l; minus infinity if every loss is above l.
  double z_of_loss(double l) const {
    if (kind == shape::two_sided) {
      return (l / 2 + std::asinh((1 - rate) * std::sinh(l / 2) / weight_two_sided())) / slope;
    }
    if (rate == 1) return (l - offset_y()) / slope;
    // log(1 + (e^l - 1) / q), where e^l may overflow.
    if (l > 1) return (l - std::log(rate) + std::log1p((rate - 1) * std::exp(-l)) - offset_y()) / slope;
    if (l < -0.5) {
      const double ratio = beyond_least(l) / rate;
      return ratio <= 0 ? -infinite : (std::log(ratio) - offset_y()) / slope;
    }
    const double v = std::expm1(l) / rate;
    return v <= -1 ? -infinite : (std::log1p(v) - offset_y()) / slope;
  }

  /// The z that matter: beyond them lie at most `high_tail` on the side of large losses and `low_tail` on the other, in
  /// the direction's law.
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

  /// Whether cells of this step, over losses of this range, can be computed in doubles. Gaussian noise so small that
  /// epsilon exceeds 1e8 would also take too long.
  bool computable(double width, double step) const {
    return step > 1e-250 && width < 1e250 && (kind != shape::gaussian || slope < 2e4) &&
           (kind != shape::two_sided || slope * (slope + 40) < 600);
  }

  /// Whether there are finite losses; if not, the laws have no outcome in common.
  bool has_finite_losses() const { return kind != shape::none || !atoms.empty(); }

  /// The largest finite loss of the direction; infinite for Gaussian noise unless a sample bounds it.
  double largest_loss(pld_direction direction) const {
    const bool remove = direction == pld_direction::remove || symmetric;
    double largest = -infinite;
    for (const atom& a : atoms) largest = std::max(largest, remove ? a.loss : -a.loss);
    if (kind == shape::gaussian) largest = remove || rate == 1 ? infinite : -std::log1p(-rate);
    if (kind == shape::two_sided || tail > 0) largest = infinite;
    return largest;
  }
};

/// The pair (B, A) of one use of a mechanism on all units, as the table of mechanisms gives it: with the unit, and
/// without it. Unless `symmetric` is false, exchanging B and A turns y = log dB/dA into -y.
struct base_pair {
  struct atom {
    double y, log_a;  // B's mass is exp(y + log_a)
  };

  loss_pair::shape kind = loss_pair::shape::none;
  double slope = 0;
  std::vector<atom> atoms = {};
  double b_only = 0, a_only = 0;  // the masses of outcomes that only one of the laws has
  double at_zero = 0;             // A's mass where y = 0, among the atoms
  double variation = 0;           // the total variation distance of B and A
  double tail = 0;                // at least the mass of B, and of A, beyond the atoms
  double y_error = 0;             // how far each y may be from the truth, besides a relative error of libm + 2 ulps
  bool symmetric = true;
};

/// The pair of binary randomised response, which every epsilon-DP mechanism post-processes; with probability delta, an
/// outcome that tells the law.
inline base_pair worst_pure_pair(double epsilon, double delta = 0) {
  const double kept = std::log1p(-delta);
  return {.atoms = {{-epsilon, kept - std::log1p(std::exp(-epsilon))}, {epsilon, kept - softplus(epsilon)}},
          .b_only = delta,
          .a_only = delta,
          .variation = delta + (1 - delta) * std::tanh(epsilon / 2)};
}

struct counted_pair {
  loss_pair pair;
  double count;
};

/// The error, in ulps, of the sum of the largest losses: a mixture of a y that itself errs by libm + 2 ulps, which
/// count up to 1 + y times if the sample is small; and the roundings of the sum.
inline double largest_loss_ulps(std::span<const counted_pair> pairs) {
  double reach = 0;
  for (const counted_pair& c : pairs) reach = std::max(reach, c.pair.rate < 1 ? c.pair.atom_reach : 0);
  return 8 * libm + (libm + 2) * reach;
}

/// The pairs, with those that are not attained replaced by pairs that are.
inline std::vector<counted_pair> attained(std::vector<counted_pair> pairs) {
  for (counted_pair& c : pairs) {
    if (c.pair.below) c.pair = loss_pair(*c.pair.below);
    if (!c.pair.subset) continue;
    c.pair.subset = false;
    c.pair.symmetric = false;
  }
  return pairs;
}

}  // namespace dplda::inline v0_1::detail

#endif

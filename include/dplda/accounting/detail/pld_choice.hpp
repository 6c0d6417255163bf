// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_CHOICE_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_CHOICE_HPP

// Choosing a lattice: the tilt, the window and the step with which one direction of a ledger is computed. Nothing here
// is certified: a bad choice widens the bounds and cannot break them.

#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/pld_blocks.hpp>
#include <dplda/accounting/detail/pld_compose.hpp>
#include <dplda/accounting/detail/pld_sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// What is asked: epsilon at a delta, or delta at an epsilon; both bounds, or (where the pairs are not attained) only
/// the upper one.
struct pld_query {
  bool for_epsilon;
  double value;
  double relative_width, absolute_width;
  std::size_t max_points;
  bool upper_only = false;
  /// A lower bound on the answer from elsewhere; a direction that costs less need not be found exactly.
  double known = 0;
};

/// The losses of all pairs in one direction, as samples.
struct sampled_losses {
  std::span<const counted_pair> pairs;
  pld_direction direction;
  double uses = 0;                     // how many losses there are
  double high_tail = 0, low_tail = 0;  // masses of one loss that cannot matter, where losses are large and small
  double widest = 0;                   // the widest range of one loss
  std::vector<loss_sample> samples = {};

  sampled_losses(std::span<const counted_pair> all, pld_direction one) : pairs(all), direction(one) {
    for (const counted_pair& c : pairs) uses += c.count;
  }

  pld_direction direction_of(const loss_pair& pair) const { return pair.symmetric ? pld_direction::remove : direction; }

  /// Tails whose masses cannot matter: together at most e^-14 of delta where losses are large.
  void sample(double log_delta) {
    high_tail = std::exp(std::max(log_delta - std::log(uses) - 14, -700.0));
    low_tail = 1e-10 / uses;
    samples.clear();
    widest = 0;
    for (const auto& [pair, count] : pairs) {
      samples.emplace_back(pair, direction_of(pair), high_tail, low_tail);
      widest = std::max(widest, samples.back().width());
    }
  }

  /// The cumulants of the sum.
  cumulants total(double theta) const {
    cumulants sum;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const cumulants one = samples[i].at(theta);
      sum.value += pairs[i].count * one.value;
      sum.mean += pairs[i].count * one.mean;
      sum.variance += pairs[i].count * one.variance;
    }
    return sum;
  }
};

/// How much the losses are tilted, and the epsilon that is expected to come out.
struct chosen_tilt {
  double theta, epsilon;
};

/// Where the tilted sum lies, and how long that range is.
struct chosen_window {
  chernoff_window window;
  double range;
};

/// The first step to try, and the smallest.
struct chosen_step {
  double step, least;
};

/// A step near the wanted one, and the pair whose atoms lie on the lattice, if any.
struct aligned_step {
  double step;
  std::size_t pair;
};

/// The saddle point is near the order at which the Renyi bound is best.
inline chosen_tilt choose_tilt(const sampled_losses& losses, const pld_query& query, double log_delta) {
  const cumulants plain = losses.total(0);
  const double spread = std::max({std::sqrt(plain.variance), 1e-4 * std::abs(plain.mean), 1e-200});
  const auto price = [&](double log_theta) {
    const double theta = std::exp(log_theta), k = losses.total(theta).value, w = std::log(largest_weight(theta));
    return query.for_epsilon ? (k - log_delta + w) / theta : k - theta * query.value + w;
  };
  double best = 0, best_price = infinite;
  for (int i = 0; i < 24; ++i) {
    const double t = std::log(1e-2 / spread) + 0.7 * i, p = price(t);
    if (p < best_price) {
      best_price = p;
      best = t;
    }
  }
  double low = best - 0.7, high = best + 0.7;
  for (int i = 0; i < 7; ++i) {
    const double third = (high - low) / 3;
    if (price(low + third) < price(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return {std::exp((low + high) / 2), query.for_epsilon ? std::max(0.0, price((low + high) / 2)) : query.value};
}

/// delta's share of what the tilt brought into the middle decides how rare the rest must be.
inline chosen_window choose_window(const sampled_losses& losses, double theta) {
  const double near = 1 / theta, nearer = 1 / (1 + theta);
  const double spread = std::sqrt(6.3 * (losses.total(theta).variance + near * near + nearer * nearer));
  const double share = -std::log(theta * (1 + theta) * spread) - std::log(largest_weight(theta));
  const auto at = [&](double t) { return losses.total(t); };
  const rough_window found = window_of(at, theta, std::min(share, 0.0) - 14, losses.widest, 0, infinite);
  return {found.window, found.right - found.left};
}

/// Where single losses may be far larger than the spread of the sum, the best tilt in theory brings them into the
/// middle and makes the window long. A smaller one costs precision, of which there is enough.
inline void shorten(const sampled_losses& losses, chosen_tilt& tilt, chosen_window& window) {
  if (!(window.range > 25 * std::sqrt(losses.total(0).variance))) return;
  const auto log_noise = [&](double theta) { return losses.total(theta).value - theta * tilt.epsilon; };
  const double least = log_noise(tilt.theta);
  for (double theta = tilt.theta / std::numbers::sqrt2; log_noise(theta) < least + 7; theta /= std::numbers::sqrt2) {
    const chosen_window shorter = choose_window(losses, theta);
    if (!(shorter.range < 0.95 * window.range)) break;
    tilt.theta = theta;
    window = shorter;
  }
}

/// A step that divides the distance of the two heaviest atoms of the pair whose atoms weigh most.
inline aligned_step align(const sampled_losses& losses, double step) {
  aligned_step choice{step, losses.samples.size()};
  loss_sample::atom_gap most;
  for (std::size_t i = 0; i < losses.samples.size(); ++i) {
    loss_sample::atom_gap gap = losses.samples[i].gap();
    gap.weight *= losses.pairs[i].count;
    if (gap.weight > most.weight && gap.distance >= step) {
      most = gap;
      choice.pair = i;
    }
  }
  if (choice.pair < losses.samples.size()) choice.step = most.distance / std::ceil(most.distance / step * (1 - 1e-12));
  return choice;
}

/// How much wider than the truth a lattice makes epsilon: splitting a loss x between the ends of [a, b] raises its
/// cumulant at theta by theta (1 + theta) (x - a)(b - x) / 2, and joining lowers it by about half of that.
inline double predicted_width(const sampled_losses& losses, double theta, double step) {
  double width = 0;
  const aligned_step lattice = align(losses, step);
  for (std::size_t i = 0; i < losses.samples.size(); ++i) {
    width += losses.pairs[i].count * 0.75 * (1 + theta) *
             losses.samples[i].mean_split(theta, lattice.step, i != lattice.pair);
  }
  return width;
}

/// Q masses at neighbouring lattice points differ by e^step, so wide steps lose all digits.
inline constexpr double widest_step = 8;

/// How much coarser the lattice of blocks is than that of single losses; 1 where single losses are enough.
inline std::int64_t coarseness(double range, double uses, double step) {
  std::int64_t factor = 1;
  while (range / step / static_cast<double>(factor) > 40000 &&
         static_cast<double>(factor) < std::pow(uses / 32, 0.25) &&
         2 * static_cast<double>(factor) * step < widest_step)
    factor *= 2;
  return factor;
}

inline chosen_step choose_step(const sampled_losses& losses, const pld_query& query, const chosen_tilt& tilt,
                               double range) {
  const double known = query.upper_only ? 0 : query.known;
  const double points = 0.9 * static_cast<double>(query.max_points);
  double width = query.relative_width / tilt.theta;
  if (query.for_epsilon) {
    width = std::max(
        {query.absolute_width, (known - tilt.epsilon) / 2, 0.8 * query.relative_width * std::max(tilt.epsilon, known)});
  }
  const double least =
      std::max(range / (points * std::max(1.0, std::pow(losses.uses / 32, 0.25))), losses.widest / points);
  double step = std::max(least, std::min(range / 32, widest_step));
  while (step > least && predicted_width(losses, tilt.theta, step) > width / 2) step = std::max(least, step / 1.4);
  // Joining is at its worst where a step is about as wide as the steep flank of the losses.
  for (std::size_t i = 0; i < losses.samples.size(); ++i) {
    const double flank = losses.samples[i].flank();
    const bool matters = losses.pairs[i].count > 16 && !losses.samples[i].has_atoms() && !query.upper_only;
    if (matters && step > 0.15 * flank && step < 6 * flank && known <= tilt.epsilon)
      step = std::max(least, 0.15 * flank);
  }
  if (coarseness(range, losses.uses, step) > 1)  // two lattices, twice the error
    step = std::max(least, step / std::numbers::sqrt2);
  return {step, least};
}

}  // namespace dplda::inline v0_1::detail

#endif

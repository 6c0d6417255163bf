// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ALLOCATION_PAIR_HPP
#define DPLDA_ACCOUNTING_DETAIL_ALLOCATION_PAIR_HPP

// The pair of laws of random allocation: each unit is in exactly one of t batches, and each batch gets Gaussian noise.
//
// Claim: allocation_pair(z, t) dominates all neighbours by add_remove that fit the event, in both directions; its
//   `below` is dominated by some that do.
// Preconditions: sampling.hpp's random_allocation. A batch may be handled by results of earlier batches; the noise is
//   fixed beforehand. z = multiplier, s = 1/z.
// Argument:
//   - Given the batches of all other units (which do not depend on this one; joint convexity averages over them) and
//     their contributions, let Q be the law of the t noisy sums without the unit, and v_i its contribution to batch i, a
//     function of earlier results, |v_i| <= 1 in units of the sensitivity. The density of P against Q is W = (1/t) sum
//     of e^(l_i), l_i = s <y_i, v_i> - s^2 |v_i|^2 / 2, y_i standard normal. A pair's hockey-stick curve E_Q[max(0, W -
//     a)] for all a > 0 tells both directions, and grows with the convex order of W.
//   - Where |v_i| < 1, l_i is completed by s sqrt(1 - |v_i|^2) times a normal number of its own, minus half its variance:
//     W is the conditional mean of the completed one, so it is smaller in convex order. With |v_i| = 1 for all i, each
//     <y_i, v_i> is standard normal given the past, so they are independent, whatever the dependence of v_i on the past.
//     So W is at most, and for constant v_i equal to, the mean of t independent log-normals of mean 1. (Feldman and
//     Shenfeld, 2025, come to the same pair.)
//   - Sums of independent variables keep the convex order in each. So the law of the sum of t is computed by doubling,
//     on a grid of values: from above, each bin's mass is split between its ends so that its mean stays (a spread);
//     from below, it is joined at its mean (a contraction). What lies beyond the grid is spread to 0 and to infinity, or
//     joined in one atom.
//   - Rounding: all terms are positive. A bin adds up at most 10^7 of them, so masses and means are within 2e-9 of
//     themselves after each of at most 60 sums, and within 2e-7 at the end; losses and masses are given that error.
// Test: tests/accounting/allocation_test.cpp

#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/normal.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Bins of positive numbers whose ends are doubles of few binary digits: fine ones around the middle of a law, where
/// they are `share` of a number wide at most, and coarse ones beside them. The first bin is [0, low).
class value_grid {
 public:
  value_grid(double low, double core_from, double core_to, double top, double share, int coarse_digits)
      : fine_(52 - std::clamp(static_cast<int>(std::ceil(-std::log2(share))), coarse_digits, 24)),
        coarse_(52 - coarse_digits) {
    low_ = rounded(low);
    from_ = rounded(std::max(low_, core_from));
    to_ = std::max(from_, rounded(core_to));
    top_ = std::max(to_, rounded(2 * top));
    first_fine_ = 1 + (word(from_) >> coarse_) - (word(low_) >> coarse_);
    first_high_ = first_fine_ + (word(to_) >> fine_) - (word(from_) >> fine_);
    bins_ = first_high_ + (word(top_) >> coarse_) - (word(to_) >> coarse_);
  }

  std::size_t bins() const { return bins_; }
  double top() const { return top_; }
  /// The bin of a number; bins() for numbers of at least top().
  std::size_t bin(double w) const {
    if (w < from_) return w < low_ ? 0 : 1 + ((word(w) >> coarse_) - (word(low_) >> coarse_));
    if (w < to_) return first_fine_ + ((word(w) >> fine_) - (word(from_) >> fine_));
    return w < top_ ? first_high_ + ((word(w) >> coarse_) - (word(to_) >> coarse_)) : bins_;
  }
  /// The lower end of a bin; of bins(), the top.
  double end(std::size_t bin) const {
    if (bin == 0) return 0;
    if (bin < first_fine_) return number(((word(low_) >> coarse_) + bin - 1) << coarse_);
    if (bin < first_high_) return number(((word(from_) >> fine_) + bin - first_fine_) << fine_);
    return number(((word(to_) >> coarse_) + bin - first_high_) << coarse_);
  }

 private:
  static std::uint64_t word(double x) { return std::bit_cast<std::uint64_t>(x); }
  static double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  double rounded(double x) const { return number(word(x) >> coarse_ << coarse_); }

  int fine_, coarse_;
  double low_, from_, to_, top_;
  std::size_t first_fine_, first_high_, bins_;
};

/// Masses at positive numbers, ascending, and at 0; `infinite` is the part of the mean that lies at infinity.
struct positive_law {
  std::vector<double> value, mass;
  double at_zero = 0, infinite = 0;
};

/// The mass and the part of the mean in each bin of a grid, to be spread or joined.
class binned_law {
 public:
  explicit binned_law(value_grid grid) : grid_(grid), mass_(grid.bins() + 1, 0.0), mean_(grid.bins() + 1, 0.0) {}

  const value_grid& grid() const { return grid_; }
  void add(double w, double mass) { add(grid_.bin(w), mass, mass * w); }
  void add(std::size_t bin, double mass, double mean) {
    mass_[bin] += mass;
    mean_[bin] += mean;
  }
  /// Mass that is not worth a place of its own.
  void add_rest(double mass, double mean) {
    rest_mass_ += mass;
    rest_mean_ += mean;
  }

  /// A larger law in convex order; `before` are the parts that already lie at 0 and at infinity.
  positive_law spread(double at_zero, double at_infinity) const {
    positive_law law{{}, {}, at_zero + rest_mass_, at_infinity + rest_mean_};
    std::vector<double> at(mass_.size(), 0.0);
    for (std::size_t k = 0; k < grid_.bins(); ++k) {
      if (!(mass_[k] > 0)) continue;
      const double low = grid_.end(k), width = grid_.end(k + 1) - low;
      const double part = std::clamp((mean_[k] / mass_[k] - low) / width, 0.0, 1.0);
      at[k] += (1 - part) * mass_[k];
      at[k + 1] += part * mass_[k];
    }
    at.back() += mass_.back();
    law.infinite += std::max(0.0, mean_.back() - grid_.top() * mass_.back());
    law.at_zero += at[0];
    for (std::size_t k = 1; k < at.size(); ++k) append(law, grid_.end(k), at[k], true);
    return law;
  }

  /// A smaller one.
  positive_law joined() const {
    positive_law law;
    for (std::size_t k = 0; k < mass_.size(); ++k)
      if (mass_[k] > 0) append(law, mean_[k] / mass_[k], mass_[k], false);
    if (rest_mass_ > 0 && rest_mean_ > 0) {
      const double w = rest_mean_ / rest_mass_;
      const auto place = std::lower_bound(law.value.begin(), law.value.end(), w) - law.value.begin();
      law.value.insert(law.value.begin() + place, w);
      law.mass.insert(law.mass.begin() + place, rest_mass_);
    }
    return law;
  }

 private:
  static constexpr double nothing = 1e-36;

  static void append(positive_law& law, double w, double mass, bool spread) {
    if (!(mass > 0)) return;
    if (spread && mass < nothing && mass * w < nothing) {
      law.at_zero += mass;
      law.infinite += mass * w;
      return;
    }
    law.value.push_back(w);
    law.mass.push_back(mass);
  }

  value_grid grid_;
  std::vector<double> mass_, mean_;
  double rest_mass_ = 0, rest_mean_ = 0;
};

/// Sums of independent log-normal numbers e^(s x - s^2/2), x standard normal, from above or from below.
class lognormal_sums {
 public:
  lognormal_sums(double s, bool above) : s_(s), above_(above) {}

  positive_law of(std::uint64_t count) const {
    if (count == 1) return one();
    const positive_law half = of(count / 2);
    const positive_law both = sum(half, half, grid_for(count / 2 * 2));
    return count % 2 == 0 ? both : sum(both, one(), grid_for(count));
  }

 private:
  /// A law like a log-normal of the same mean and variance, with the tail of its largest summand.
  value_grid grid_for(std::uint64_t count) const {
    const auto n = static_cast<double>(count);
    const double spread = std::sqrt(std::log1p(std::expm1(s_ * s_) / n)), centre = std::log(n) - spread * spread / 2;
    const double low = std::max(centre - 13 * spread - 1, -600.0), tail = s_ * (s_ / 2 + 13.5);
    const double top = std::max(centre + spread * (spread + 13), tail) + std::log(2.0);
    return value_grid(std::exp(low), std::exp(centre - 8 * spread), std::exp(centre + spread * (8 + spread)),
                      std::exp(std::max(top, std::log(2 * n))), spread / 48, count > 128 ? 7 : 6);
  }

  positive_law one() const {
    binned_law bins(grid_for(1));
    const value_grid& grid = bins.grid();
    const auto place = [&](std::size_t k) { return k == 0 ? -infinite : std::log(grid.end(k)) / s_ + s_ / 2; };
    double from = place(0);
    for (std::size_t k = 0; k <= grid.bins(); ++k) {
      const double to = k == grid.bins() ? infinite : place(k + 1);
      bins.add(k, normal_between(from, to), normal_between(from - s_, to - s_));
      from = to;
    }
    return finished(bins, 0, 0);
  }

  static double normal_between(double from, double to) {
    const auto above = [](double x) { return std::erfc(x * sqrt_half) / 2; };
    return std::max(0.0, from + to > 0 ? above(from) - above(to) : above(-to) - above(-from));
  }

  positive_law finished(const binned_law& bins, double at_zero, double at_infinity) const {
    return above_ ? bins.spread(at_zero, at_infinity) : bins.joined();
  }

  positive_law sum(const positive_law& a, const positive_law& b, value_grid grid) const {
    binned_law bins(grid);
    const std::size_t size = b.value.size();
    std::vector<double> mass_to(size + 1, 0.0);                              // of the first atoms of b
    std::vector<double> mass_from(size + 1, 0.0), mean_from(size + 1, 0.0);  // of the others
    for (std::size_t j = 0; j < size; ++j) mass_to[j + 1] = mass_to[j] + b.mass[j];
    for (std::size_t j = size; j > 0; --j) {
      mass_from[j - 1] = mass_from[j] + b.mass[j - 1];
      mean_from[j - 1] = mean_from[j] + b.mass[j - 1] * b.value[j - 1];
    }
    // The sum of a law with itself: each pair of different atoms once, and twice its mass.
    const bool same = &a == &b;
    for (std::size_t i = 0; i < a.value.size(); ++i) {
      const double w = a.value[i], mass = same ? 2 * a.mass[i] : a.mass[i];
      const auto left = [&](double m, double mean) { return mass * (mean + w * m); };
      const std::size_t begin = same ? i + 1 : 0;
      std::size_t first = begin, last = size;
      if (same) bins.add(2 * w, a.mass[i] * a.mass[i]);
      while (first < size && mass * mass_to[first + 1] < negligible) ++first;
      while (last > first && left(mass_from[last - 1], mean_from[last - 1]) < negligible &&
             mass * mass_from[last - 1] < negligible)
        --last;
      for (std::size_t j = begin; j < first; ++j)
        bins.add_rest(mass * b.mass[j], left(b.mass[j], b.mass[j] * b.value[j]));
      bins.add_rest(mass * mass_from[last], left(mass_from[last], mean_from[last]));
      for (std::size_t j = first; j < last; ++j) bins.add(w + b.value[j], mass * b.mass[j]);
      bins.add(w, mass * b.at_zero);
    }
    for (std::size_t j = 0; j < size; ++j) bins.add(b.value[j], a.at_zero * b.mass[j]);
    return finished(bins, a.at_zero * b.at_zero, a.infinite + b.infinite);
  }

  static constexpr double negligible = 1e-34;

  double s_;
  bool above_;
};

/// A law of W = sum / t as a pair: Q's masses are the law's, and P's are W times those.
inline loss_pair pair_of_law(const positive_law& law, double t, bool above) {
  constexpr double error = 2e-7;
  loss_pair pair{.symmetric = false};
  pair.loss_error = error;
  for (std::size_t i = 0; i < law.value.size(); ++i) {
    const double loss = std::log(law.value[i] / t);
    pair.atoms.push_back({loss, std::log(law.mass[i]) + (above ? error : -error)});
    pair.atom_reach = std::max(pair.atom_reach, std::abs(loss));
    pair.total_variation += law.mass[i] * std::max(0.0, law.value[i] / t - 1);
  }
  pair.p_infinite = above ? raised(law.infinite / t * (1 + error)) : 0;
  pair.q_infinite = above ? raised(law.at_zero * (1 + error)) : 0;
  pair.total_variation = std::min(1.0, raised((pair.total_variation + pair.p_infinite) * (1 + 3 * error)));
  return pair;
}

/// Nothing where the log-normals are too wide for the grid.
inline std::optional<loss_pair> allocation_pair(double multiplier, std::uint64_t batches) {
  const double s = 1 / multiplier;
  if (!(s < 12) || !(s > 1e-5)) return std::nullopt;
  const auto t = static_cast<double>(batches);
  loss_pair pair = pair_of_law(lognormal_sums(s, true).of(batches), t, true);
  pair.below = std::make_shared<const loss_pair>(pair_of_law(lognormal_sums(s, false).of(batches), t, false));
  return pair;
}

}  // namespace dplda::inline v0_1::detail

#endif

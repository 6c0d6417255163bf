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
//   - Epochs, and other releases between their batches: with |v_i| = 1 each <y_i, v_i> is standard normal given all that
//     went before, of whatever release. So the W of all epochs and the densities of the other releases are independent,
//     and the pair of all is the product of their pairs, in whatever order the releases are made.
//   - Sums of independent variables keep the convex order in each. So the law of the sum of t is computed by doubling,
//     on a grid of values. The mass of a bin is divided between its ends so that the mean stays. From above it goes to
//     these ends (a spread); from below it is joined at its mean (a contraction). What lies beyond the grid goes to 0
//     and to infinity from above; from below it is left out, which lowers every curve.
//   - Rounding. Follow the grid's choices in exact arithmetic, with values and masses of the first laws that may differ
//     from the log-normal's. `displaced` bounds how far logarithms of values are from the truth, and `relative`, how far
//     those of masses are (from above, masses may also be larger). Then W is within e^displaced of the truth.
//     Sums: all terms are positive. A product has the `relative` of both factors. Dividing it between ends takes 5
//     roundings u, and a compensated sum of n < 2^40 terms 2 u + n u^2. So each sum adds less than 8 ulps = 16 u, and
//     `relative` is about t times that of one summand. A value is the rounded sum of two: `displaced` is the larger of
//     the two and an ulp. An atom that was joined is a mean with weights within e^r, so it moves by at most half a bin's
//     width times r.
//     One summand: the mass of a bin is a difference of two erfc, and its error is counted relative to that difference.
//     So is that of its part of the mean, and both displace the bin's mean. An error of a bin's end, in standard
//     deviations, displaces values by s times as much.
// Test: tests/accounting/allocation_test.cpp

#include <dplda/accounting/detail/compensated_sum.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

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

/// Bins of positive numbers: fine ones in the middle of a law, and coarse ones beside them, of which the outermost begins
/// at 0. Their ends are doubles of `fine` and `coarse` binary digits, and those of the middle.
class value_grid {
 public:
  struct digits {
    int fine, coarse;
  };
  value_grid(double low, double from, double to, double top, digits kept)
      : fine_(52 - kept.fine), coarse_(52 - kept.coarse) {
    low_ = rounded(low, coarse_);
    from_ = std::max(low_, rounded(from, fine_));
    to_ = std::max(from_, rounded(to, fine_));
    top_ = std::max(rounded(2 * to_, coarse_), rounded(top, coarse_));
    ends_ = {0, low_};
    append(from_, coarse_);
    first_fine_ = ends_.size() - 1;
    append(to_, fine_);
    first_high_ = ends_.size() - 1;
    append(top_, coarse_);
  }

  std::size_t bins() const { return ends_.size() - 1; }
  double top() const { return top_; }
  /// The bin of a number below top().
  std::size_t bin(double w) const {
    if (w < from_) return w < low_ ? 0 : 1 + between(low_, w, coarse_);
    return w < to_ ? first_fine_ + between(from_, w, fine_) : first_high_ + between(to_, w, coarse_);
  }
  /// The lower end of a bin; of bins(), the top.
  double end(std::size_t bin) const { return ends_[bin]; }

 private:
  static std::uint64_t word(double x) { return std::bit_cast<std::uint64_t>(x); }
  static double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  static double rounded(double x, int shift) { return number(word(x) >> shift << shift); }
  static std::size_t between(double low, double w, int shift) { return (word(w) >> shift) - (word(low) >> shift); }

  /// The ends after the last one, up to `to`.
  void append(double to, int shift) {
    for (std::uint64_t next = (word(ends_.back()) >> shift) + 1; number(next << shift) < to; ++next)
      ends_.push_back(number(next << shift));
    if (ends_.back() < to) ends_.push_back(to);
  }

  int fine_, coarse_;
  double low_, from_, to_, top_;
  std::size_t first_fine_ = 0, first_high_ = 0;
  std::vector<double> ends_;
};

/// Masses at positive numbers, ascending, and at 0; `infinite` is the part of the mean that lies at infinity. The errors
/// are those of the logarithms of masses and of values, see above.
struct positive_law {
  std::vector<double> value = {}, mass = {};
  double at_zero = 0, infinite = 0;
  double relative = 0, displaced = 0;
};

/// The masses in the bins of a grid, each divided between the ends of its bin so that its mean stays.
class binned_law {
 public:
  explicit binned_law(value_grid grid) : grid_(std::move(grid)), parts_(grid_.bins()), inverse_width_(grid_.bins()) {
    for (std::size_t k = 0; k < grid_.bins(); ++k) inverse_width_[k] = 1 / (grid_.end(k + 1) - grid_.end(k));
  }

  const value_grid& grid() const { return grid_; }
  void add(double w, double mass) {
    if (w < grid_.top()) {
      add(grid_.bin(w), w, mass);
    } else {
      add_rest(mass, mass * w);
    }
  }
  void add(std::size_t bin, double w, double mass) {
    const double each = mass * inverse_width_[bin];
    parts_[bin].low.add(each * (grid_.end(bin + 1) - w));
    parts_[bin].high.add(each * (w - grid_.end(bin)));
  }
  /// Mass, and its part of the mean, without a place of its own.
  void add_rest(double mass, double mean) {
    rest_mass_.add(mass);
    rest_mean_.add(mean);
  }

  /// A larger law in convex order; the parts given lie at 0 and at infinity already.
  positive_law spread(double at_zero, double at_infinity) const {
    positive_law law;
    compensated_sum zero = rest_mass_, beyond = rest_mean_;
    zero.add(at_zero);
    beyond.add(at_infinity);
    double above = 0;
    for (std::size_t k = 0; k <= grid_.bins(); ++k) {
      const double w = grid_.end(k), mass = above + (k < grid_.bins() ? parts_[k].low.value() : 0);
      above = k < grid_.bins() ? parts_[k].high.value() : 0;
      if (k == 0 || (mass < nothing && mass * w < nothing)) {
        zero.add(mass);
        beyond.add(mass * w);
      } else {
        law.value.push_back(w);
        law.mass.push_back(mass);
      }
    }
    law.at_zero = zero.value();
    law.infinite = beyond.value();
    return law;
  }

  /// A smaller one, without the first bin and the rest. `relative` is the error of the masses that were added.
  positive_law joined(double relative) const {
    positive_law law;
    for (std::size_t k = 1; k < grid_.bins(); ++k) {
      const double low = grid_.end(k), width = grid_.end(k + 1) - low;
      const double mass = parts_[k].low.value() + parts_[k].high.value();
      if (mass < nothing && mass * low < nothing) continue;
      law.value.push_back(low + width * std::min(1.0, parts_[k].high.value() / mass));
      law.mass.push_back(mass);
      law.displaced = std::max(law.displaced, width / low * relative / 2);
    }
    return law;
  }

 private:
  static constexpr double nothing = 1e-36;
  struct parts {
    compensated_sum low, high;
  };

  value_grid grid_;
  std::vector<parts> parts_;
  std::vector<double> inverse_width_;
  compensated_sum rest_mass_, rest_mean_;
};

/// Sums of independent log-normal numbers e^(s x - s^2/2), x standard normal, from above or from below.
class lognormal_sums {
 public:
  lognormal_sums(double s, bool above) : s_(s), above_(above) {}

  positive_law of(std::uint64_t count) const {
    if (count == 1) return one();
    const positive_law half = of(count / 2);
    positive_law both = sum(half, half, grid_for(count / 2 * 2));
    return count % 2 == 0 ? both : sum(both, one(), grid_for(count));
  }

 private:
  /// A law like a log-normal of the same mean and variance, with the tail of its largest summand.
  value_grid grid_for(std::uint64_t count) const {
    const auto n = static_cast<double>(count);
    const double spread = std::sqrt(std::log1p(std::expm1(s_ * s_) / n)), centre = std::log(n) - spread * spread / 2;
    const double low = std::max(centre - 13 * spread - 1, -600.0), tail = s_ * (s_ / 2 + 13.5);
    const double top = std::max(centre + spread * (spread + 13), tail) + std::log(2.0);
    const auto digits = [](double share, int least, int most) {
      return std::clamp(static_cast<int>(std::ceil(-std::log2(share))), least, most);
    };
    const int coarse = digits(s_ / 48, 3, count > 128 ? 7 : 6);
    return value_grid(std::exp(low), std::exp(centre - 8 * spread), std::exp(centre + spread * (8 + spread)),
                      2 * std::exp(std::max(top, std::log(2 * n))), {digits(spread / 64, coarse, 36), coarse});
  }

  positive_law one() const {
    binned_law bins(grid_for(1));
    const value_grid& grid = bins.grid();
    const auto place = [&](std::size_t k) { return k == 0 ? -infinite : std::log(grid.end(k)) / s_ + s_ / 2; };
    double from = place(0), masses = 0, means = 0;
    for (std::size_t k = 0; k < grid.bins(); ++k) {
      const double to = place(k + 1);
      const piece mass = normal_between(from, to), mean = normal_between(from - s_, to - s_);
      from = to;
      if (std::max(mass.value, mean.value) < 1e-40) {
        bins.add_rest(mass.value + mass.error, mean.value + mean.error);
        continue;
      }
      bins.add(k, std::clamp(mean.value / mass.value, grid.end(k), grid.end(k + 1)), mass.value);
      masses = std::max(masses, mass.error / mass.value);
      means = std::max(means, mean.error / mean.value);
    }
    const piece mass = normal_between(from, infinite), mean = normal_between(from - s_, infinite);
    bins.add_rest(mass.value + mass.error, mean.value + mean.error);
    const double reach = std::max(-std::log(grid.end(1)), std::log(grid.top()));
    const positive_law exact{.relative = masses * (1 + 2 * masses),
                             .displaced = masses + means + (libm + 6) * ulp * (reach + s_ * s_ + s_)};
    return finished(bins, exact, {});
  }

  /// The mass of a standard normal number between two, and its error. The margin: the function and two roundings.
  struct piece {
    double value, error;
  };
  static piece normal_between(double from, double to) {
    if (from + to <= 0) std::swap(from = -from, to = -to);
    const double a = std::erfc(from * sqrt_half) / 2, b = std::erfc(to * sqrt_half) / 2;
    return {std::max(0.0, a - b), (libm + 2) * ulp * (a + b)};
  }

  /// The law in the bins, of which a and b are the summands.
  positive_law finished(const binned_law& bins, const positive_law& a, const positive_law& b) const {
    const double relative = a.relative + b.relative + 8 * ulp;
    positive_law law = above_ ? bins.spread(a.at_zero * b.at_zero, a.infinite + b.infinite) : bins.joined(relative);
    law.relative = relative;
    law.displaced += std::max(a.displaced, b.displaced) + 3 * ulp;
    return law;
  }

  positive_law sum(const positive_law& a, const positive_law& b, value_grid grid) const {
    binned_law bins(std::move(grid));
    const std::size_t size = b.value.size();
    std::vector<double> mass_to(size + 1, 0.0), mean_to(size + 1, 0.0);      // of the first atoms of b
    std::vector<double> mass_from(size + 1, 0.0), mean_from(size + 1, 0.0);  // of the others
    for (std::size_t j = 0; j < size; ++j) {
      mass_to[j + 1] = mass_to[j] + b.mass[j];
      mean_to[j + 1] = mean_to[j] + b.mass[j] * b.value[j];
    }
    for (std::size_t j = size; j > 0; --j) {
      mass_from[j - 1] = mass_from[j] + b.mass[j - 1];
      mean_from[j - 1] = mean_from[j] + b.mass[j - 1] * b.value[j - 1];
    }
    // The sum of a law with itself: each pair of different atoms once, and twice its mass.
    const bool same = &a == &b;
    for (std::size_t i = 0; i < a.value.size(); ++i) {
      const double w = a.value[i], mass = same ? 2 * a.mass[i] : a.mass[i];
      const auto light = [&](double m, double mean) {
        return mass * m < negligible && mass * (mean + w * m) < negligible;
      };
      const std::size_t begin = same ? i + 1 : 0;
      std::size_t first = begin, last = size;
      if (same) bins.add(2 * w, a.mass[i] * a.mass[i]);
      while (first < size && light(mass_to[first + 1], mean_to[first + 1])) ++first;
      while (last > first && light(mass_from[last - 1], mean_from[last - 1])) --last;
      for (std::size_t j = begin; j < first; ++j) bins.add_rest(mass * b.mass[j], mass * b.mass[j] * (w + b.value[j]));
      bins.add_rest(mass * mass_from[last] * of_rest, mass * (mean_from[last] + w * mass_from[last]) * of_rest);
      for (std::size_t j = first; j < last; ++j) bins.add(w + b.value[j], mass * b.mass[j]);
      if (b.at_zero > 0) bins.add(w, mass * b.at_zero);
    }
    if (!same && a.at_zero > 0)
      for (std::size_t j = 0; j < size; ++j) bins.add(b.value[j], a.at_zero * b.mass[j]);
    return finished(bins, a, b);
  }

  static constexpr double negligible = 1e-34;
  static constexpr double of_rest = 1 + 1e-9;  // at least 1 and the error of a plain sum

  double s_;
  bool above_;
};

/// A law of W = sum / t as a pair: Q's masses are the law's, and P's are W times those.
inline loss_pair pair_of_law(const positive_law& law, double t, bool above) {
  loss_pair pair{.symmetric = false};
  const double error = law.relative + law.displaced;
  for (std::size_t i = 0; i < law.value.size(); ++i) {
    const double loss = std::log(law.value[i] / t), log_q = std::log(law.mass[i]);
    const double margin = error + (libm + 1) * ulp * std::abs(log_q);
    pair.atoms.push_back({loss, log_q + (above ? margin : -margin)});
    pair.atom_reach = std::max(pair.atom_reach, std::abs(loss));
    pair.total_variation += law.mass[i] * std::max(0.0, law.value[i] / t - 1);
  }
  pair.loss_error = law.displaced + (libm + 2) * ulp * (1 + pair.atom_reach);
  pair.p_infinite = above ? raised(law.infinite / t * (1 + 2 * error)) : 0;
  pair.q_infinite = above ? raised(law.at_zero * (1 + 2 * error)) : 0;
  // A displaced W moves the sum by as much; the sum of up to 10^6 terms, and of the masses, errs relative to itself.
  pair.total_variation =
      std::min(1.0, raised((pair.total_variation + pair.p_infinite) * (1 + 2 * error + 1e-9) + 2 * pair.loss_error));
  return pair;
}

/// Nothing where the log-normals are too wide or too narrow for the grid.
inline std::optional<loss_pair> allocation_pair(double multiplier, std::uint64_t batches) {
  const double s = 1 / multiplier;
  if (!(s < 12) || !(s > 1e-5)) return std::nullopt;
  const auto t = static_cast<double>(batches);
  const positive_law above = lognormal_sums(s, true).of(batches), below = lognormal_sums(s, false).of(batches);
  if (!(std::max({above.relative, above.displaced, below.relative, below.displaced}) < 1e-3)) return std::nullopt;
  loss_pair pair = pair_of_law(above, t, true);
  pair.below = std::make_shared<const loss_pair>(pair_of_law(below, t, false));
  return pair;
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_DETAIL_SPARSE_THRESHOLD_HPP
#define DPLDA_MECHANISMS_DETAIL_SPARSE_THRESHOLD_HPP

// How high noisy weights must be to be shown, so that cells which one unit alone named stay hidden.
//
// Claim: if a unit gives weights w_i >= 0 of norm at most 1 (l1 with Laplace, l2 with Gaussian noise of scale z) to t
//   <= `cells` cells that nobody else names, the probability that w_i + noise_i >= threshold for one of them is at most
//   delta. `equal` functions also require these weights to be equal, that is, at most 1/t or 1/sqrt(t).
// Argument: with p(w) the probability that a cell passes,
//   - equal weights: 1 - (1 - p(w_t))^t <= delta must hold for all t. For Laplace noise it is solved for the threshold
//     (Gopi et al. 2020, Theorem 4.1); for Gaussian noise the threshold returned was checked for all t.
//   - any weights, Laplace: p(w) = exp(-(threshold - w) / z) / 2 is convex, so the sum over t cells is largest where
//     one cell has all the weight and the others none: exp(-threshold / z) (exp(1 / z) + t - 1) / 2.
//   - any weights, Gaussian: with x_i = w_i^2 and f(x) = p(sqrt(x)), any lambda >= 0 gives sum f(x_i) <= lambda + sum
//     (f(x_i) - lambda x_i) <= lambda + cells max_x (f(x) - lambda x), as sum x_i <= 1. f rises, so the maximum over an
//     interval [a, b] is at most f(b) - lambda a, and finitely many intervals cover [0, 1]. The smallest such bound
//     found over lambda is used.
//   Probabilities are rounded up, thresholds too, on the assumptions of accounting/detail/safe_side.hpp about doubles
//   and elementary functions. A cell's probability of passing is exact on the grid of the noise.
// Test: tests/mechanisms/sparse_threshold_test.cpp

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dplda::inline v0_1::detail {

/// P(Z >= x), rounded up: the function, and the rounding of its argument; an ulp of x moves it by 1 + x^2 ulps.
inline double normal_tail_above(double x) {
  return std::min(1.0, raised(std::erfc(x * sqrt_half) / 2, libm + 8 + 4 * x * x));
}

/// P(weight + z Z >= threshold), rounded up; weight within an ulp.
inline double passing_above(double threshold, double weight, double z) {
  return normal_tail_above((threshold - weight - 2 * ulp * (threshold + weight)) / z);
}

/// The probability of each of t independent events of which at least one happens with probability delta.
inline double chance_of_each(double delta, double t) { return lowered(-std::expm1(std::log1p(-delta) / t)); }

/// A threshold at which excess(threshold) <= 0 was checked, within 1e-12 of the least one. Precondition: excess falls.
template <class Excess>
double threshold_where(const Excess& excess) {
  double hi = 1, at_hi = excess(hi), lo = 0;
  if (at_hi <= 0) {
    const double at_lo = excess(0);
    return at_lo <= 0 ? 0 : fulfilling_end(excess, 0, at_lo, hi, at_hi, 1e-12);
  }
  double at_lo = at_hi;
  while (at_hi > 0) {
    lo = hi;
    at_lo = at_hi;
    at_hi = excess(hi *= 2);
  }
  return fulfilling_end(excess, lo, at_lo, hi, at_hi, 1e-12);
}

/// Laplace noise, t cells of weight 1/t each.
inline double laplace_equal_threshold_of(double z, double delta, double t) {
  const double above = z * raised(std::max(0.0, -std::log(2 * chance_of_each(delta, t))));
  return raised(1 / t + above);
}

inline double laplace_equal_threshold(double z, double delta, std::size_t cells) {
  double threshold = 0;
  for (std::size_t t = 1; t <= cells; ++t)
    threshold = std::max(threshold, laplace_equal_threshold_of(z, delta, static_cast<double>(t)));
  return threshold;
}

inline double laplace_any_threshold(double z, double delta, std::size_t cells) {
  // The function, and the rounding of its argument.
  const double others = raised(static_cast<double>(cells - 1) * std::exp(-1 / z), libm + 4 + 1 / z);
  return raised(1 + z * raised(std::max(0.0, raised(std::log1p(others)) - log_below(2 * delta)), 4));
}

inline double gaussian_equal_threshold(double z, double delta, std::size_t cells) {
  const double wanted = log_below(delta);
  return threshold_where([&](double threshold) {
    double chance = 0;
    for (std::size_t t = 1; t <= cells; ++t) {
      const double each = passing_above(threshold, 1 / std::sqrt(static_cast<double>(t)), z);
      if (each == 1) return -wanted;
      chance = std::max(chance, raised(-std::expm1(static_cast<double>(t) * std::log1p(-each))));
    }
    return log_above(chance) - wanted;
  });
}

/// The bound lambda + cells max_x (f(x) - lambda x) on the chance that one of a unit's cells passes.
class any_weights_chance {
 public:
  any_weights_chance(double z, std::size_t cells) : z_(z), cells_(static_cast<double>(cells)) {
    const double least = 0x1p-10 / cells_;
    for (double x = 1; x > least; x *= 0.98) edges_.push_back(x);
    edges_.push_back(0);
  }

  double operator()(double threshold) {
    chances_.clear();
    for (const double x : edges_) chances_.push_back(passing_above(threshold, std::sqrt(x), z_));
    // The bound is convex in lambda, which need not be larger than what all the weight can do for a cell.
    double lo = 0, hi = cells_ * chances_.front();
    for (int round = 0; round < 50; ++round) {
      const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
      if (bound(a) < bound(b)) {
        hi = b;
      } else {
        lo = a;
      }
    }
    return raised(bound(hi), 8 + 2 * cells_);  // the difference in bound may lose an ulp of lambda, cells times
  }

 private:
  double bound(double lambda) const {
    double gain = 0;
    for (std::size_t i = 0; i + 1 < edges_.size(); ++i) gain = std::max(gain, chances_[i] - lambda * edges_[i + 1]);
    return lambda + cells_ * gain;
  }

  double z_, cells_;
  std::vector<double> edges_;  // of intervals of x, from 1 down to 0
  std::vector<double> chances_;
};

inline double gaussian_any_threshold(double z, double delta, std::size_t cells) {
  any_weights_chance chance(z, cells);
  const double wanted = log_below(delta);
  return threshold_where([&](double threshold) { return log_above(chance(threshold)) - wanted; });
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_SAMPLE_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_SAMPLE_HPP

// Rough loss distributions, from which tilt, lattice and window are chosen. Nothing here is certified: a bad choice
// widens the bounds and cannot break them.

#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/pld_blocks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// log E e^{theta L} with its first two derivatives.
struct cumulants {
  double value = 0, mean = 0, variance = 0;
};

/// A few hundred points of a loss distribution. Precondition: the pair has finite losses.
class loss_sample {
 public:
  loss_sample(const loss_pair& pair, pld_direction direction, double high_tail, double low_tail) {
    const bool remove = direction == pld_direction::remove;
    const auto add = [&](double l, double log_q) {
      if (!pair.subset) {
        loss_.push_back(remove ? l : -l);
        log_mass_.push_back(remove ? log_q + l : log_q);
      } else if (l > 0) {
        loss_.insert(loss_.end(), {l, -l});
        log_mass_.insert(log_mass_.end(), {log_q + l, log_q});
      }
    };
    if (pair.kind != loss_pair::shape::none) {
      const auto z = pair.domain(direction, high_tail, low_tail);
      const auto interval = [&](double from, double to) {
        // The equidistant rule is nearly exact at half the distance of the poles of e^{theta loss}, pi / slope.
        const double dense = pair.rate < 1 ? std::max(8.0, 2 * pair.slope) : 8;
        const int nodes = std::clamp(static_cast<int>(std::min(1e4, (to - from) * dense)), 32, 3000);
        const double width = (to - from) / nodes;
        for (int i = 0; i < nodes; ++i) {
          const double at = from + (i + 0.5) * width;
          double log_q = pair.log_density(at) + std::log(width);
          if (pair.kind == loss_pair::shape::two_sided)
            log_q += log_mixture(pair.rate, -pair.slope * at - pair.slope * pair.slope / 2);
          add(pair.loss(at), log_q);
        }
      };
      if (z.to - z.from < 100) {
        interval(z.from, z.to);
      } else {  // the two components of a mixture lie far apart
        interval(z.from, z.from + 45);
        interval(z.to - 45, z.to);
      }
    }
    const auto atoms = pair.atoms_within(direction, high_tail, low_tail);
    for (const auto& a : atoms) add(a.loss, a.log_q);
    if (pair.subset && pair.zero_mass > 0) {
      loss_.push_back(0);
      log_mass_.push_back(std::log(pair.zero_mass));
    }
    mirrored_ = pair.subset;
    atoms_ = pair.subset ? 0 : atoms.size();
    std::vector<std::size_t> order(loss_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return loss_[a] < loss_[b]; });
    const auto quantile = [&](double share) {
      double passed = 0;
      for (const std::size_t i : order) {
        passed += std::exp(log_mass_[i]);
        if (passed >= share) return loss_[i];
      }
      return loss_[order.back()];
    };
    median_ = quantile(0.5);
    flank_ = std::min(median_ - quantile(0.02), quantile(0.98) - median_);
  }

  /// From the median to the 2 % quantile on the steeper side.
  double flank() const { return flank_; }

  cumulants at(double theta) const {
    double largest = -infinite;
    for (std::size_t i = 0; i < loss_.size(); ++i) largest = std::max(largest, log_mass_[i] + theta * loss_[i]);
    double total = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < loss_.size(); ++i) {
      const double mass = std::exp(log_mass_[i] + theta * loss_[i] - largest);
      total += mass;
      first += mass * loss_[i];
      second += mass * loss_[i] * loss_[i];
    }
    const double mean = first / total;
    return {largest + std::log(total), mean, std::max(0.0, second / total - mean * mean)};
  }

  double width() const {
    const auto [least, most] = std::minmax_element(loss_.begin(), loss_.end());
    return *most - *least;
  }

  /// The largest size of a loss.
  double reach() const {
    const auto [least, most] = std::minmax_element(loss_.begin(), loss_.end());
    return std::max(std::abs(*least), std::abs(*most));
  }

  /// The joint loss of all outcomes within half a step of the median. If a step is wider than the bulk of the losses, a
  /// lattice point there does not move the bulk.
  double bulk(double step) const {
    double first = 0, excess = 0;
    for (std::size_t i = 0; i < loss_.size(); ++i) {
      if (!(std::abs(loss_[i] - median_) < step / 2)) continue;
      const double mass = std::exp(log_mass_[i]);
      first += mass;
      excess += mass * std::expm1(median_ - loss_[i]);
    }
    return first > 0 ? median_ - std::log1p(excess / first) : median_;
  }

  /// The mean of (x - a)(b - x) over losses x in lattice cells [a, b], tilted; atoms may be left out.
  double mean_split(double theta, double step, bool with_atoms) const {
    const double log_total = at(theta).value, offset = atoms_ > 0 || mirrored_ ? 0 : bulk(step);
    double sum = 0;
    for (std::size_t i = 0; i < loss_.size() - (with_atoms ? 0 : atoms_); ++i) {
      const double place = (loss_[i] - offset) / step, part = place - std::floor(place);
      sum += std::exp(log_mass_[i] + theta * loss_[i] - log_total) * part * (1 - part);
    }
    return sum * step * step;
  }

  /// The distance of the two heaviest atoms and its weight, or zeros; and the index of the heaviest atom.
  struct atom_gap {
    double distance = 0, weight = 0;
    std::size_t heaviest = 0;
  };
  atom_gap gap() const {
    if (atoms_ == 0) return {};
    const std::size_t begin = loss_.size() - atoms_;
    std::size_t first = begin;
    for (std::size_t j = begin; j < loss_.size(); ++j)
      if (log_mass_[j] > log_mass_[first]) first = j;
    atom_gap found{0, 0, first - begin};
    double mass = -infinite;
    for (std::size_t j = begin; j < loss_.size(); ++j) {
      if (loss_[j] == loss_[first] || log_mass_[j] <= mass) continue;
      mass = log_mass_[j];
      found.distance = std::abs(loss_[j] - loss_[first]);
      found.weight = found.distance * found.distance * std::exp(mass);
    }
    return found;
  }
  bool has_atoms() const { return atoms_ > 0; }

 private:
  std::vector<double> loss_, log_mass_;
  double median_ = 0, flank_ = 0;
  std::size_t atoms_ = 0;  // how many of the last points are atoms
  bool mirrored_ = false;
};

/// The exponents that make the window narrowest, and its ends. The left exponent is at least `least_left`, and at most
/// e^log_untilted of the untilted law may lie to the right of the window. `at` gives the cumulants of the sum; `width`
/// is the range of a single loss.
struct rough_window {
  chernoff_window window;
  double left, right;
};
template <class Cumulants>
rough_window window_of(const Cumulants& at, double theta, double log_tail, double width, double least_left,
                       double log_untilted) {
  const cumulants here = at(theta);
  const double spread = std::sqrt(here.variance) + 1e-300, first = std::sqrt(-2 * log_tail) / spread;
  const double largest = std::min(20 * first, 500 / (width + 1e-300));  // beyond, e^{s loss} would leave the doubles
  rough_window found{{std::max(least_left, largest), largest, log_tail}, -infinite, infinite};
  double s = std::min(first, largest) / 64;
  for (int i = 0; i < 20 && s <= largest; ++i, s *= 1.5) {
    const double value = at(theta + s).value;
    double bound = (value - here.value - log_tail) / s;
    if (log_untilted < 0) bound = std::max(bound, (value - log_untilted) / (theta + s));
    if (bound < found.right) {
      found.right = bound;
      found.window.right_exponent = s;
    }
  }
  s = std::max(least_left, std::min(first, largest) / 64);
  for (int i = 0; i < 20 && s <= std::max(least_left, largest); ++i, s *= 1.5) {
    const double bound = (here.value - at(theta - s).value + log_tail) / s;
    if (bound > found.left) {
      found.left = bound;
      found.window.left_exponent = s;
    }
  }
  if (!(found.right > found.left)) found.right = found.left + spread;
  return found;
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_SEARCH_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_SEARCH_HPP

// Certified bounds of one direction: choices of tilt, lattice and window, and passes of discretisation and composition,
// finer until the bounds are narrow.

#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/pld_blocks.hpp>
#include <dplda/accounting/detail/pld_compose.hpp>
#include <dplda/accounting/detail/pld_lattice.hpp>
#include <dplda/accounting/detail/pld_sample.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

namespace dplda::detail {

/// What is asked: epsilon at a delta, or delta at an epsilon; both bounds, or (where the pairs are not attained) the
/// upper one alone.
struct pld_query {
  bool for_epsilon;
  double value;
  double relative_width, absolute_width;
  std::size_t max_points;
  bool upper_only = false;
};

/// How much the losses of lower laws are above the lattice: mean of the sum, and sum of squared ranges.
struct loss_residual {
  double mean = 0, square = 0;
  void add(const tilted_law& law, double count) {
    mean += count * law.residual_mean;
    square += count * law.residual_range * law.residual_range;
  }
  /// The least sum, except with probability e^log_spent.
  double least(double log_spent) const {
    return square > 0 ? std::max(0.0, mean - std::sqrt(-log_spent * square / 2) * (1 + 1e-9)) : 0;
  }
};

/// The sum of all losses from one side.
struct summed_losses {
  privacy_curve curve;
  double infinite_mass, loss_error;
  loss_residual single, blockwise;
};

class pld_search {
 public:
  /// `known`: a lower bound of the answer from elsewhere; a direction that costs less need not be found exactly.
  pld_search(std::span<const counted_pair> pairs, pld_direction direction, const pld_query& query, double known = 0)
      : pairs_(pairs), direction_(direction), query_(query), best_(nothing()) {
    double largest = 0, log_finite = 0;
    for (const auto& [pair, count] : pairs) {
      uses_ += count;
      largest += count * pair.largest_loss(direction_of(pair));
      const bool remove = direction_of(pair) == pld_direction::remove;
      log_finite += count * std::log1p(-(remove ? pair.p_infinite : pair.q_infinite));
    }
    if (query.for_epsilon && raised(-std::expm1(log_finite), 8 * libm) <= query.value)
      best_.upper = raised(std::max(0.0, largest), largest_loss_ulps(pairs));
    double log_delta = query.for_epsilon ? std::log(query.value) : -600;
    sample(log_delta);
    choose_theta(log_delta);
    if (!query.for_epsilon) {
      log_delta = total(theta_).value - theta_ * query.value + std::log(largest_weight(theta_)) - 9;
      log_delta = std::clamp(log_delta, -600.0, 0.0);
      sample(log_delta);
      choose_theta(log_delta);
    }
    choose_window();
    choose_step(known);
  }

  certified_bounds bounds() const { return best_; }
  bool exhausted() const { return exhausted_; }
  bool narrow() const {
    const double width = best_.upper - best_.lower;
    return best_.lower == best_.upper || (std::isfinite(width) && width <= wanted());
  }

  /// One pass; the next one is finer.
  void refine() {
    const certified_bounds found = pass(), before = best_;
    best_ = {std::max(best_.lower, std::min(found.lower, found.upper)), std::min(best_.upper, found.upper)};
    best_.lower = std::min(best_.lower, best_.upper);
    const bool settled =
        passes_ > 0 && before.upper - best_.upper < wanted() / 4 && best_.lower - before.lower < wanted() / 4;
    exhausted_ = step_ <= least_step_ * 1.01 || ++passes_ >= 4 || settled || query_.upper_only;
    const double width = best_.upper - best_.lower;
    const double shrink = std::isfinite(width) ? std::clamp(std::sqrt(0.6 * wanted() / width), 0.15, 0.7) : 0.5;
    step_ = std::max(step_ * shrink, least_step_);
  }

 private:
  /// Q masses at neighbouring lattice points differ by e^step, so wide steps lose all digits.
  static constexpr double widest_step = 8;

  certified_bounds nothing() const { return {0, query_.for_epsilon ? infinite : 1.0}; }
  double wanted() const { return std::max(query_.absolute_width, query_.relative_width * best_.upper); }

  pld_direction direction_of(const loss_pair& pair) const {
    return pair.symmetric ? pld_direction::remove : direction_;
  }

  /// Tails whose masses cannot matter: at most e^-14 of delta all together where losses are large.
  void sample(double log_delta) {
    high_tail_ = std::exp(std::max(log_delta - std::log(uses_) - 14, -700.0));
    low_tail_ = 1e-10 / uses_;
    samples_.clear();
    widest_ = 0;
    for (const auto& [pair, count] : pairs_) {
      samples_.emplace_back(pair, direction_of(pair), high_tail_, low_tail_);
      widest_ = std::max(widest_, samples_.back().width());
    }
  }

  cumulants total(double theta) const {
    cumulants sum;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const cumulants one = samples_[i].at(theta);
      sum.value += pairs_[i].count * one.value;
      sum.mean += pairs_[i].count * one.mean;
      sum.variance += pairs_[i].count * one.variance;
    }
    return sum;
  }

  /// The order at which the Renyi bound is best is near the saddle point.
  void choose_theta(double log_delta) {
    const cumulants plain = total(0);
    const double spread = std::max({std::sqrt(plain.variance), 1e-4 * std::abs(plain.mean), 1e-200});
    const auto price = [&](double log_theta) {
      const double theta = std::exp(log_theta), k = total(theta).value, w = std::log(largest_weight(theta));
      return query_.for_epsilon ? (k - log_delta + w) / theta : k - theta * query_.value + w;
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
    theta_ = std::exp((low + high) / 2);
    rough_epsilon_ = query_.for_epsilon ? std::max(0.0, price((low + high) / 2)) : query_.value;
  }

  /// delta's share of what the tilt brought into the middle decides how rare the rest must be.
  void choose_window() {
    const double near = 1 / theta_, nearer = 1 / (1 + theta_);
    const double spread = std::sqrt(6.3 * (total(theta_).variance + near * near + nearer * nearer));
    const double share = -std::log(theta_ * (1 + theta_) * spread) - std::log(largest_weight(theta_));
    const auto at = [this](double theta) { return total(theta); };
    const rough_window found = window_of(at, theta_, std::min(share, 0.0) - 14, widest_, 0, infinite);
    window_ = found.window;
    range_ = found.right - found.left;
  }

  void choose_step(double known) {
    const double range = range_, points = 0.9 * static_cast<double>(query_.max_points);
    double width = query_.relative_width / theta_;
    if (query_.for_epsilon) {
      width = std::max({query_.absolute_width, (known - rough_epsilon_) / 2,
                        0.8 * query_.relative_width * std::max(rough_epsilon_, known)});
    }
    least_step_ = std::max(range / (points * std::max(1.0, std::pow(uses_ / 32, 0.25))), widest_ / points);
    step_ = std::max(least_step_, std::min(range / 32, widest_step));
    while (step_ > least_step_ && predicted_width(step_) > width / 2) step_ = std::max(least_step_, step_ / 1.4);
    // Joining is at its worst where a step is about as wide as the steep flank of the losses.
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const double flank = samples_[i].flank();
      const bool matters = pairs_[i].count > 16 && !samples_[i].has_atoms() && !query_.upper_only;
      if (matters && step_ > 0.15 * flank && step_ < 6 * flank && known <= rough_epsilon_)
        step_ = std::max(least_step_, 0.15 * flank);
    }
    if (coarseness(step_) > 1)  // two lattices, twice the error
      step_ = std::max(least_step_, step_ / std::numbers::sqrt2);
  }

  /// How much wider than the truth a lattice makes epsilon: splitting a loss x between the ends of [a, b] raises its
  /// cumulant at theta by theta (1 + theta) (x - a)(b - x) / 2, and joining lowers it by about half of that.
  double predicted_width(double step) const {
    double width = 0;
    const lattice_choice lattice = align(step);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      width +=
          pairs_[i].count * 0.75 * (1 + theta_) * samples_[i].mean_split(theta_, lattice.step, i != lattice.aligned);
    }
    return width;
  }

  /// How much coarser the lattice of blocks is than that of single losses; 1 where single losses will do.
  std::int64_t coarseness(double step) const {
    std::int64_t factor = 1;
    while (range_ / step / static_cast<double>(factor) > 40000 &&
           static_cast<double>(factor) < std::pow(uses_ / 32, 0.25) &&
           2 * static_cast<double>(factor) * step < widest_step)
      factor *= 2;
    return factor;
  }

  struct lattice_choice {
    double step;
    std::size_t aligned;  // the pair whose atoms lie on the lattice, if any
  };
  /// A step near the wanted one that divides the distance of the two heaviest atoms of the pair whose atoms weigh most.
  lattice_choice align(double step) const {
    lattice_choice choice{step, samples_.size()};
    loss_sample::atom_gap most;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      loss_sample::atom_gap gap = samples_[i].gap();
      gap.weight *= pairs_[i].count;
      if (gap.weight > most.weight && gap.distance >= step) {
        most = gap;
        choice.aligned = i;
      }
    }
    if (choice.aligned < samples_.size()) choice.step = most.distance / std::ceil(most.distance / step * (1 - 1e-12));
    return choice;
  }

  certified_bounds pass() {
    const double step = align(step_).step, theta = std::min(theta_, 8 / step);
    std::vector<pair_on_lattice> lattices;
    lattices.reserve(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const loss_pair& pair = pairs_[i].pair;
      if (!pair.computable(samples_[i].width(), step) || step > widest_step) return nothing();
      if (!(samples_[i].width() / step < 4 * static_cast<double>(query_.max_points))) return nothing();
      if (!(samples_[i].reach() / step < 1e15)) return nothing();
      double offset = 0;
      if (samples_[i].has_atoms()) {
        const double loss = pair.atoms[samples_[i].gap().heaviest].loss;
        offset = loss - step * std::floor(loss / step);
      } else if (!pair.subset) {
        offset = (direction_of(pair) == pld_direction::remove ? 1 : -1) * samples_[i].bulk(step);
      }
      lattices.emplace_back(pair, lattice_plan{direction_of(pair), step, theta, high_tail_, low_tail_}, offset,
                            samples_[i].at(theta).value);
    }
    const auto above = sum(lattices, true, step, theta);
    if (!above) return nothing();
    const auto below = query_.upper_only ? std::nullopt : sum(lattices, false, step, theta);
    const certified_bounds found = query_.for_epsilon ? epsilon_bounds(*above, below) : delta_bounds(*above, below);
    return std::isnan(found.lower) || std::isnan(found.upper) ? nothing() : found;
  }

  /// A law, how often it occurs, and the logarithms of E e^{s L} at the exponents of the window.
  struct summand {
    const tilted_law* law;
    double count, log_right, log_left;
  };

  std::optional<summed_losses> sum(const std::vector<pair_on_lattice>& lattices, bool upper, double step,
                                   double theta) {
    const std::int64_t factor = coarseness(step);
    const double coarse = step * static_cast<double>(factor);
    const chernoff_window range = window_.on(coarse);
    std::vector<summand> summands;
    loss_residual single, blockwise;
    for (std::size_t i = 0; i < lattices.size(); ++i) {
      const tilted_law& law = upper ? lattices[i].upper() : lattices[i].lower();
      summands.push_back({&law, pairs_[i].count, log_moment(law, step, range.right_exponent, theta),
                          log_moment(law, step, -range.left_exponent, theta)});
      single.add(law, pairs_[i].count);
    }
    std::vector<tilted_law> blocks;
    if (factor > 1) {
      blocks.reserve(2 * summands.size());
      if (!into_blocks(summands, blocks, range, step, theta, factor, upper)) return std::nullopt;
      for (const summand& s : summands) blockwise.add(*s.law, s.count);
    }

    std::vector<repeated_law> laws;
    double offset = 0, log_scale = 0, log_finite = 0, first = 0, last = 0, log_right = 0, log_left = 0;
    double loss_error = 0, size = 0;
    for (const auto& [law, count, right, left] : summands) {
      const double begin = static_cast<double>(law->first), end = begin + static_cast<double>(law->mass.size()) - 1;
      laws.push_back({law, count});
      offset += count * law->offset;
      log_scale += count * law->scale;
      log_finite += count * std::log1p(-std::min(1.0, law->infinite_mass));
      loss_error += count * law->loss_error;
      first += count * begin;
      last += count * end;
      size += count * (std::abs(law->offset) + coarse * (std::abs(begin) + std::abs(end)));
      log_right += count * right;
      log_left += count * left;
    }
    // The window, unless all of the sum fits into fewer points.
    const double from = std::floor((range.left(log_left) - offset) / coarse);
    const double to = std::ceil((range.right(log_right) - offset) / coarse);
    const double needed = std::max(4.0, std::min(to - from, last - first) + 1);
    if (!(needed <= 4 * static_cast<double>(query_.max_points)) || !(std::abs(first) + std::abs(last) < 1e18))
      return std::nullopt;
    loss_window window{static_cast<std::int64_t>(first), std::bit_ceil(static_cast<std::size_t>(needed))};
    privacy_curve::frame frame{0, coarse, theta, log_scale};
    if (last - first > to - from) {
      const double points = static_cast<double>(window.size);
      window.first = static_cast<std::int64_t>(from - std::floor((points - needed) / 2));
      const double start = static_cast<double>(window.first), begin = offset + coarse * start;
      frame.right = last > start + points - 1
                        ? bounded_exp(log_right - range.right_exponent * (begin + coarse * (points - 1)))
                        : 0;
      frame.alias = frame.right + (first < start ? bounded_exp(log_left + range.left_exponent * begin) : 0);
      frame.alias *= largest_weight(theta) * (1 + 1e-12);
    }
    frame.start = offset + coarse * static_cast<double>(window.first);
    const composed_law law = compose(laws, window, ffts_.of(window.size));
    if (!(law.error < 1e200)) return std::nullopt;
    return summed_losses{upper ? privacy_curve::above(law, frame) : privacy_curve::below(law, frame),
                         -std::expm1(log_finite), loss_error + 0x1p-49 * size, single, blockwise};
  }

  /// Replaces single losses by blocks of about factor^2 on a coarser lattice; false where a block does not fit.
  bool into_blocks(std::vector<summand>& summands, std::vector<tilted_law>& blocks, const chernoff_window& range,
                   double step, double theta, std::int64_t factor, bool upper) {
    const double split_right = log_split_moment(step, theta, factor, range.right_exponent);
    const double split_left = log_split_moment(step, theta, factor, -range.left_exponent);
    const double coarse = step * static_cast<double>(factor);
    std::vector<summand> found;
    for (std::size_t i = 0; i < summands.size(); ++i) {
      const auto [law, count, right, left] = summands[i];
      const block_division division = divided(count, static_cast<double>(factor * factor));
      for (const auto& [times, size] : {std::pair{division.blocks, division.size}, std::pair{1.0, division.rest}}) {
        if (times == 0 || size == 0) continue;
        const auto at = [&, sample = &samples_[i], losses = size](double t) {
          const cumulants one = sample->at(t);
          return cumulants{losses * one.value, losses * one.mean, losses * one.variance};
        };
        const double log_untilted = std::log(high_tail_) + std::log(size);
        const chernoff_window own =
            window_of(at, theta, -30 - std::log(times), samples_[i].width(), theta, log_untilted).window.on(step);
        const auto fine = block_of(*law, size, step, theta, own, log_untilted, upper,
                                   4 * static_cast<double>(query_.max_points), ffts_);
        if (!fine || own.left_exponent < theta) return false;
        tilted_law& block = blocks.emplace_back(coarsened(*fine, step, theta, factor, upper));
        const double log_total = block.normalise();
        found.push_back(
            {&block, times,
             upper ? size * right + split_right - log_total : log_moment(block, coarse, range.right_exponent, theta),
             upper ? size * left + split_left - log_total : log_moment(block, coarse, -range.left_exponent, theta)});
      }
    }
    summands = found;
    return true;
  }

  certified_bounds epsilon_bounds(const summed_losses& above, const std::optional<summed_losses>& below) const {
    certified_bounds found{0, infinite};
    const double room = query_.value - above.infinite_mass;
    if (room > 0) found.upper = above.curve.epsilon(log_below(room)) * (1 + 0x1p-48) + above.loss_error;
    if (!below) return found;
    if (below->infinite_mass > query_.value) return {infinite, infinite};
    const auto lower = [&](double spent, double shift) {
      const double epsilon = below->curve.epsilon(log_above(query_.value - below->infinite_mass + spent));
      return epsilon > 0 ? std::max(0.0, epsilon * (1 - 0x1p-48) + shift - below->loss_error) : 0.0;
    };
    found.lower = lower(0, 0);
    const double spent = 1e-4 * query_.value, shift = residual(*below, spent);
    if (shift > 0) found.lower = std::max(found.lower, lower(spent, shift));
    return found;
  }

  certified_bounds delta_bounds(const summed_losses& above, const std::optional<summed_losses>& below) const {
    const double epsilon = query_.value, nearer = std::max(0.0, epsilon * (1 - 0x1p-48) - above.loss_error);
    certified_bounds found{0, std::min(1.0, raised(std::exp(above.curve.log_delta(nearer)) + above.infinite_mass))};
    if (!below) return found;
    const auto lower = [&](double spent, double shift) {
      const double at = std::max(0.0, epsilon * (1 + 0x1p-48) + below->loss_error - shift);
      return std::max(0.0, lowered(std::exp(below->curve.log_delta(at)) + below->infinite_mass) - spent);
    };
    found.lower = lower(0, 0);
    const double spent = 1e-4 * found.upper, shift = residual(*below, spent);
    if (shift > 0) found.lower = std::max(found.lower, lower(spent, shift));
    return found;
  }

  /// How far above the lattice the losses are together, except with probability `spent`.
  static double residual(const summed_losses& below, double spent) {
    if (!(spent > 0)) return 0;
    return below.single.least(std::log(spent / 2)) + below.blockwise.least(std::log(spent / 2));
  }

  std::span<const counted_pair> pairs_;
  pld_direction direction_;
  pld_query query_;
  certified_bounds best_;
  std::vector<loss_sample> samples_;
  real_fft_cache ffts_;
  chernoff_window window_{};
  double uses_ = 0, high_tail_ = 0, low_tail_ = 0, widest_ = 0, range_ = 0;
  double theta_ = 0, rough_epsilon_ = 0, step_ = 0, least_step_ = 0;
  int passes_ = 0;
  bool exhausted_ = false;
};

}  // namespace dplda::detail

#endif

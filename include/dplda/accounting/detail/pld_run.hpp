// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_RUN_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_RUN_HPP

// Running on a lattice: all losses of one direction are put on it and summed, from above and from below. The result
// does not depend on the question; any epsilon and any delta can be read from it, and those near the tilt are sharp.

#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/pld_blocks.hpp>
#include <dplda/accounting/detail/pld_choice.hpp>
#include <dplda/accounting/detail/pld_compose.hpp>
#include <dplda/accounting/detail/pld_direct.hpp>
#include <dplda/accounting/detail/pld_lattice.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

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

  /// How far above the lattice the losses are together, except with probability `spent`.
  double residual(double spent) const {
    if (!(spent > 0)) return 0;
    return single.least(std::log(spent / 2)) + blockwise.least(std::log(spent / 2));
  }
};

/// The composed loss of one direction from above and, where asked for, from below.
struct direction_losses {
  summed_losses above;
  std::optional<summed_losses> below;

  certified_bounds epsilon(double delta) const {
    certified_bounds found{0, infinite};
    const double room = delta - above.infinite_mass;
    if (room > 0) found.upper = above.curve.epsilon(log_below(room)) * (1 + 0x1p-48) + above.loss_error;
    if (!below) return found;
    if (below->infinite_mass > delta) return {infinite, infinite};
    const auto lower = [&](double spent, double shift) {
      const double epsilon = below->curve.epsilon(log_above(delta - below->infinite_mass + spent), found.upper);
      return epsilon > 0 ? std::max(0.0, epsilon * (1 - 0x1p-48) + shift - below->loss_error) : 0.0;
    };
    found.lower = lower(0, 0);
    const double spent = 1e-4 * delta, shift = below->residual(spent);
    if (shift > 0) found.lower = std::max(found.lower, lower(spent, shift));
    return found;
  }

  certified_bounds delta(double epsilon) const {
    const double nearer = std::max(0.0, epsilon * (1 - 0x1p-48) - above.loss_error);
    certified_bounds found{0, std::min(1.0, raised(std::exp(above.curve.log_delta(nearer)) + above.infinite_mass))};
    if (!below) return found;
    const auto lower = [&](double spent, double shift) {
      const double at = std::max(0.0, epsilon * (1 + 0x1p-48) + below->loss_error - shift);
      return std::max(0.0, lowered(std::exp(below->curve.log_delta(at)) + below->infinite_mass) - spent);
    };
    found.lower = lower(0, 0);
    const double spent = 1e-4 * found.upper, shift = below->residual(spent);
    if (shift > 0) found.lower = std::max(found.lower, lower(spent, shift));
    return found;
  }
};

/// A lattice and what is computed on it.
struct pld_lattice {
  double step, theta;
  chosen_window window;
  double max_points;  // of a transform
};

/// One run. Keeps its transforms, which the next run may need again, in `ffts`.
class pld_run {
 public:
  pld_run(const sampled_losses& losses, const pld_lattice& lattice, real_fft_cache& ffts)
      : losses_(losses), lattice_(lattice), ffts_(ffts) {
    factor_ = coarseness(lattice.window.range, losses.uses, lattice.step);
    coarse_ = lattice.step * static_cast<double>(factor_);
    window_ = lattice.window.window.on(coarse_);
  }

  /// Nothing where the doubles or max_points do not suffice.
  std::optional<direction_losses> composed(bool upper_only) {
    const auto laws = on_lattice();
    if (!laws) return std::nullopt;
    auto above = sum(*laws, true);
    if (!above) return std::nullopt;
    return direction_losses{std::move(*above), upper_only ? std::nullopt : sum(*laws, false)};
  }

  /// The same without a transform; the lattice must not be tilted.
  std::optional<direction_losses> directly_composed(bool upper_only, const direct_limits& limits) {
    const auto laws = on_lattice();
    if (!laws) return std::nullopt;
    auto above = direct(*laws, limits, true);
    if (!above) return std::nullopt;
    return direction_losses{std::move(*above), upper_only ? std::nullopt : direct(*laws, limits, false)};
  }

 private:
  /// A law, how often it occurs, and the logarithms of E e^{s L} at the exponents of the window.
  struct summand {
    const tilted_law* law;
    double count, log_right, log_left;
  };

  /// What adds up over all summands.
  struct totals {
    double offset = 0, log_scale = 0, log_finite = 0;
    double first = 0, last = 0;  // in lattice points
    double log_right = 0, log_left = 0;
    double loss_error = 0, size = 0;

    void add(const summand& s, double step) {
      const tilted_law& law = *s.law;
      const double begin = static_cast<double>(law.first), end = begin + static_cast<double>(law.mass.size()) - 1;
      offset += s.count * law.offset;
      log_scale += s.count * law.scale;
      log_finite += s.count * std::log1p(-std::min(1.0, law.infinite_mass));
      loss_error += s.count * law.loss_error;
      first += s.count * begin;
      last += s.count * end;
      size += s.count * (std::abs(law.offset) + step * (std::abs(begin) + std::abs(end)));
      log_right += s.count * s.log_right;
      log_left += s.count * s.log_left;
    }
  };

  /// All pairs on the lattice.
  std::optional<std::vector<pair_on_lattice>> on_lattice() const {
    const double step = lattice_.step;
    std::vector<pair_on_lattice> laws;
    laws.reserve(losses_.pairs.size());
    for (std::size_t i = 0; i < losses_.pairs.size(); ++i) {
      const loss_pair& pair = losses_.pairs[i].pair;
      const loss_sample& sample = losses_.samples[i];
      const pld_direction direction = losses_.direction_of(pair);
      if (!pair.computable(sample.width(), step) || step > widest_step) return std::nullopt;
      if (!(sample.width() / step < lattice_.max_points)) return std::nullopt;
      if (!(sample.reach() / step < 1e15)) return std::nullopt;
      double offset = 0;
      if (sample.has_atoms()) {
        const double loss = pair.atoms[sample.gap().heaviest].loss;
        offset = loss - step * std::floor(loss / step);
      } else if (!pair.subset) {
        offset = (direction == pld_direction::remove ? 1 : -1) * sample.bulk(step);
      }
      laws.emplace_back(pair, lattice_plan{direction, step, lattice_.theta, losses_.high_tail, losses_.low_tail},
                        offset, sample.at(lattice_.theta).value);
    }
    return laws;
  }

  std::optional<summed_losses> direct(const std::vector<pair_on_lattice>& lattices, const direct_limits& limits,
                                      bool upper) const {
    std::vector<repeated_law> laws;
    loss_residual single;
    totals all;
    for (std::size_t i = 0; i < lattices.size(); ++i) {
      const tilted_law& law = upper ? lattices[i].upper() : lattices[i].lower();
      const double count = losses_.pairs[i].count;
      laws.push_back({&law, count});
      all.add({&law, count, 0, 0}, lattice_.step);
      single.add(law, count);
    }
    auto law = direct_sum(laws, limits, upper);
    if (!law) return std::nullopt;
    const privacy_curve::frame frame{all.offset + lattice_.step * static_cast<double>(law->first), lattice_.step, 0, 0};
    const composed_law composed{std::move(law->mass)};
    return summed_losses{upper ? privacy_curve::above(composed, frame) : privacy_curve::below(composed, frame),
                         -std::expm1(all.log_finite) + (upper ? law->cut : 0),
                         all.loss_error + 0x1p-49 * all.size,
                         single,
                         {}};
  }

  std::optional<summed_losses> sum(const std::vector<pair_on_lattice>& lattices, bool upper) {
    std::vector<summand> summands;
    loss_residual single, blockwise;
    for (std::size_t i = 0; i < lattices.size(); ++i) {
      const tilted_law& law = upper ? lattices[i].upper() : lattices[i].lower();
      summands.push_back({&law, losses_.pairs[i].count,
                          log_moment(law, lattice_.step, window_.right_exponent, lattice_.theta),
                          log_moment(law, lattice_.step, -window_.left_exponent, lattice_.theta)});
      single.add(law, losses_.pairs[i].count);
    }
    std::vector<tilted_law> blocks;
    if (factor_ > 1) {
      blocks.reserve(2 * summands.size());
      if (!into_blocks(summands, blocks, upper)) return std::nullopt;
      for (const summand& s : summands) blockwise.add(*s.law, s.count);
    }
    std::vector<repeated_law> laws;
    totals all;
    for (const summand& s : summands) {
      laws.push_back({s.law, s.count});
      all.add(s, coarse_);
    }
    // The window, unless all of the sum fits into fewer points.
    const double from = std::floor((window_.left(all.log_left) - all.offset) / coarse_);
    const double to = std::ceil((window_.right(all.log_right) - all.offset) / coarse_);
    const double needed = std::max(4.0, std::min(to - from, all.last - all.first) + 1);
    if (!(needed <= lattice_.max_points) || !(std::abs(all.first) + std::abs(all.last) < 1e18)) return std::nullopt;
    loss_window window{static_cast<std::int64_t>(all.first), std::bit_ceil(static_cast<std::size_t>(needed))};
    privacy_curve::frame frame{0, coarse_, lattice_.theta, all.log_scale};
    if (all.last - all.first > to - from) {
      const double points = static_cast<double>(window.size);
      window.first = static_cast<std::int64_t>(from - std::floor((points - needed) / 2));
      const double start = static_cast<double>(window.first), begin = all.offset + coarse_ * start;
      frame.right = all.last > start + points - 1
                        ? bounded_exp(all.log_right - window_.right_exponent * (begin + coarse_ * (points - 1)))
                        : 0;
      frame.alias = frame.right + (all.first < start ? bounded_exp(all.log_left + window_.left_exponent * begin) : 0);
      frame.alias *= largest_weight(lattice_.theta) * (1 + 1e-12);
    }
    frame.start = all.offset + coarse_ * static_cast<double>(window.first);
    const composed_law law = compose(laws, window, ffts_.of(window.size));
    if (!(law.error < 1e200)) return std::nullopt;
    return summed_losses{upper ? privacy_curve::above(law, frame) : privacy_curve::below(law, frame),
                         -std::expm1(all.log_finite), all.loss_error + 0x1p-49 * all.size, single, blockwise};
  }

  /// Replaces single losses by blocks of about factor^2 on a coarser lattice; false where a block does not fit.
  bool into_blocks(std::vector<summand>& summands, std::vector<tilted_law>& blocks, bool upper) {
    const double step = lattice_.step, theta = lattice_.theta;
    const double split_right = log_split_moment(step, theta, factor_, window_.right_exponent);
    const double split_left = log_split_moment(step, theta, factor_, -window_.left_exponent);
    std::vector<summand> found;
    for (std::size_t i = 0; i < summands.size(); ++i) {
      const auto [law, count, right, left] = summands[i];
      const block_division division = divided(count, static_cast<double>(factor_ * factor_));
      for (const auto& [times, size] : {std::pair{division.blocks, division.size}, std::pair{1.0, division.rest}}) {
        if (times == 0 || size == 0) continue;
        const auto at = [sample = &losses_.samples[i], losses = size](double t) {
          const cumulants one = sample->at(t);
          return cumulants{losses * one.value, losses * one.mean, losses * one.variance};
        };
        const double log_untilted = std::log(losses_.high_tail) + std::log(size);
        const chernoff_window own =
            window_of(at, theta, -30 - std::log(times), losses_.samples[i].width(), theta, log_untilted)
                .window.on(step);
        const auto fine = block_of(*law, size, step, theta, own, log_untilted, upper, lattice_.max_points, ffts_);
        if (!fine || own.left_exponent < theta) return false;
        tilted_law& block = blocks.emplace_back(coarsened(*fine, step, theta, factor_, upper));
        const double log_total = block.normalise();
        found.push_back(
            {&block, times,
             upper ? size * right + split_right - log_total : log_moment(block, coarse_, window_.right_exponent, theta),
             upper ? size * left + split_left - log_total : log_moment(block, coarse_, -window_.left_exponent, theta)});
      }
    }
    summands = found;
    return true;
  }

  const sampled_losses& losses_;
  pld_lattice lattice_;
  real_fft_cache& ffts_;
  std::int64_t factor_ = 1;  // how much coarser the lattice of the sum is
  double coarse_ = 0;
  chernoff_window window_{};
};

}  // namespace dplda::inline v0_1::detail

#endif

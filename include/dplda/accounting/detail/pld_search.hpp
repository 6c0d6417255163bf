// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_SEARCH_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_SEARCH_HPP

// Certified bounds of one direction: a lattice is chosen (pld_choice.hpp) and run on (pld_run.hpp), then a finer one,
// until the bounds are narrow.

#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/pld_choice.hpp>
#include <dplda/accounting/detail/pld_run.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace dplda::inline v0_1::detail {

class pld_search {
 public:
  /// `known`: a lower bound on the answer from elsewhere; a direction that costs less need not be found exactly.
  pld_search(std::span<const counted_pair> pairs, pld_direction direction, const pld_query& query, double known = 0)
      : query_(query), best_(nothing()), losses_(pairs, direction) {
    double largest = 0, log_finite = 0;
    for (const auto& [pair, count] : pairs) {
      largest += count * pair.largest_loss(losses_.direction_of(pair));
      const bool remove = losses_.direction_of(pair) == pld_direction::remove;
      log_finite += count * std::log1p(-(remove ? pair.p_infinite : pair.q_infinite));
    }
    if (query.for_epsilon && raised(-std::expm1(log_finite), 8 * libm) <= query.value)
      best_.upper = raised(std::max(0.0, largest), largest_loss_ulps(pairs));
    double log_delta = query.for_epsilon ? std::log(query.value) : -600;
    losses_.sample(log_delta);
    tilt_ = choose_tilt(losses_, query, log_delta);
    if (!query.for_epsilon) {
      log_delta =
          losses_.total(tilt_.theta).value - tilt_.theta * query.value + std::log(largest_weight(tilt_.theta)) - 9;
      log_delta = std::clamp(log_delta, -600.0, 0.0);
      losses_.sample(log_delta);
      tilt_ = choose_tilt(losses_, query, log_delta);
    }
    window_ = choose_window(losses_, tilt_.theta);
    step_ = choose_step(losses_, query, tilt_, window_.range, known);
  }

  certified_bounds bounds() const { return best_; }
  bool exhausted() const { return exhausted_; }
  bool narrow() const {
    const double width = best_.upper - best_.lower;
    return best_.lower == best_.upper || (std::isfinite(width) && width <= wanted());
  }

  /// One run; the next one is finer.
  void refine() {
    const certified_bounds found = run(), before = best_;
    best_ = {std::max(best_.lower, std::min(found.lower, found.upper)), std::min(best_.upper, found.upper)};
    best_.lower = std::min(best_.lower, best_.upper);
    const bool settled =
        runs_ > 0 && before.upper - best_.upper < wanted() / 4 && best_.lower - before.lower < wanted() / 4;
    exhausted_ = step_.step <= step_.least * 1.01 || ++runs_ >= 4 || settled || query_.upper_only;
    const double width = best_.upper - best_.lower;
    const double shrink = std::isfinite(width) ? std::clamp(std::sqrt(0.6 * wanted() / width), 0.15, 0.7) : 0.5;
    step_.step = std::max(step_.step * shrink, step_.least);
  }

 private:
  certified_bounds nothing() const { return {0, query_.for_epsilon ? infinite : 1.0}; }
  double wanted() const { return std::max(query_.absolute_width, query_.relative_width * best_.upper); }

  certified_bounds run() {
    const double step = align(losses_, step_.step).step, theta = std::min(tilt_.theta, 8 / step);
    const pld_lattice lattice{step, theta, window_, 4 * static_cast<double>(query_.max_points)};
    const auto composed = pld_run(losses_, lattice, ffts_).composed(query_.upper_only);
    if (!composed) return nothing();
    const certified_bounds found = query_.for_epsilon ? composed->epsilon(query_.value) : composed->delta(query_.value);
    return std::isnan(found.lower) || std::isnan(found.upper) ? nothing() : found;
  }

  pld_query query_;
  certified_bounds best_;
  sampled_losses losses_;
  chosen_tilt tilt_{};
  chosen_window window_{};
  chosen_step step_{};
  real_fft_cache ffts_;
  int runs_ = 0;
  bool exhausted_ = false;
};

}  // namespace dplda::inline v0_1::detail

#endif

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
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Whether bounds are as close as was asked for.
inline bool narrow(const certified_bounds& found, double relative_width, double absolute_width) {
  const double width = found.upper - found.lower;
  return found.lower == found.upper ||
         (std::isfinite(width) && width <= std::max(absolute_width, relative_width * found.upper));
}
inline bool narrow(const certified_bounds& found, const pld_query& query) {
  return narrow(found, query.relative_width, query.absolute_width);
}

/// The answer of one run.
inline certified_bounds answer(const direction_losses& run, const pld_query& query) {
  const certified_bounds found = query.for_epsilon ? run.epsilon(query.value) : run.delta(query.value);
  if (std::isnan(found.lower) || std::isnan(found.upper)) return {0, query.for_epsilon ? infinite : 1.0};
  return found;
}

/// What the runs of one direction say together; nothing if there are none.
inline certified_bounds known_bounds(std::span<const direction_losses> runs, const pld_query& query) {
  certified_bounds all{query.upper_only ? query.known : 0, query.for_epsilon ? infinite : 1.0};
  for (const direction_losses& run : runs) {
    const certified_bounds found = answer(run, query);
    all = {std::max(all.lower, std::min(found.lower, found.upper)), std::min(all.upper, found.upper)};
  }
  return {std::min(all.lower, all.upper), all.upper};
}

class pld_search {
 public:
  /// What is found is also kept in `runs`, for other questions; what others found answers this one as far as it can.
  pld_search(std::span<const counted_pair> pairs, pld_direction direction, const pld_query& query,
             std::vector<direction_losses>& runs)
      : query_(query), best_(known_bounds(runs, query)), runs_kept_(runs), losses_(pairs, direction) {
    double largest = 0, log_finite = 0;
    for (const auto& [pair, count] : pairs) {
      largest += count * (pair.largest_loss(losses_.direction_of(pair)) + pair.loss_error);
      const bool remove = losses_.direction_of(pair) == pld_direction::remove;
      log_finite += count * std::log1p(-std::min(1.0, remove ? pair.p_infinite : pair.q_infinite));
    }
    const double most = raised(std::max(0.0, largest), largest_loss_ulps(pairs)), beyond = -std::expm1(log_finite);
    if (query.for_epsilon && raised(beyond, 8 * libm) <= query.value) best_.upper = std::min(best_.upper, most);
    // Where no finite loss exceeds epsilon, the infinite ones are left.
    if (!query.for_epsilon && most <= query.value) best_.upper = std::min(best_.upper, raised(beyond, 8 * libm));
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
    place();
  }

  certified_bounds bounds() const { return best_; }
  bool exhausted() const { return exhausted_; }
  bool narrow() const { return detail::narrow(best_, query_); }

  /// One run, from which the next one is chosen: finer, better aimed, or without a transform.
  void refine() {
    const certified_bounds found = direct_ ? run_directly() : run(), before = best_;
    best_ = {std::max(best_.lower, std::min(found.lower, found.upper)), std::min(best_.upper, found.upper)};
    best_.lower = std::min(best_.lower, best_.upper);
    if (narrow()) return;
    if (direct_) {
      direct_ = next_direct(found);
      if (!direct_) exhausted_ = at_an_end_;
      return;
    }
    const bool settled =
        runs_ > 0 && before.upper - best_.upper < wanted() / 4 && best_.lower - before.lower < wanted() / 4;
    at_an_end_ = step_.step <= step_.least * 1.01 || ++runs_ >= 4 || settled || query_.upper_only;
    const double width = best_.upper - best_.lower;
    const double shrink = std::isfinite(width) ? std::clamp(std::sqrt(0.6 * wanted() / width), 0.15, 0.7) : 0.5;
    step_.step = std::max(step_.step * shrink, step_.least);  // also of the run after direct sums
    if (begin_direct() || aim_again()) return;
    exhausted_ = at_an_end_;
  }

 private:
  double wanted() const { return std::max(query_.absolute_width, query_.relative_width * best_.upper); }

  certified_bounds run() {
    const double step = align(losses_, step_.step).step, theta = std::min(tilt_.theta, 8 / step);
    const pld_lattice lattice{step, theta, window_, 4 * static_cast<double>(query_.max_points)};
    return kept(pld_run(losses_, lattice, ffts_).composed(query_.upper_only));
  }

  /// Window and step for the tilt.
  void place() {
    window_ = choose_window(losses_, tilt_.theta);
    shorten(losses_, tilt_, window_);
    step_ = choose_step(losses_, query_, tilt_, window_.range);
  }

  /// Chernoff's bound, by which tilt and tails were chosen, is far off where one rare loss decides. What was found says
  /// more.
  bool aim_again() {
    if (aims_ >= 4 || !std::isfinite(best_.upper) || !(best_.upper > 0)) return false;
    chosen_tilt next = tilt_;
    if (query_.for_epsilon) {
      const double expected = best_.lower > 0 ? (best_.lower + best_.upper) / 2 : best_.upper;
      pld_query at = query_;
      at.for_epsilon = false;
      at.value = expected;
      next = choose_tilt(losses_, at, 0);
      next.epsilon = expected;
    } else if (resample()) {
      next = choose_tilt(losses_, query_, 0);
    }
    if (std::abs(std::log(next.theta / tilt_.theta)) < 0.5) return false;
    ++aims_;
    runs_ = 0;
    tilt_ = next;
    place();
    return true;
  }

  /// Whether the tails that were chosen for an unknown delta were too heavy, and are chosen anew.
  bool resample() {
    if (query_.for_epsilon || !(losses_.high_tail * losses_.uses > 1e-5 * best_.upper)) return false;
    losses_.sample(std::log(std::max(best_.lower, 1e-6 * best_.upper)));
    return true;
  }

  /// Bounds this far apart are a sign that the transform's noise decides.
  bool begin_direct() {
    const double far = query_.upper_only ? 0.5 : 0.05;
    if (directs_ > 0 || !(losses_.uses <= (at_an_end_ ? 1e6 : 1e3)) || best_.upper - best_.lower < far * best_.upper)
      return false;
    resample();
    direct_step_ = losses_.widest / 1000;
    direct_ = direct_step_ > 0;
    return direct_;
  }

  certified_bounds run_directly() {
    ++directs_;
    const pld_lattice lattice{align(losses_, direct_step_).step, 0, {}, 4 * static_cast<double>(query_.max_points)};
    const double finite = losses_.high_tail * losses_.uses;
    auto composed =
        pld_run(losses_, lattice, ffts_).directly_composed(query_.upper_only, {finite, 1e-9, most_direct_points});
    direct_ran_ = composed.has_value();
    return kept(std::move(composed));
  }

  /// Whether another step is worth a try: wider where the sum had too many points, finer where the bounds are wide.
  bool next_direct(const certified_bounds& found) {
    if (directs_ >= 6) return false;
    if (resample()) return true;
    if (!direct_ran_) {
      direct_step_ *= 1.6;
      coarser_ = true;
      return true;
    }
    const double width = found.upper - found.lower;
    if (coarser_ || !(width > 0)) return false;
    direct_step_ *= std::clamp(std::sqrt(0.6 * wanted() / width), 0.3, 0.7);
    return true;
  }

  certified_bounds kept(std::optional<direction_losses> run) {
    if (!run) return known_bounds({}, query_);
    const certified_bounds found = answer(*run, query_);
    if (runs_kept_.size() < most_runs) runs_kept_.push_back(std::move(*run));
    return found;
  }

  static constexpr std::size_t most_runs = 32;  // of a few megabytes each
  static constexpr std::size_t most_direct_points = 4096;

  pld_query query_;
  certified_bounds best_;
  std::vector<direction_losses>& runs_kept_;
  sampled_losses losses_;
  chosen_tilt tilt_{};
  chosen_window window_{};
  chosen_step step_{};
  real_fft_cache ffts_;
  int runs_ = 0, aims_ = 0, directs_ = 0;
  double direct_step_ = 0;
  bool at_an_end_ = false, exhausted_ = false;
  bool direct_ = false, direct_ran_ = false, coarser_ = false;
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_NOISE_SCALE_IPP
#define DPLDA_AUDIT_DETAIL_NOISE_SCALE_IPP

// Bodies of audit/noise_scale.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/trade_off.hpp>
#include <dplda/audit/noise_scale.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace dplda::inline v0_1 {

DPLDA_INLINE coin_guesses guess_coins(const run_scores& scores, double threshold) {
  coin_guesses guesses{0, scores.with.size() + scores.without.size()};
  for (const double score : scores.with) guesses.correct += score > threshold;
  for (const double score : scores.without) guesses.correct += !(score > threshold);
  return guesses;
}

DPLDA_INLINE ledger with_noise_scaled(const ledger& spent, double factor) {
  detail::require(factor > 0 && factor <= std::numeric_limits<double>::max(), "with_noise_scaled", "factor", factor,
                  "must be positive and finite");
  ledger scaled;
  for (ledger::entry entry : spent.entries()) {
    std::visit(
        [&](auto& noise) {
          if constexpr (requires { noise.multiplier; }) noise.multiplier *= factor;
        },
        entry.event.noise);
    scaled.record(entry.event, entry.count);
  }
  if (spent.seeded()) scaled.mark_seeded();
  return scaled;
}

namespace detail {

/// The end `refuted` of an interval, at most `width` of itself wide, below which a factor of the noise is not refuted;
/// infinite if none up to 64 is, 1/16 if that is.
template <class Refutes>
double first_refuted(Refutes&& refutes, double width) {
  double least = 1, most = 1;
  if (refutes(1.0)) {
    for (least = 0.5; refutes(least); least /= 2) {
      if (least == 0x1p-4) return least;
      most = least;
    }
  } else {
    for (most = 2; !refutes(most); most *= 2) {
      if (most == 0x1p6) return std::numeric_limits<double>::infinity();
      least = most;
    }
  }
  while (most > least * (1 + width)) {
    const double middle = std::sqrt(least * most);
    (refutes(middle) ? most : least) = middle;
  }
  return most;
}

inline void check_ledger(const ledger& spent, const char* function) {
  require(!spent.empty(), function, "the ledger", "empty", "must say what the mechanism does");
}

}  // namespace detail

DPLDA_INLINE double noise_scale_bound(const coin_guesses& guesses, const ledger& spent, double confidence) {
  detail::require_confidence(confidence, "noise_scale_bound");
  detail::check_ledger(spent, "noise_scale_bound");
  // One side of an interval that misses with probability 1 - confidence on each side; at confidences below 1/2, of an
  // interval that misses less often.
  const double low = clopper_pearson(guesses.correct, guesses.trials, std::max(1 - 2 * (1 - confidence), 1e-9)).low;
  const double distance = 2 * low - 1;
  return detail::first_refuted(
      [&](double factor) { return ledger_delta(with_noise_scaled(spent, factor), 0).upper < distance; }, 1e-4);
}

DPLDA_INLINE double one_run_noise_bound(const one_run_counts& counts, const ledger& spent, double confidence) {
  detail::require_confidence(confidence, "one_run_noise_bound");
  detail::check_counts(counts, "one_run_noise_bound");
  detail::check_ledger(spent, "one_run_noise_bound");
  return detail::first_refuted(
      [&](double factor) {
        composed_loss loss(with_noise_scaled(spent, factor));
        return one_run_refutes(counts, trade_off_curve(loss).points(), confidence);
      },
      1e-3);
}

DPLDA_INLINE double least_epsilon(const ledger& spent, double factor, double delta) {
  detail::require_delta(delta, "least_epsilon");
  if (factor == std::numeric_limits<double>::infinity()) return 0;
  const ledger scaled = with_noise_scaled(spent, factor);
  ledger known;
  for (const ledger::entry& entry : scaled.entries()) {
    const auto& noise = entry.event.noise;
    if (!std::holds_alternative<approximate_dp>(noise) && !std::holds_alternative<dominating_pair>(noise) &&
        !std::holds_alternative<renyi_curve>(noise) && !std::holds_alternative<integer_gaussian_noise>(noise))
      known.record(entry.event, entry.count);
  }
  return known.empty() ? 0 : ledger_epsilon(known, delta).lower;
}

DPLDA_INLINE double scaled_noise_epsilon(const coin_guesses& guesses, const ledger& spent, double delta,
                                         double confidence) {
  detail::require_delta(delta, "scaled_noise_epsilon");
  return least_epsilon(spent, noise_scale_bound(guesses, spent, confidence), delta);
}

DPLDA_INLINE double one_run_epsilon_by_ledger(const one_run_counts& counts, const ledger& spent, double delta,
                                              double confidence) {
  detail::require_delta(delta, "one_run_epsilon_by_ledger");
  return least_epsilon(spent, one_run_noise_bound(counts, spent, confidence), delta);
}

}  // namespace dplda::inline v0_1

#endif

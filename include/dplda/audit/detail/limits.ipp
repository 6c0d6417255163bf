// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_LIMITS_IPP
#define DPLDA_AUDIT_DETAIL_LIMITS_IPP

// Bodies of audit/limits.hpp, which has their claim, argument and test.

#include <dplda/audit/limits.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::size_t> numbers_of_guesses(std::size_t canaries) {
  return {(canaries + 3) / 4, canaries - canaries / 4};
}

DPLDA_INLINE one_run_bound best_one_run_epsilon(std::span<const double> scores, const std::vector<bool>& included,
                                                std::span<const std::size_t> guesses, double delta, double confidence) {
  detail::require(!guesses.empty(), "best_one_run_epsilon", "number of numbers of guesses", guesses.size(),
                  "must be at least 1");
  detail::require_confidence(confidence, "best_one_run_epsilon");
  one_run_bound best;
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    const one_run_counts counts = guess_canaries(scores, included, guesses[i]);
    const double epsilon = one_run_epsilon(counts, delta, 1 - (1 - confidence) / static_cast<double>(guesses.size()));
    if (i == 0 || epsilon > best.epsilon) best = {epsilon, counts};
  }
  return best;
}

DPLDA_INLINE double one_run_limit(std::size_t canaries, std::span<const std::size_t> guesses, double delta,
                                  double confidence) {
  detail::require(!guesses.empty(), "one_run_limit", "number of numbers of guesses", guesses.size(),
                  "must be at least 1");
  detail::require_confidence(confidence, "one_run_limit");
  double best = 0;
  for (const std::size_t r : guesses) {
    best = std::max(
        best, one_run_epsilon({canaries, r, r}, delta, 1 - (1 - confidence) / static_cast<double>(guesses.size())));
  }
  return best;
}

DPLDA_INLINE double repeated_limit(std::size_t runs, double delta, double confidence, bool gaussian) {
  detail::require(runs >= 1, "repeated_limit", "runs", runs, "must be at least 1");
  detail::require_confidence(confidence, "repeated_limit");
  const auto thresholds = static_cast<double>(2 * detail::doubling_ranks(runs).size());
  const attack_counts perfect{runs, runs, 0, runs};
  const double each = 1 - (1 - confidence) / thresholds;
  return gaussian ? gaussian_epsilon_lower_bound(perfect, delta, each) : epsilon_lower_bound(perfect, delta, each);
}

namespace detail {

/// A number from 1 to most with limit(number) > epsilon and limit(number - 1) <= epsilon, by doubling and bisection:
/// the smallest one if limit is increasing. Limits decrease slightly in places, because one more guess or threshold has
/// a cost.
template <class Limit>
std::optional<std::size_t> first_beyond(double epsilon, std::size_t most, Limit&& limit) {
  std::size_t low = 0, high = 1;  // not at low
  while (high < most && !(limit(high) > epsilon)) {
    low = high;
    high = high > most / 2 ? most : 2 * high;
  }
  if (high > most || !(limit(high) > epsilon)) return std::nullopt;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (limit(middle) > epsilon ? high : low) = middle;
  }
  return high;
}

}  // namespace detail

DPLDA_INLINE std::optional<std::size_t> canaries_to_exceed(double epsilon, double delta, double confidence,
                                                           std::size_t most) {
  return detail::first_beyond(epsilon, most, [&](std::size_t canaries) {
    return one_run_limit(canaries, numbers_of_guesses(canaries), delta, confidence);
  });
}

DPLDA_INLINE std::optional<std::size_t> runs_to_exceed(double epsilon, double delta, double confidence,
                                                       std::size_t most) {
  return detail::first_beyond(epsilon, most, [&](std::size_t runs) { return repeated_limit(runs, delta, confidence); });
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_LIMITS_HPP
#define DPLDA_AUDIT_LIMITS_HPP

// The largest epsilon that an audit can prove, known before it runs. It cannot prove more, whatever the true epsilon
// is.

#include <dplda/audit/lower_bounds.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

// Claim: if a mechanism is (epsilon, delta)-DP, best_one_run_epsilon exceeds epsilon with a probability of at most
//   1 - confidence, over the coins of the canaries and the mechanism.
// Preconditions: those of one run (lower_bounds.hpp); numbers of guesses were fixed before the scores were seen.
// Argument: each of the n numbers of guesses has a p-value of its own that is below (1 - confidence) / n with at most
//   that probability (Steinke, Nasr and Jagielski 2023, Theorem 5.2), so that by Bonferroni's inequality all n bounds
//   hold at once, and so does the largest of them.
// Test: tests/audit/limits_test.cpp (coverage on randomized response).

/// Numbers of guesses that are tried by default: a quarter of the canaries, and three quarters. Few guesses find the
/// little that a private learner reveals. Many are needed if an attack is hardly ever wrong, because r guesses prove no
/// epsilon above about log(r / 4). More than two numbers cost more, by Bonferroni's inequality, than they gain.
inline std::vector<std::size_t> numbers_of_guesses(std::size_t canaries) {
  return {(canaries + 3) / 4, canaries - canaries / 4};
}

/// The best lower bound on epsilon from one run, over numbers of guesses about its canaries.
struct one_run_bound {
  double epsilon = 0;
  one_run_counts counts = {};  ///< for the number of guesses that gave it
};

/// Tries each number of guesses (guess_canaries) at a confidence of 1 - (1 - confidence) / size. Throws
/// std::invalid_argument if `guesses` is empty, and as guess_canaries and one_run_epsilon do.
inline one_run_bound best_one_run_epsilon(std::span<const double> scores, const std::vector<bool>& included,
                                          std::span<const std::size_t> guesses, double delta,
                                          double confidence = 0.95) {
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

/// What one run proves if every guess is right. Throws std::invalid_argument if a number of guesses exceeds canaries,
/// if `guesses` is empty, if delta is outside [0, 1], or if confidence is outside (0, 1).
inline double one_run_limit(std::size_t canaries, std::span<const std::size_t> guesses, double delta,
                            double confidence = 0.95) {
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

/// What audited_epsilon (threshold_choice::bonferroni) proves if all `runs` scores with the unit exceed all `runs`
/// scores without it. Throws std::invalid_argument if runs is 0, delta is outside [0, 1], or confidence outside (0, 1).
inline double repeated_limit(std::size_t runs, double delta, double confidence = 0.95, bool gaussian = false) {
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

/// About how many canaries one run needs to prove more than epsilon, with numbers_of_guesses; nothing if no number up
/// to `most` was found. Throws as one_run_limit does.
inline std::optional<std::size_t> canaries_to_exceed(double epsilon, double delta, double confidence = 0.95,
                                                     std::size_t most = 1'000'000) {
  return detail::first_beyond(epsilon, most, [&](std::size_t canaries) {
    return one_run_limit(canaries, numbers_of_guesses(canaries), delta, confidence);
  });
}

/// About how many runs with a unit, and as many without, are needed to prove more than epsilon; nothing if no number up
/// to `most` was found.
/// Throws as repeated_limit does.
inline std::optional<std::size_t> runs_to_exceed(double epsilon, double delta, double confidence = 0.95,
                                                 std::size_t most = 1'000'000) {
  return detail::first_beyond(epsilon, most, [&](std::size_t runs) { return repeated_limit(runs, delta, confidence); });
}

}  // namespace dplda::inline v0_1

#endif

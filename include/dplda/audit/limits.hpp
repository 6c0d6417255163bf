// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_LIMITS_HPP
#define DPLDA_AUDIT_LIMITS_HPP

// The largest epsilon that an audit can prove, known before it runs. It cannot prove more, whatever the true epsilon
// is.

#include <dplda/audit/lower_bounds.hpp>

#include <cstddef>
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
std::vector<std::size_t> numbers_of_guesses(std::size_t canaries);

/// The best lower bound on epsilon from one run, over numbers of guesses about its canaries.
struct one_run_bound {
  double epsilon = 0;
  one_run_counts counts = {};  ///< for the number of guesses that gave it
};

/// Tries each number of guesses (guess_canaries) at a confidence of 1 - (1 - confidence) / size. Throws
/// std::invalid_argument if `guesses` is empty, and as guess_canaries and one_run_epsilon do.
one_run_bound best_one_run_epsilon(std::span<const double> scores, const std::vector<bool>& included,
                                   std::span<const std::size_t> guesses, double delta, double confidence = 0.95);

/// What one run proves if every guess is right. Throws std::invalid_argument if a number of guesses exceeds canaries,
/// if `guesses` is empty, if delta is outside [0, 1], or if confidence is outside (0, 1).
double one_run_limit(std::size_t canaries, std::span<const std::size_t> guesses, double delta,
                     double confidence = 0.95);

/// What audited_epsilon (threshold_choice::bonferroni) proves if all `runs` scores with the unit exceed all `runs`
/// scores without it. Throws std::invalid_argument if runs is 0, delta is outside [0, 1], or confidence outside (0, 1).
double repeated_limit(std::size_t runs, double delta, double confidence = 0.95, bool gaussian = false);

/// About how many canaries one run needs to prove more than epsilon, with numbers_of_guesses; nothing if no number up
/// to `most` was found. Throws as one_run_limit does.
std::optional<std::size_t> canaries_to_exceed(double epsilon, double delta, double confidence = 0.95,
                                              std::size_t most = 1'000'000);

/// About how many runs with a unit, and as many without, are needed to prove more than epsilon; nothing if no number up
/// to `most` was found.
/// Throws as repeated_limit does.
std::optional<std::size_t> runs_to_exceed(double epsilon, double delta, double confidence = 0.95,
                                          std::size_t most = 1'000'000);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/limits.ipp>
#endif

#endif

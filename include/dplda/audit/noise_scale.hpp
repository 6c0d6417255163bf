// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_NOISE_SCALE_HPP
#define DPLDA_AUDIT_NOISE_SCALE_HPP

// Is there as much noise as the ledger says? An audit of mechanisms whose distribution is known except for its scale.
// The auditor makes scores from whatever was released.
//
// Claim: if a mechanism with and without a unit is no easier to distinguish than its ledger says, then
//   noise_scale_bound, and one_run_noise_bound, is below 1 with a probability of at most 1 - confidence, whatever the
//   mechanism does. If the mechanism is that of its ledger, but with s times the noise for some s, then that bound is at
//   least s, and scaled_noise_epsilon, or one_run_epsilon_by_ledger, is at most the mechanism's least epsilon, each with
//   the stated confidence. Events known only by epsilon and delta, by a dominating pair or by a Renyi curve, and discrete
//   Gaussian noise on one integer, stay as they are whatever s is, and randomised response keeps its epsilon. A bound
//   below 1 refutes the ledger. It shows that the claimed epsilon is exceeded only on the premise that nothing but the
//   noise's scale is wrong.
// Preconditions, for coin_guesses: each trial is an independent run of the mechanism on one of two fixed neighbouring
//   inputs; an independent fair coin decides whether the unit is in. The rule that guesses the coin from the release was
//   fixed before these runs.
// Argument: a guess is right with probability (1 + TPR - FPR) / 2, and TPR - FPR is at most the total variation
//   distance of the two distributions, which is the delta of the mechanism at epsilon = 0. So the number of right
//   guesses is binomial with a probability of at most (1 + delta(0)) / 2, and clopper_pearson gives that probability's
//   lower end, here one-sided. delta(0) falls as s grows, and so does epsilon. Of the accountants' bounds, the one that
//   gives the weaker statement is used. Events that stay as they are may cost less than they say, so epsilon is that of
//   the other events; all events together cost at least as much.
// One run (one_run_counts): the preconditions are those of one run (lower_bounds.hpp). The guesses refute all scales from
//   some scale on (one_run_refutes), as the privacy curve falls when s grows; a mechanism of any larger scale would fall
//   under the same refutation. The ledger's curve holds for adding and for removing a canary.
// This proves more than epsilon_lower_bound, which knows nothing of the mechanism and looks for the ratio e^epsilon:
//   Gaussian noise shows that ratio only in rare events. This audit looks for the distance of the distributions, which
//   half of all runs show.
// Test: tests/audit/noise_scale_test.cpp (coverage, on Gaussian, Laplace and sampled Gaussian noise).

#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/random/source.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

/// Scores of independent runs, for guess_coins and for audited_epsilon.
struct run_scores {
  std::vector<double> with, without;
};

/// Runs a mechanism repeatedly; a fair coin decides each time whether the unit is in. run(with, random) returns a score
/// of the release; it may use everything except the coin and the noise. The number of threads changes neither the
/// scores nor later draws. Throws what run throws.
///
///   const auto scores = dplda::score_runs(
///       [&](bool with, dplda::random_source& own) { return learner.fit(with ? more : docs, own).value().phi()(0, 0); },
///       10000, random);
///   const double least = dplda::scaled_noise_epsilon(dplda::guess_coins(scores, 0.5), learner.plan().ledger, 1e-6);
template <class Run>
run_scores score_runs(const Run& run, std::size_t runs, random_source& random, std::size_t threads = 0) {
  detail::require_one_process("score_runs", random);
  auto coins = random.fork().stream("coins");
  std::vector<char> with(runs);
  std::vector<double> scores(runs);
  std::vector<random_source> sources;
  for (std::size_t i = 0; i < runs; ++i) {
    with[i] = static_cast<char>(coins() & 1);
    sources.push_back(random.fork());
  }
  parallel_for(runs, 16, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) scores[i] = run(with[i] != 0, sources[i]);
  });
  run_scores sides;
  for (std::size_t i = 0; i < runs; ++i) (with[i] != 0 ? sides.with : sides.without).push_back(scores[i]);
  return sides;
}

/// Guesses about fair coins.
struct coin_guesses {
  std::uint64_t correct = 0;
  std::uint64_t trials = 0;
};

/// Guesses "with" for scores above the threshold, which must be fixed before the runs.
coin_guesses guess_coins(const run_scores& scores, double threshold);

/// The same events with `factor` times the noise. Events known only by epsilon and delta stay as they are. Throws
/// std::invalid_argument unless factor is positive and finite.
ledger with_noise_scaled(const ledger& spent, double factor);

/// An upper bound on the noise, as a multiple of the ledger's noise. Infinite if the guesses do not bound it; 1/16 if
/// they show that it is smaller still. Throws std::invalid_argument if there are more right guesses than trials,
/// confidence is outside (0, 1), or the ledger is empty.
double noise_scale_bound(const coin_guesses& guesses, const ledger& spent, double confidence = 0.95);

/// The same from the guesses of one run about many canaries. Throws likewise, and as one_run_refutes.
double one_run_noise_bound(const one_run_counts& counts, const ledger& spent, double confidence = 0.95);

/// The least epsilon, at `delta`, of a mechanism that has at most `factor` times the noise of the ledger; 0 if factor
/// is infinite. Throws std::invalid_argument if delta is outside [0, 1], or factor is not positive.
double least_epsilon(const ledger& spent, double factor, double delta);

/// The epsilon at `delta` of a mechanism with as much noise as the guesses allow: a lower bound, 0 if they show
/// nothing.
/// Throws as noise_scale_bound and least_epsilon do.
double scaled_noise_epsilon(const coin_guesses& guesses, const ledger& spent, double delta, double confidence = 0.95);

/// The same from the guesses of one run. Throws as one_run_noise_bound and least_epsilon do.
double one_run_epsilon_by_ledger(const one_run_counts& counts, const ledger& spent, double delta,
                                 double confidence = 0.95);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/noise_scale.ipp>
#endif

#endif

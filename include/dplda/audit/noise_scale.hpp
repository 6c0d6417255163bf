// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_NOISE_SCALE_HPP
#define DPLDA_AUDIT_NOISE_SCALE_HPP

// Is there as much noise as the ledger says? An audit of mechanisms whose law is known but for its scale, with scores that
// the auditor makes from whatever was released.
//
// Claim: a mechanism that is no easier to tell apart, with a unit and without, than its ledger says gets a
//   noise_scale_bound below 1 with a probability of 1 - confidence at most, whatever it does. If it is that of its ledger,
//   but with s times the noise for some s, then noise_scale_bound is at least s and scaled_noise_epsilon at most its least
//   epsilon, each with the stated confidence. Events that are known by epsilon and delta alone keep theirs whatever s is,
//   and randomised response its epsilon. A bound below 1 refutes the ledger; that the claimed epsilon is exceeded follows
//   only on the premise that the noise's scale is all that is wrong.
// Preconditions: each trial is an independent run of the mechanism, with the unit or without it as an independent fair coin
//   fell, on two neighbouring inputs that do not change; the rule to guess the coin from what was released was fixed before
//   these runs.
// Argument: a guess is right with probability (1 + TPR - FPR) / 2, and TPR - FPR is at most the distance of the two laws in
//   total variation, which is the delta of the mechanism at epsilon = 0. So the number of right guesses is binomial with
//   at most (1 + delta(0)) / 2, of which clopper_pearson gives the low end, here one-sided. delta(0) falls as s grows, and
//   so does epsilon. Of accountants' bounds the one that makes the statement weaker is taken. Events that are known by
//   epsilon and delta alone may cost less than they say, so epsilon is that of the others, which all together cost no less.
// This says more than epsilon_lower_bound, which knows nothing of the mechanism: that looks for the ratio e^epsilon, which
//   Gaussian noise shows in rare events only, this for the distance of the laws, which half of all runs show.
// Test: tests/audit/noise_scale_test.cpp (coverage, on Gaussian, Laplace and sampled Gaussian noise).

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace dplda {

/// Scores of independent runs, for guess_coins and for audited_epsilon.
struct run_scores {
  std::vector<double> with, without;
};

/// Runs a mechanism again and again, with a unit or without it as fair coins fall. run(with, random) gives a score of what
/// was released: it may know everything but the coin and the noise. Threads do not change the scores, nor what is drawn
/// after them. Throws what run throws.
///
///   const auto scores = dplda::score_runs(
///       [&](bool with, dplda::random_source& own) { return learner.fit(with ? more : docs, own).value().phi()(0, 0); },
///       10000, random);
///   const double least = dplda::scaled_noise_epsilon(dplda::guess_coins(scores, 0.5), learner.plan().ledger, 1e-6);
template <class Run>
run_scores score_runs(const Run& run, std::size_t runs, random_source& random, std::size_t threads = 0) {
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

/// "With" is guessed of scores above the threshold, which was fixed before.
inline coin_guesses guess_coins(const run_scores& scores, double threshold) {
  coin_guesses guesses{0, scores.with.size() + scores.without.size()};
  for (const double score : scores.with) guesses.correct += score > threshold;
  for (const double score : scores.without) guesses.correct += !(score > threshold);
  return guesses;
}

/// The same events with `factor` times the noise. What is known by epsilon and delta alone stays as it is. Throws
/// std::invalid_argument unless factor is positive and finite.
inline ledger with_noise_scaled(const ledger& spent, double factor) {
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

/// At most so many times the noise of the ledger: an upper bound, infinite if the guesses do not tell, and 1/16 where they
/// say that there is less. Throws std::invalid_argument if there are more right guesses than trials, confidence is outside
/// (0, 1), or the ledger is empty.
inline double noise_scale_bound(const coin_guesses& guesses, const ledger& spent, double confidence = 0.95) {
  const char* const function = "noise_scale_bound";
  detail::require_confidence(confidence, function);
  detail::require(!spent.empty(), function, "the ledger", "empty", "must say what the mechanism does");
  // One side of the interval that misses with the whole of 1 - confidence on each; at confidences below 1/2 of one that
  // misses less.
  const double low = clopper_pearson(guesses.correct, guesses.trials, std::max(1 - 2 * (1 - confidence), 1e-9)).low;
  const double distance = 2 * low - 1;
  const auto too_many = [&](double factor) {
    return ledger_delta(with_noise_scaled(spent, factor), 0).upper < distance;
  };
  double least = 1, most = 1;
  if (too_many(1)) {
    for (least = 0.5; too_many(least); least /= 2) {
      if (least == 0x1p-4) return least;
      most = least;
    }
  } else {
    for (most = 2; !too_many(most); most *= 2) {
      if (most == 0x1p6) return std::numeric_limits<double>::infinity();
      least = most;
    }
  }
  while (most > least * (1 + 1e-4)) {
    const double middle = std::sqrt(least * most);
    (too_many(middle) ? most : least) = middle;
  }
  return most;
}

/// What a mechanism costs at least, at `delta`, that has at most `factor` times the noise of the ledger; 0 if factor is
/// infinite. Throws std::invalid_argument if delta is outside [0, 1], or factor is not positive.
inline double least_epsilon(const ledger& spent, double factor, double delta) {
  detail::require_delta(delta, "least_epsilon");
  if (factor == std::numeric_limits<double>::infinity()) return 0;
  const ledger scaled = with_noise_scaled(spent, factor);
  ledger known;
  for (const ledger::entry& entry : scaled.entries()) {
    if (!std::holds_alternative<approximate_dp>(entry.event.noise)) known.record(entry.event, entry.count);
  }
  return known.empty() ? 0 : ledger_epsilon(known, delta).lower;
}

/// The epsilon at `delta` of a mechanism with as much noise as the guesses allow: a lower bound, 0 if they do not tell.
/// Throws as noise_scale_bound and least_epsilon do.
inline double scaled_noise_epsilon(const coin_guesses& guesses, const ledger& spent, double delta,
                                   double confidence = 0.95) {
  detail::require_delta(delta, "scaled_noise_epsilon");
  return least_epsilon(spent, noise_scale_bound(guesses, spent, confidence), delta);
}

}  // namespace dplda

#endif

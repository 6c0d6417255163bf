// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_AUDIT_SELF_AUDIT_HPP
#define DPLDA_TESTS_AUDIT_SELF_AUDIT_HPP

// The library attacks itself: for each learner and selector the strongest cheap attack that we know. Corpora are as
// small as possible. The canary is a unit whose contribution is as long as the clip norm allows and points at one cell,
// so that a likelihood ratio of the release, or the released word itself, shows most of what can be shown.

#include <dplda/accounting/accountant.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/audit/noise_scale.hpp>
#include <dplda/core/corpus.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/tiny.hpp"

namespace dplda_tests {

/// A score of one run's release, with the canary or without.
using scored_run = std::function<double(bool, dplda::random_source&)>;

/// A claim and the attack on it.
struct audit_case {
  std::string learner;
  std::string flaw;  // empty: none that we know of
  dplda::guarantee claim;
  dplda::ledger spent;       // as claimed
  dplda::ledger drawn = {};  // with half the noise: the noise actually drawn
  scored_run run;
  double threshold = 0;  // scores above it say that the canary is included
  std::size_t least_runs = 0, most_runs = 600000;
  bool one_release = false;  // the score loses nothing of it: the audit must come close to the claim
};

/// The same attack for any budget: a learner planned for one budget may be audited against the claim of another.
using case_maker = std::function<audit_case(const dplda::budget&)>;

/// Runs after which the low end of the distance in total variation is some `part` below the distance at this
/// confidence, if an attack misses nothing.
inline std::size_t runs_for(const audit_case& one, double part, double confidence = 0.999) {
  const double distance = dplda::ledger_delta(one.spent, 0).upper;
  const double runs = std::pow(dplda::detail::normal_quantile(confidence) / (part * distance), 2);
  return std::clamp(static_cast<std::size_t>(runs) + 4000, one.least_runs, one.most_runs);
}

/// A learner that adds half the noise of its claim: planned for the budget that this noise is worth.
inline audit_case with_half_the_noise(const case_maker& make, const dplda::budget& total) {
  const audit_case honest = make(total);
  const double epsilon =
      dplda::price(dplda::with_noise_scaled(honest.spent, 0.5), honest.claim.delta, honest.claim.accountant).epsilon;
  audit_case broken = make({epsilon, total.delta});
  broken.claim = honest.claim;
  broken.drawn = std::exchange(broken.spent, honest.spent);
  broken.flaw = "half the noise";
  broken.one_release = false;
  return broken;
}

/// A threshold for scores of unknown distribution, from separate runs that the audit does not use.
inline double pilot_threshold(const scored_run& run, std::size_t runs, std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  const dplda::run_scores scores = dplda::score_runs(run, runs, random);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  return (mean(scores.with) + mean(scores.without)) / 2;
}

/// Whether all noise of a mechanism is Gaussian and on all units, so that it is mu-GDP.
inline bool only_gaussian(const dplda::ledger& spent) {
  return std::all_of(spent.entries().begin(), spent.entries().end(), [](const dplda::ledger::entry& entry) {
    return std::holds_alternative<dplda::gaussian_noise>(entry.event.noise) &&
           std::holds_alternative<dplda::all_units>(entry.event.sampling);
  });
}

/// What an audit found: upper bounds on the scale of the noise and lower bounds on epsilon, at two confidences.
struct audit_verdict {
  double noise_scale, noise_scale_at_once;  // below 1: the ledger is refuted
  double audited;                  // the epsilon of noise_scale, if the mechanism is otherwise as its ledger says
  double any, any_at_once;         // above the claim: the claim is refuted, whatever the mechanism is
  std::optional<double> gaussian;  // of one release with Gaussian noise: if the mechanism is mu-GDP for some mu
  std::size_t runs;
  double seconds;
};

/// `confidence` is for a single row, `at_once` for one row among many that must all hold.
inline audit_verdict judge(const audit_case& one, std::size_t runs, double confidence, double at_once,
                           std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  auto random = dplda::seeded_random(seed);
  const dplda::run_scores scores = dplda::score_runs(one.run, runs, random);
  const dplda::coin_guesses guesses = dplda::guess_coins(scores, one.threshold);
  const double scale = dplda::noise_scale_bound(guesses, one.spent, confidence),
               scale_at_once = at_once == confidence ? scale : dplda::noise_scale_bound(guesses, one.spent, at_once);
  dplda::attack_counts counts{.members = scores.with.size(), .others = scores.without.size()};
  for (const double score : scores.with) counts.true_positives += score > one.threshold;
  for (const double score : scores.without) counts.false_positives += score > one.threshold;
  const auto any = [&](double level) {  // by the known threshold and by the best of some, half of the level for each
    const double half = 1 - (1 - level) / 2, delta = one.claim.delta;
    return std::max(dplda::epsilon_lower_bound(counts, delta, half),
                    dplda::audited_epsilon(scores.with, scores.without, {.delta = delta, .confidence = half}));
  };
  audit_verdict found{.noise_scale = scale,
                      .noise_scale_at_once = scale_at_once,
                      .audited = dplda::least_epsilon(one.spent, scale, one.claim.delta),
                      .any = any(confidence),
                      .any_at_once = any(at_once),
                      .gaussian = {},
                      .runs = runs,
                      .seconds = 0};
  if (one.one_release && only_gaussian(one.spent))
    found.gaussian = dplda::gaussian_epsilon_lower_bound(counts, one.claim.delta, confidence);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

/// Documents of many tokens of one word: each contributes a whole clip norm to that word alone.
inline void add_documents_of(dplda::corpus_builder& builder, dplda::word_id word, std::size_t documents,
                             std::uint32_t tokens) {
  for (std::size_t d = 0; d < documents; ++d) {
    builder.add(word, tokens);
    builder.end_document();
  }
}

/// Two neighbouring corpora over w0 and w1: documents of w0, of w1 and of both in the given numbers, and the canary of
/// w0. Those of both have w0 the given number of times as often as w1.
struct neighbouring_corpora {
  dplda::corpus with, without;

  neighbouring_corpora(std::size_t of_w0, std::size_t of_w1, std::uint32_t tokens, std::size_t of_both = 0,
                       std::uint32_t times = 1)
      : with(make(of_w0, of_w1, tokens, of_both, times, true)),
        without(make(of_w0, of_w1, tokens, of_both, times, false)) {}
  const dplda::corpus& operator[](bool in) const { return in ? with : without; }

 private:
  static dplda::corpus make(std::size_t of_w0, std::size_t of_w1, std::uint32_t tokens, std::size_t of_both,
                            std::uint32_t times, bool in) {
    dplda::corpus_builder builder;
    add_documents_of(builder, 0, of_w0, tokens);
    add_documents_of(builder, 1, of_w1, tokens);
    for (std::size_t d = 0; d < of_both; ++d) {
      builder.add(0, times * tokens);
      builder.add(1, tokens);
      builder.end_document();
    }
    if (in) add_documents_of(builder, 0, 1, tokens);
    return made_up(builder, 2);
  }
};

}  // namespace dplda_tests

#endif

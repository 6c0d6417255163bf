// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_AUDIT_HPP
#define DPLDA_AUDIT_AUDIT_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/canaries.hpp>
#include <dplda/audit/limits.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/audit/query_statistics.hpp>
#include <dplda/audit/roc.hpp>
#include <dplda/audit/shadows.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// The epsilon that a learner claims, and the lower bound that an attack on it proves.
struct audit_report {
  double claimed = std::numeric_limits<double>::infinity();  ///< epsilon; infinite for a learner that claims nothing
  double audited = 0;                                        ///< a lower bound on epsilon
  double delta = 0;
  double confidence = 0.95;
  std::string method;
  /// Why there is no verdict on the claim: it is as_published, so nothing was proven; or it has a gamma, so it may fail
  /// for this very input; or the audit was stopped. Empty if there is a verdict.
  std::string undecided = {};
  /// What this attack would have proven had every guess been right; infinite if not known.
  double provable = std::numeric_limits<double>::infinity();
  /// The attack's score of each canary (one run) or of the canary in each run, and whether it was included. Like the
  /// whole report, the scores reveal the data without noise.
  std::vector<scored_document> scores = {};
  /// What the bound assumes about the mechanism; empty: nothing.
  std::string premise = {};

  /// Whether claim and premise cannot both be true, at the report's confidence.
  bool contradicted() const noexcept { return undecided.empty() && audited > claimed; }

  /// Whether the claim is refuted whatever the mechanism is: contradicted, and without a premise.
  bool refuted() const noexcept { return contradicted() && premise.empty(); }

  /// How well the scores distinguish included canaries from the others; nothing unless there are both. Infinite scores
  /// count as the largest numbers.
  std::optional<roc_curve> roc() const;
};

/// One line: claimed and audited epsilon, and what the attack could have proven.
std::ostream& operator<<(std::ostream& out, const audit_report& report);

/// How to audit. If there is a claim, its delta is used.
struct audit_options {
  canary_options canaries = {};
  double delta = 1e-5;  ///< for learners without a claim
  double confidence = 0.95;
  std::size_t guesses = 0;  ///< one run: number of guesses. 0: the best of numbers_of_guesses, at a Bonferroni cost
  std::size_t runs = 0;     ///< repeated runs: with the canary, and as many without; for audit() 0 means one run
  /// Only for repeated runs: score_audit_options::gaussian, for releases whose ledger has only Gaussian noise on all
  /// units. The report then has a premise.
  bool gaussian = false;
  std::size_t threads = 0;  ///< repeated runs: fits at once; give the learner threads = 1
};

namespace detail {

/// A canary is a document, or a user's only document: a claim about tokens does not cover it.
void require_audited_unit(const char* function, privacy_unit unit);

/// What to put in place of a canary so that the inputs are neighbouring datasets in the claim's sense.
template <class Learner>
left_out place_of_left_out(const char* function, const Learner& learner) {
  if constexpr (requires { learner.guarantee().relation; }) {
    require_audited_unit(function, learner.guarantee().unit);
    if (learner.guarantee().relation == neighbours::replace) return left_out::empty_document;
  }
  return left_out::nothing;
}

template <class Model>
void take_claim(const char*, audit_report&, const Model&, left_out) {}
template <class Model>
void take_claim(const char* function, audit_report& report, const release<Model>& released, left_out instead) {
  const guarantee& claim = released.guarantee();
  require_audited_unit(function, claim.unit);
  require((claim.relation == neighbours::replace) == (instead == left_out::empty_document), function,
          "the release's neighbouring relation", claim.relation,
          "must be that of the learner's guarantee(), or add_remove without one: canaries were left out accordingly");
  report.claimed = claim.epsilon;
  report.delta = claim.delta;
  if (claim.basis == basis::as_published) {
    report.undecided = "because the claim is as published, not proven";
  } else if (claim.gamma) {
    report.undecided = text("because the claim may fail with probability ", *claim.gamma, " over the data");
  }
}

/// Only a composition of Gaussian mechanisms on all units, without sampling, is known to be mu-GDP for some mu.
template <class Model>
void require_gaussian(const char* function, const Model&) {
  refuse(function, "gaussian", "true", "must be false unless a ledger says that all noise is Gaussian");
}
template <class Model>
void require_gaussian(const char* function, const release<Model>& released) {
  for (const ledger::entry& entry : released.ledger().entries()) {
    require(std::holds_alternative<gaussian_noise>(entry.event.noise) &&
                std::holds_alternative<all_units>(entry.event.sampling),
            function, "gaussian", "true",
            "must be false unless the release's ledger has only Gaussian noise on all units, without sampling");
  }
}

}  // namespace detail

/// Audits one fit (Steinke, Nasr and Jagielski 2023). Independent fair coins decide which canaries are added. The
/// canaries that the learned topics explain best are then guessed to be in, those that they explain worst to be out. A
/// canary's score is zeta minus its log likelihood under the words' frequencies in `docs`. The options alone fix the
/// number of guesses (best_one_run_epsilon). The bound holds for the claim's unit if a canary is one: documents, or
/// users if documents have owners.
///
/// `watch` is passed to the learner's fit if that takes an observer, and stops it by the learner's own rule: a private
/// learner then throws fit_stopped, and there is nothing to audit.
///
/// Throws std::invalid_argument if options.gaussian is set, if the claim's unit is the token, or its neighbours are not
/// those of the learner's guarantee() (add_remove where it has none), and what make_canaries, guess_canaries and the
/// learner throw.
template <AuditableLearner Learner>
audit_report one_run_audit(const Learner& learner, const corpus& docs, random_source& random,
                           const audit_options& options = {}, const observer& watch = {}) {
  const char* const function = "one_run_audit";
  detail::require_one_process(function, random);
  detail::require(!options.gaussian, function, "gaussian", "true", "must be false: it is for repeated runs");
  const corpus canaries = make_canaries(docs, options.canaries);
  auto bits = random.fork().stream("canaries");
  std::vector<bool> included(canaries.size());
  for (std::size_t i = 0; i < included.size(); ++i) included[i] = (bits() & 1) != 0;
  const left_out instead = detail::place_of_left_out(function, learner);
  const auto fitted = detail::watched_fit(learner, add_documents(docs, canaries, included, instead), random, watch);
  const Eigen::MatrixXd fits = fit_query()(detail::model_of(fitted), canaries);
  const std::vector<std::uint64_t> tokens = word_counts(docs);
  const double total = static_cast<double>(docs.tokens()) + static_cast<double>(docs.words());
  std::vector<double> scores(canaries.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = fits(static_cast<Eigen::Index>(i), 0);
    const document doc = canaries[i];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      scores[i] -= doc.counts[n] * std::log((static_cast<double>(tokens[doc.words[n]]) + 1) / total);
    }
  }
  audit_report report{.delta = options.delta, .confidence = options.confidence, .method = ""};
  detail::take_claim(function, report, fitted, instead);
  const std::vector<std::size_t> guesses =
      options.guesses > 0 ? std::vector{options.guesses} : numbers_of_guesses(canaries.size());
  const auto [epsilon, counts] = best_one_run_epsilon(scores, included, guesses, report.delta, options.confidence);
  report.audited = epsilon;
  report.provable = one_run_limit(canaries.size(), guesses, report.delta, options.confidence);
  report.method = detail::text("one run, ", counts.correct, " of ", counts.guesses, " guesses right about ",
                               counts.canaries, " canaries");
  for (std::size_t i = 0; i < scores.size(); ++i) report.scores.push_back({scores[i], included[i]});
  return report;
}

/// Audits repeated fits with and without one canary, by the canary's zeta and the best threshold
/// (threshold_choice::bonferroni). options.canaries.count is ignored.
///
/// `watch` is called by one thread at a time with the number of finished pairs of runs (one with the canary, one
/// without). When it returns true, no further pair is started, and the audit proves nothing: audited is 0, and
/// undecided says why. The confidence holds only for a number of runs fixed beforehand: the time of a run may depend on
/// what it learned, so the runs finished before a deadline are not a fair sample, and someone who sees results may stop
/// when they like them. The report keeps the scores of the finished pairs for inspection.
///
/// Throws std::invalid_argument if runs is 0, if one_run_audit would refuse the claim, if options.gaussian is set and
/// the fit is not a release whose ledger has only Gaussian noise on all units, and what make_canaries, audited_epsilon
/// and the learner throw.
template <AuditableLearner Learner>
audit_report repeated_audit(const Learner& learner, const corpus& docs, random_source& random,
                            const audit_options& options = {}, const observer& watch = {}) {
  const char* const function = "repeated_audit";
  detail::require_one_process(function, random);
  detail::require(options.runs >= 1, function, "runs", options.runs, "must be at least 1");
  canary_options one = options.canaries;
  one.count = 1;
  const corpus canary = make_canaries(docs, one);
  const left_out instead = detail::place_of_left_out(function, learner);
  const corpus inputs[2] = {add_documents(docs, canary, {true}, instead),
                            add_documents(docs, canary, {false}, instead)};
  std::vector<random_source> sources;
  for (std::size_t i = 0; i < 2 * options.runs; ++i) sources.push_back(random.fork());
  audit_report report{.delta = options.delta, .confidence = options.confidence, .method = ""};
  std::vector<std::optional<std::pair<double, double>>> pairs(options.runs);
  std::mutex guard;
  std::size_t done = 0;
  bool stopped = false;
  const auto run = [&](std::size_t pair) {
    {
      const std::lock_guard lock(guard);
      if (stopped) return;
    }
    double found[2];
    for (const std::size_t side : {0u, 1u}) {
      const auto fitted = detail::watched_fit(learner, inputs[side], sources[2 * pair + side], {});
      if (pair == 0 && side == 0) {
        detail::take_claim(function, report, fitted, instead);
        if (options.gaussian) detail::require_gaussian(function, fitted);
      }
      found[side] = fit_query()(detail::model_of(fitted), canary)(0, 0);
    }
    const std::lock_guard lock(guard);
    pairs[pair] = {found[0], found[1]};
    ++done;
    if (watch && watch({done, options.runs})) stopped = true;
  };
  run(0);  // first, so that a learner that cannot be audited is refused before the other runs
  parallel_for(options.runs - 1, 1, thread_count(options.threads),
               [&](std::size_t i, std::size_t, std::size_t) { run(i + 1); });
  std::vector<double> scores[2];  // with and without the canary, of the finished pairs in order
  for (const auto& pair : pairs) {
    if (!pair) continue;
    scores[0].push_back(pair->first);
    scores[1].push_back(pair->second);
  }
  for (const int side : {0, 1}) {
    for (const double score : scores[side]) report.scores.push_back({score, side == 0});
  }
  if (options.gaussian) report.premise = "the noise is Gaussian as the ledger says";
  report.method =
      detail::text(done, " runs with a canary and ", done, " without", options.gaussian ? ", taken as Gaussian" : "");
  if (done < options.runs) {
    report.provable = 0;
    report.undecided = detail::text("because the audit was stopped after ", done, " of ", options.runs,
                                    " planned pairs of runs, and a bound holds for the planned number only");
    return report;
  }
  report.provable = repeated_limit(done, report.delta, options.confidence, options.gaussian);
  report.audited =
      audited_epsilon(std::move(scores[0]), std::move(scores[1]),
                      {.delta = report.delta, .confidence = options.confidence, .gaussian = options.gaussian});
  return report;
}

/// Attacks a learner on a corpus, by one_run_audit, or by repeated_audit if options.runs > 0.
///
///   std::cout << dplda::audit(learner, docs, random) << '\n';  // claimed against audited epsilon
///
/// `watch` and exceptions are as described there.
template <AuditableLearner Learner>
audit_report audit(const Learner& learner, const corpus& docs, random_source& random, const audit_options& options = {},
                   const observer& watch = {}) {
  return options.runs > 0 ? repeated_audit(learner, docs, random, options, watch)
                          : one_run_audit(learner, docs, random, options, watch);
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/audit.ipp>
#endif

#endif

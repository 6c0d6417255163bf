// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_AUDIT_HPP
#define DPLDA_AUDIT_AUDIT_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/canaries.hpp>
#include <dplda/audit/limits.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/audit/noise_scale.hpp>
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

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
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
  /// One run with audit_options::by_ledger: a lower bound on epsilon that holds, with the same confidence of its own, on
  /// the premise that the mechanism is that of its ledger except for the scale of the noise.
  std::optional<double> by_ledger = {};
  /// What `audited` assumes about the mechanism; empty: nothing.
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
  /// Repeated runs: how often the scores are looked at, after all runs, half of them, a quarter and so on. Each look has
  /// its share of 1 - confidence, so that all bounds hold at once; the audit ends once one exceeds the claim.
  std::size_t looks = 1;
  /// Only for one run: audit_report::by_ledger. It prices the ledger some twenty times. For releases whose claim is proven.
  bool by_ledger = false;
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

/// What one run proves by the ledger: the least epsilon of its mechanism with as much noise as the guesses allow, each
/// number of guesses having its share of 1 - confidence.
template <class Model>
std::optional<double> bound_by_ledger(const Model&, std::span<const one_run_counts>, double, double) {
  return std::nullopt;
}
template <class Model>
std::optional<double> bound_by_ledger(const release<Model>& released, std::span<const one_run_counts> guesses,
                                      double delta, double confidence) {
  const double each = 1 - (1 - confidence) / static_cast<double>(guesses.size());
  double factor = std::numeric_limits<double>::infinity();
  for (const one_run_counts& counts : guesses)
    factor = std::min(factor, one_run_noise_bound(counts, released.ledger(), each));
  return least_epsilon(released.ledger(), factor, delta);
}

/// After how many of the planned runs the scores are looked at.
std::vector<std::size_t> planned_looks(std::size_t runs, std::size_t looks);

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
  if (options.by_ledger && report.undecided.empty()) {
    std::vector<one_run_counts> counted;
    for (const std::size_t r : guesses) counted.push_back(guess_canaries(scores, included, r));
    report.by_ledger = detail::bound_by_ledger(fitted, counted, report.delta, options.confidence);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) report.scores.push_back({scores[i], included[i]});
  return report;
}

/// Audits repeated fits with and without one canary, by the canary's zeta and the best threshold
/// (threshold_choice::bonferroni). options.canaries.count is ignored.
///
/// `watch` is called by one thread at a time with the number of finished pairs of runs (one with the canary, one
/// without). When it returns true, no further pair is started, and what the looks before proved is reported
/// (options.looks). If there was none, the audit proves nothing: audited is 0, and undecided says why. A bound has its
/// confidence only for numbers of runs fixed beforehand: the time of a run may depend on what it learned, so the runs
/// finished before a deadline are not a fair sample, and someone who sees results may stop when they like them. The
/// report keeps the scores of the finished pairs for inspection.
///
/// Throws std::invalid_argument if runs or looks is 0, if options.by_ledger is set, if one_run_audit would refuse the claim, if options.gaussian is set and
/// the fit is not a release whose ledger has only Gaussian noise on all units, and what make_canaries, audited_epsilon
/// and the learner throw.
template <AuditableLearner Learner>
audit_report repeated_audit(const Learner& learner, const corpus& docs, random_source& random,
                            const audit_options& options = {}, const observer& watch = {}) {
  const char* const function = "repeated_audit";
  detail::require_one_process(function, random);
  detail::require(options.runs >= 1, function, "runs", options.runs, "must be at least 1");
  detail::require(options.looks >= 1, function, "looks", options.looks, "must be at least 1");
  detail::require(!options.by_ledger, function, "by_ledger", "true", "must be false: it is for one run");
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
  const std::vector<std::size_t> looks = detail::planned_looks(options.runs, options.looks);
  const double each = 1 - (1 - options.confidence) / static_cast<double>(looks.size());
  std::size_t begun = 1, looked = 0;
  for (const std::size_t size : looks) {
    parallel_for(size - begun, 1, thread_count(options.threads),
                 [&](std::size_t i, std::size_t, std::size_t) { run(begun + i); });
    begun = size;
    if (done < size) break;
    std::vector<double> with, without;
    for (std::size_t i = 0; i < size; ++i) {
      with.push_back(pairs[i]->first);
      without.push_back(pairs[i]->second);
    }
    report.audited = std::max(
        report.audited, audited_epsilon(std::move(with), std::move(without),
                                        {.delta = report.delta, .confidence = each, .gaussian = options.gaussian}));
    ++looked;
    if (stopped || report.contradicted()) break;
  }
  for (const int side : {0, 1}) {
    for (const auto& pair : pairs)
      if (pair) report.scores.push_back({side == 0 ? pair->first : pair->second, side == 0});
  }
  if (options.gaussian) report.premise = "the noise is Gaussian as the ledger says";
  report.method =
      detail::text(done, " runs with a canary and ", done, " without", options.gaussian ? ", taken as Gaussian" : "");
  if (looks.size() > 1) report.method += detail::text(", ", looked, " of ", looks.size(), " planned looks");
  report.provable = looked > 0 ? repeated_limit(options.runs, report.delta, each, options.gaussian) : 0;
  if (looked == 0)
    report.undecided = detail::text("because the audit was stopped after ", done, " of ", options.runs,
                                    " planned pairs of runs, and a bound holds for the planned number only");
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

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_PRIVATE_SCORE_HPP
#define DPLDA_ANALYSIS_PRIVATE_SCORE_HPP

// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the options, with the epsilon and
//   delta of guarantee(), which is known before a document is read. It covers the topics too, if they are a release. The
//   cost beside them, for any fixed topics, is that of own().
// Preconditions: those of private_prevalence (analysis/private_prevalence.hpp).
// Argument: the documents are read twice, or three times, by accumulators (mechanisms/accumulator.hpp). First, the topics' shares in all
//   documents are released, as private_prevalence releases them for one group. They, not the documents, fix the word
//   frequencies that topics are compared with. Then a unit adds (g, g^2 / 2, 1 / 2), where g is its gain: a function of
//   its own documents, of the topics, of the released shares, and of bits named by the id of its first document
//   (inference/private_topics/detail/topic_gain.hpp, mechanisms/units.hpp). g is cut to [-1, 1], so the squared norm is
//   at most 1 + 1 / 4 + 1 / 4. Under `replace` the number of units is public, and the last cell is left out: at most
//   1 + 1 / 4. The third time, if it is asked for, a unit adds which first words of the topics its document has
//   (detail/first_words.hpp). The accumulator checks the norms on integers all the same. Every unit of the corpus is counted, also one
//   that has nothing to score, so no number but these sums depends on documents. What follows is post-processing.
// Test: tests/analysis/private_score_test.cpp (grey-box audit, audited epsilon), mutants score_*.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/analysis/co_occurrence.hpp>
#include <dplda/analysis/noisy_mean.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// Whom a score protects, and how its budget is divided: all of it public.
struct score_options {
  /// The public number of units (documents or users), or a guess: sums of more than four times as many may wrap around.
  std::uint64_t units = 0;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// The part of the budget (of the precision, 1 over the variance of the noise) that measures the topics' shares.
  double shares_part = 0.2;
  /// How many first words of each topic, in the order of pages and tables (ordered_words), are looked for together in
  /// documents (topic_score::together); 0: that is not measured.
  std::size_t together_words = 0;
  double together_part = 0.2;  ///< the part of the budget for that, if it is measured
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What will be measured, with how much noise and at what cost, before topics or documents are at hand.
class score_plan {
 public:
  /// Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  score_plan(std::size_t topics, score_options options, const budget& added);

  const score_options& options() const noexcept { return options_; }
  std::size_t topics() const noexcept { return topics_; }
  /// The topics' shares: one row, a cell for each topic.
  const accumulator_plan& shares() const noexcept { return plans_[0]; }
  /// The gains: a row each for gains, half their squares and, unless it is public, half the number of units.
  const accumulator_plan& gains() const noexcept { return plans_[1]; }
  /// The first words in one document: a row for words and one for pairs, a cell for each topic. Precondition: they are
  /// measured.
  const accumulator_plan& together() const noexcept { return plans_[2]; }
  /// What is spent, beside the topics, and its price.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// The least number of units of which anything can be told, in the mean.
  double least_units() const noexcept;
  /// Half the width of the noise interval of this gain of so many units, in the mean. At most 1. Throws
  /// std::invalid_argument unless the gain lies in [-1, 1].
  double half_width(double units, double gain = 0) const;

 private:
  std::size_t topics_;
  score_options options_;
  dplda::ledger ledger_;
  dplda::guarantee guarantee_;
  std::vector<accumulator_plan> plans_;
};

/// How well topics predict words that they were not shown.
struct topic_score {
  /// The mean gain of a unit, in natural logarithms for each word: log(p / q), where p is the probability of a word given
  /// the topics of other words of its document, and q that by the mixture of all topics in their shares, the same for all
  /// documents. One document of each unit is drawn, and its distinct words are cut in two halves at random: one is shown,
  /// one is scored. A unit's gain, the mean over its scored words, is cut to [-1, 1]; a document of fewer than two words
  /// of the topics has the gain 0. A mean of 0: the topics are of no use for these documents.
  noisy_mean gain;
  /// The topics' shares in all documents, which make the mixture.
  prevalence shares;
  /// For each topic, how often its first words are in one document, which is drawn for each unit; empty if it was not
  /// measured.
  std::vector<co_occurrence> together = {};
};

/// Scores released topics on private documents. If the topics were learned from these documents, the score says how well
/// they fit them, and not how well they would predict other documents; for that, hold units out (stable_split).
///
///   const dplda::private_score scorer(topics, {.units = 5000}, {.epsilon = 0.2, .delta = 1e-6});
///   const auto scored = scorer.fit(held_out, random);
///   const dplda::mean_interval gain = scored.value().gain.interval();
class private_score {
 public:
  /// Plans. The budget is for what is added to the cost of the topics. Throws std::invalid_argument as score_plan does,
  /// and because of the topics as private_prevalence does.
  private_score(const release<topic_model<>>& topics, const score_options& options, const budget& added);
  private_score(const public_topics& topics, const score_options& options, const budget& added);

  const score_plan& plan() const noexcept { return plan_; }
  /// The cost beside that of the topics.
  const dplda::guarantee& own() const noexcept { return plan_.guarantee(); }
  /// The cost together with that of the topics; delta is the sum of both.
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Scores. Words that the topics do not have are dropped. Throws std::invalid_argument if the unit is the user but the
  /// corpus has no users, if two documents that are units have the same id, or, under `replace`, if there are not
  /// options().units units.
  release<topic_score> fit(const divided_corpus& docs, random_source& random) const;

 private:
  private_score(topic_model<> topics, const score_options& options, const budget& added, dplda::ledger before,
                double delta_before);

  topic_model<> topics_;
  score_plan plan_;
  dplda::ledger before_;
  dplda::guarantee guarantee_;
};

namespace detail {

/// The gain of each unit over the mixture of topics with these shares. Precondition: docs are divided, over the topics'
/// words.
std::vector<double> unit_gains(const topic_model<>& topics, const Eigen::VectorXd& shares, const divided_corpus& docs,
                               random_source& random, std::size_t threads);

/// Adds what each unit with such a gain contributes. Precondition: `sums` has the plan score_plan::gains.
void add_gains(std::span<const double> gains, accumulator& sums);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/private_score.ipp>
#endif

#endif

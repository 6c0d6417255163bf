// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_PRIVATE_PREVALENCE_HPP
#define DPLDA_ANALYSIS_PRIVATE_PREVALENCE_HPP

// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the options, with the epsilon and
//   delta of guarantee(), which is known before a document is read. It covers the topics too, if they are a release, for
//   the units that their guarantee covers (guarantee::part). The cost beside them, for any fixed topics, is that of own().
// Preconditions: the topics are public, or a proven release, whose ledger is what was spent on them. The groups' names
//   and their number are public; the group of a document is as private as the document. The options and the budget are
//   public, and were fixed before the topics were seen (otherwise own() holds, and a filter can add it up: see
//   mechanisms/detail/premises.hpp). If options.part is given, all documents are of that part of the data. Under `replace` the number of units is public.
// Argument: the documents are read twice, by accumulators (mechanisms/accumulator.hpp). First, a unit adds the topic
//   proportions of its documents to the rows of their groups, each divided by the number of its documents that count.
//   Then it adds the squared deviations of these sums from the shares that the first release says. Both are functions
//   of the unit's own documents, their groups, the topics and earlier releases: proportions are inferred for each
//   document by itself. The bounds need no clipping: the first contribution has no negative entries and adds up to 1, so
//   its l2 norm is at most 1. A deviation d_gk = x_gk - w_g p_gk lies in [-1, 1], and its positive parts over all g and
//   k add up to at most sum x_gk = 1, as its negative parts do to sum w_g p_gk = 1. So the sum over k of
//   (sum over g of d_gk^2)^2 <= max over k of (sum d_gk^2) times sum d_gk^2 <= 2 * 1, because sum over g of d_gk^2
//   <= sum over g of w_g^2 <= 1; the norm is at most sqrt(2). The accumulators check both on integers all the same.
//   What follows from the two releases and their known noise is post-processing.
// Test: tests/analysis/private_prevalence_test.cpp (grey-box audits), mutants prevalence_*.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// What is measured, and for whom: all of it public.
struct prevalence_options {
  std::vector<std::string> groups = {"all"};  ///< their names; one group: the topics' shares in the whole corpus
  bool ordered = false;                       ///< whether the groups follow each other, as months do
  /// The public number of units (documents or users), or a guess: sums of more than four times as many may wrap around.
  std::uint64_t units = 0;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// The part of the budget (of the precision, 1 over the variance of the noise) that measures how much units differ, so
  /// that intervals can tell of sampling; 0: none, and the largest possible difference is assumed.
  double spread_share = 0.1;
  /// For topics that cover one part of the data (guarantee::part): the same rule, by which you declare that all documents
  /// are of this part. The cost for units of earlier parts is in no ledger here.
  std::string part = {};
  inference_options inference = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// The group of a document that is in none: it does not count.
inline constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

/// What will be measured, with how much noise and at what cost, before topics or documents are at hand.
class prevalence_plan {
 public:
  /// Throws std::invalid_argument if an option is out of its range, if names of groups are empty or occur twice, or if
  /// the budget cannot be met.
  prevalence_plan(std::size_t topics, prevalence_options options, const budget& added);

  const prevalence_options& options() const noexcept { return options_; }
  std::size_t topics() const noexcept { return topics_; }
  /// The sums: a row for each group. And, if they are measured, the squares: a row for each topic.
  const accumulator_plan& sums() const noexcept { return plans_.front(); }
  bool measures_spread() const noexcept { return plans_.size() > 1; }
  /// Precondition: measures_spread().
  const accumulator_plan& squares() const { return plans_.at(1); }
  /// What is spent, beside the topics, and its price.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// The least number of units in a group of which anything can be told, in the mean.
  double least_units() const noexcept;
  /// Half the width of the noise interval of a share in a group of so many units, in the mean. At most 1.
  double half_width(double units, double share) const;

 private:
  std::size_t topics_;
  prevalence_options options_;
  dplda::ledger ledger_;
  dplda::guarantee guarantee_;
  std::vector<accumulator_plan> plans_;
};

/// Measures the shares of topics in public groups of documents (newsgroups, departments, months), or in all documents.
/// Each unit counts once: the topic proportions of its documents, as the released topics explain them, are averaged over
/// its documents, and each is counted in its document's group. Documents in no group, or without a word that the topics
/// have, do not count.
///
///   const dplda::private_prevalence months(topics, {.groups = {"2024-01", "2024-02"}, .units = 20000}, {0.5, 1e-6});
///   const auto shares = months.fit(docs, group_of_document, random);
///   const dplda::share_interval january = shares.value().interval(0, 3);  // topic 3 in January
class private_prevalence {
 public:
  /// Plans. The budget is for what is added to the cost of the topics. Throws std::invalid_argument as prevalence_plan
  /// does; if the guarantee of the topics is not proven, is for another unit or other neighbours, or does not follow from
  /// their ledger; if it is for one part of the data, and options.part is not that part; or if the words of public topics were released or taken from documents.
  private_prevalence(const release<topic_model<>>& topics, prevalence_options options, const budget& added);
  private_prevalence(const public_topics& topics, prevalence_options options, const budget& added);

  const prevalence_plan& plan() const noexcept { return plan_; }
  /// The cost beside that of the topics.
  const dplda::guarantee& own() const noexcept { return plan_.guarantee(); }
  /// The cost together with that of the topics; delta is the sum of both.
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Measures. groups[d] is the number of document d's group; numbers that no group has count as no_group. With one
  /// group, `groups` may be empty: all documents are in it. Words that the topics do not have are dropped. Throws
  /// std::invalid_argument if there is not a number for each document, if the unit is the user but the corpus has no
  /// users, if two documents that are units have the same id, or, under `replace`, if there are not options().units
  /// units.
  release<prevalence> fit(const divided_corpus& docs, std::span<const std::uint32_t> groups,
                          random_source& random) const;

 private:
  private_prevalence(topic_model<> topics, prevalence_options options, const budget& added, dplda::ledger before,
                     const dplda::guarantee& claim);

  topic_model<> topics_;
  prevalence_plan plan_;
  dplda::ledger before_;
  dplda::guarantee guarantee_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/private_prevalence.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_TOPICS_WITH_PREVALENCE_HPP
#define DPLDA_PIPELINE_TOPICS_WITH_PREVALENCE_HPP

// Claim: what fit() and measure() return, topics and their shares together, is (epsilon, delta)-DP for the unit of the
//   plan, with the epsilon and delta of guarantee(), which is known before a document is read and at most the budget.
// Preconditions: those of the learner and of private_prevalence (analysis/private_prevalence.hpp), but for the plans:
//   both are fixed here, before the topics are seen. Topics that were measured are not measured again under this
//   guarantee.
// Argument: the events of the topics follow from the learner's plan and those of the shares from prevalence_plan. Both
//   plans depend on options and the budget alone. So all events are fixed beforehand, and the accountant prices them as
//   one ledger: this is composition, in which the second mechanism may depend on what the first released, as
//   private_prevalence does on the topics. The topics' budget is the largest of a few whose joint price is within the
//   total: the search sees prices only. That the plan was carried out is checked: the topics' ledger must be the
//   learner's plan, and the ledger of both the planned one.
// Test: tests/pipeline/topics_with_prevalence_test.cpp, mutants topics_with_prevalence_*.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/pipeline/any_private_learner.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

/// Topics and their shares. Both have the guarantee and the ledger of both together, so count it once.
struct measured_topics {
  release<topic_model<>> topics;
  release<prevalence> shares;
};

/// Learns topics and measures their shares in groups (private_prevalence) from one budget: which topics there are, and
/// which months write about them.
///
///   const dplda::topics_with_prevalence both(
///       [](const dplda::budget& part) {
///         return dplda::plan_learner<dplda::private_svi>({.topics = 20, .units = 20000}, nullptr, part);
///       },
///       20, {.groups = {"2024-01", "2024-02"}, .ordered = true, .units = 20000}, {.epsilon = 2, .delta = 1e-6});
///   const auto found = both.fit(docs, month_of_document, random);
class topics_with_prevalence {
 public:
  /// Plans a learner of `topics` topics for a budget.
  using planner = std::function<any_private_learner(const budget&)>;

  /// Plans. `share` is the part of epsilon and of delta that the shares would cost if they were released alone; the
  /// topics get more than the rest, because nearly the squares of costs add up. 0: the default, the least of 0.1, 0.15,
  /// 0.2 and 0.25 at which noise moves a share of 5 % by at most 2 percentage points to each side, in a group of
  /// units / groups; the last if none does. Throws std::invalid_argument as the planner and prevalence_plan do, if
  /// `share` is outside [0, 0.9], and if the units or neighbours of both differ, or if
  /// the learner's guarantee is not proven.
  topics_with_prevalence(const planner& plan_topics, std::size_t topics, prevalence_options shares, const budget& total,
                         double share = 0)
      : options_(std::move(shares)),
        share_(chosen_share(topics, options_, total, share)),
        added_(part_of(total, share_)),
        shares_(topics, options_, added_),
        learner_(planned(plan_topics, total)),
        ledger_(together(learner_)),
        guarantee_(joint_price(learner_, total.delta)) {
    // To the shares the topics are an earlier release. Here one plan fixes both.
    guarantee_.assumes_fixed_plans = learner_.guarantee().assumes_fixed_plans;
  }

  /// The learner as planned, for its part of the budget. measure() takes the topics that it learns.
  const any_private_learner& learner() const noexcept { return learner_; }
  const prevalence_plan& shares() const noexcept { return shares_; }
  double share() const noexcept { return share_; }
  /// Of topics and shares together.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Learns topics, and measures them. groups[d] is the number of document d's group, as private_prevalence::fit takes
  /// it. The observer is the learner's. Throws as both do.
  measured_topics fit(const divided_corpus& docs, std::span<const std::uint32_t> groups, random_source& random,
                      const observer& watch = {}) const {
    const divided_corpus divided = docs.divided_into(options_.unit);
    return measure(learner_.fit(divided, random, watch), divided, groups, random);
  }

  /// The second half of fit: measures topics that learner() released from the same documents. Whatever is published, the
  /// whole plan counts as spent. Throws as private_prevalence::fit does, and std::invalid_argument if the topics are
  /// those of another plan.
  measured_topics measure(const release<topic_model<>>& topics, const divided_corpus& docs,
                          std::span<const std::uint32_t> groups, random_source& random) const {
    detail::require(std::ranges::equal(topics.ledger().entries(), learner_.ledger().entries()), name,
                    "the topics' ledger", "another", "must be that of learner(): learn the topics with it");
    const private_prevalence engine(topics, options_, added_);
    release<prevalence> measured = engine.fit(docs, groups, random);
    dplda::ledger spent = measured.ledger();
    if (!std::ranges::equal(spent.entries(), ledger_.entries()))
      throw std::logic_error("dplda::topics_with_prevalence: spent something else than was planned");
    return {release<topic_model<>>(topics.value(), guarantee_, spent, topics.remarks()),
            release<prevalence>(std::move(measured).value(), guarantee_, spent)};
  }

 private:
  static constexpr const char* name = "topics_with_prevalence";

  static budget part_of(const budget& total, double share) { return {share * total.epsilon, share * total.delta}; }

  static double chosen_share(std::size_t topics, const prevalence_options& options, const budget& total, double share) {
    detail::require(share >= 0 && share <= 0.9, name, "share", share, "must lie in (0, 0.9], or be 0 for the default");
    if (share > 0) return share;
    for (const double least : {0.1, 0.15, 0.2}) {
      const prevalence_plan plan(topics, options, part_of(total, least));
      const double units = static_cast<double>(plan.options().units) / static_cast<double>(options.groups.size());
      if (plan.half_width(units, 0.05) <= 0.02) return least;
    }
    return 0.25;
  }

  dplda::ledger together(const any_private_learner& learner) const {
    dplda::ledger all = learner.ledger();
    all.append(shares_.ledger());
    return all;
  }

  dplda::guarantee joint_price(const any_private_learner& learner, double delta) const {
    return price(together(learner), delta, options_.accountant);
  }

  // Sums of epsilons are within the budget; the search is for what better accounting leaves.
  any_private_learner planned(const planner& plan_topics, const budget& total) const {
    const double delta = total.delta * (1 - share_);
    double low = total.epsilon * (1 - share_), high = total.epsilon;
    any_private_learner best = plan_topics({low, delta});
    detail::require(best.guarantee().unit == options_.unit && best.guarantee().relation == options_.relation, name,
                    "the unit or the neighbours of the shares", "another", "must be those of the topics");
    detail::require(best.guarantee().basis == basis::proven && !best.guarantee().gamma, name, "the learner's guarantee",
                    "not proven", "must be proven, or nothing is for both together");
    detail::require(joint_price(best, total.delta).epsilon <= total.epsilon, name,
                    "the joint price of topics and shares", joint_price(best, total.delta).epsilon,
                    detail::text("must be within the budget, ", total.epsilon));
    for (int halving = 0; halving < 6; ++halving) {
      const double middle = (low + high) / 2;
      any_private_learner other = plan_topics({middle, delta});
      if (joint_price(other, total.delta).epsilon <= total.epsilon) {
        best = std::move(other);
        low = middle;
      } else {
        high = middle;
      }
    }
    return best;
  }

  prevalence_options options_;
  double share_;
  budget added_;
  prevalence_plan shares_;
  any_private_learner learner_;
  dplda::ledger ledger_;
  dplda::guarantee guarantee_;
};

}  // namespace dplda::inline v0_1

#endif

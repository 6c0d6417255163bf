// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_SELECTED_TOPICS_HPP
#define DPLDA_PIPELINE_SELECTED_TOPICS_HPP

// Claim: what fit() returns, the topics, the number of their plan and their noisy gain together, is (epsilon, delta)-DP for
//   the unit of the plans, with the epsilon and delta of guarantee(), which is known before a document is read and at
//   most the budget.
// Preconditions: those of the learners, of private_score (analysis/private_score.hpp) and of private_selection
//   (mechanisms/private_selection.hpp): the plans are public, and nobody is told how many runs there were. No run fails
//   because of data: private_spectral over chosen words does if more than 60,000 are released, and whoever sees its error
//   has seen a run that was not published.
// Argument: a run draws one of the plans by a coin that knows no data, learns topics by it, and releases one number about
//   them, the sum of the units' gains. A unit adds its gain, which is cut to [-1, 1], as in private_score; the opponent
//   of the topics, their mixture, is computed from the release. So a run is a learner followed by a mechanism that may
//   depend on what it released. Its ledger is the learner's with the event of the sum. It must be the same for all
//   plans, which is checked before any document is read, so a run costs the same whichever plan was drawn. The score of a
//   run is its noisy sum. All else is the claim of private_selection: the best of a random number of such runs is one
//   event. Its price is the guarantee; the learners' budget is the largest of a few at which it is within the total, and
//   that search sees prices only. No plan may build on earlier releases (assumes_fixed_plans): what was released once,
//   before the runs, is not a part of each.
// Test: tests/pipeline/selected_topics_test.cpp (law of the choice, grey-box audit of the gain), mutants
//   selected_topics_*.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/selection.hpp>
#include <dplda/analysis/private_score.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/private_selection.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/pipeline/any_private_learner.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Among how many plans topics are selected, and how often: all of it public.
struct selection_options {
  std::size_t plans = 2;
  /// About how many units there are, as for the plans.
  std::uint64_t units = 0;
  /// The mean number of runs, each of which draws a plan. 0: one and a half times the number of plans; then the best of
  /// two plans is drawn at least once with probability 0.75, the best of many with probability 0.6.
  double mean_runs = 0;
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// The topics that were selected. The guarantee of the release covers all three.
struct selected_model {
  release<topic_model<>> topics;
  std::size_t plan;
  /// The mean gain that private_score describes, with noise. It is too high, because it was the best.
  double gain;
};

/// Learns topics by one of several plans, which differ in the number of topics, say, and is chosen by how well topics
/// predict: a random number of fits is made, each by a random plan, and only the best is published. It costs less than
/// releasing all of them, and more than a plan that was fixed beforehand (pipeline/README.md says how much).
///
///   const std::size_t numbers[] = {5, 20};
///   const dplda::selected_topics learner(
///       [&](std::size_t plan, const dplda::budget& part) {
///         return dplda::plan_learner<dplda::private_svi>({.topics = numbers[plan], .units = 50000}, nullptr, part);
///       },
///       {.plans = 2, .units = 50000}, {.epsilon = 2, .delta = 1e-6});
///   const auto found = learner.fit(docs, random);
class selected_topics {
 public:
  /// Makes a plan, by its number, for a budget. Without phrases: fit takes a corpus, from which they cannot be chosen.
  using planner = std::function<any_private_learner(std::size_t plan, const budget& part)>;

  /// Plans. Throws std::invalid_argument as the planner does, and unless there are at least two plans, units and, if it
  /// is given, a mean number of runs above 1 that runs_with_mean takes; if a guarantee is not proven, is for a part of
  /// the data, or builds on earlier releases; or if the plans have different ledgers: they must make the same releases
  /// with the same noise (of private_svi: give all of them one background_share, steps and rate).
  selected_topics(const planner& plan, selection_options options, const budget& total)
      : options_(std::move(options)), total_(total), runs_(law_of_runs(options_)) {
    detail::require(options_.units >= 1, name, "units", options_.units, "must be at least 1");
    search(plan);
    for (std::size_t i = 0; i < options_.plans; ++i) {
      const dplda::guarantee& claim = learners_[i].guarantee();
      detail::require(claim.basis == basis::proven && !claim.gamma && claim.part.empty(), name,
                      "the guarantee of a plan", "not proven, or for a part of the data",
                      "must be proven for all of it");
      detail::require(!claim.assumes_fixed_plans, name, "a plan", "one that builds on an earlier release",
                      "must stand alone: what was spent before is not spent in each run");
      detail::require(std::ranges::equal(learners_[i].ledger().entries(), learners_.front().ledger().entries()), name,
                      detail::text("the ledger of plan ", i), "another one than that of plan 0",
                      "must be the same: let the plans make the same releases with the same noise");
    }
  }

  const selection_options& options() const noexcept { return options_; }
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }
  /// One event: the best of a random number of runs.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  /// The plan of this number, as each run of it is made.
  const any_private_learner& learner(std::size_t plan) const { return learners_.at(plan); }
  /// The noisy sum of gains of each run: one cell.
  const accumulator_plan& gains() const noexcept { return gains_.front(); }

  /// Learns. There is no observer, which would learn how many runs there are. Throws as the learners' fit does.
  selected_model fit(const divided_corpus& docs, random_source& random) const {
    const divided_corpus divided = docs.divided_into(guarantee_.unit);
    dplda::ledger spent;
    const private_selection<negative_binomial_runs> selection = of_runs(gains_.front(), learners_);
    auto best = selection.publish(
        options_.plans,
        [&](std::uint64_t plan, random_source& own, dplda::ledger& cost) {
          return run(static_cast<std::size_t>(plan), divided, own, cost);
        },
        [](const selected_model& found) { return found.gain; }, random, spent);
    selected_model& found = best.value();  // there is at least one run
    std::vector<std::string> remarks = found.topics.remarks();
    remarks.push_back(detail::text("The plan was chosen among ", options_.plans,
                                   " by how well topics predict, and the guarantee pays for the choice."));
    return {release<topic_model<>>(found.topics.value(), guarantee_, std::move(spent), std::move(remarks)), found.plan,
            found.gain};
  }

 private:
  static constexpr const char* name = "selected_topics";
  // A hundredth of the squared budget of a run tells differences of gains that matter: all units add to one number.
  static constexpr double score_part = 0.01;

  static negative_binomial_runs law_of_runs(selection_options& options) {
    detail::require(options.plans >= 2, name, "plans", options.plans, "must be at least 2");
    if (options.mean_runs == 0) options.mean_runs = 1.5 * static_cast<double>(options.plans);
    return runs_with_mean(options.mean_runs);
  }

  static accumulator_plan gain_of_all(const any_private_learner& learner, const selection_options& options,
                                      double multiplier) {
    const dplda::guarantee& claim = learner.guarantee();
    const private_task task{.units = planned_units(options.units, claim.relation),
                            .words = 1,
                            .unit = claim.unit,
                            .relation = claim.relation,
                            .learner = name};
    accumulator_options sums = task.sum(1, 1, multiplier, "gain by topics");
    sums.signs = value_signs::any;
    return accumulator_plan(sums);
  }

  private_selection<negative_binomial_runs> of_runs(const accumulator_plan& gains,
                                                    const std::vector<any_private_learner>& learners) const {
    dplda::ledger one_run = learners.front().ledger();
    one_run.record(gains.event());
    return {runs_, std::move(one_run), "topics selected among plans"};
  }

  // The largest budget of a run at which the best of all runs is within the total.
  void search(const planner& plan) {
    const double delta = 0.75 * total_.delta / expected_runs(runs_);
    double low = 0, high = total_.epsilon;
    for (int halving = 0; halving < 9; ++halving) {
      const double middle = halving == 0 ? total_.epsilon / 4 : (low + high) / 2;
      std::vector<any_private_learner> learners{plan(0, {middle, delta})};
      const accumulator_plan gains =
          gain_of_all(learners.front(), options_, gaussian_multiplier(middle, delta) / std::sqrt(score_part));
      dplda::ledger spent;
      spent.record(of_runs(gains, learners).event());
      dplda::guarantee priced = price(spent, total_.delta, options_.accountant);
      if (!(priced.epsilon <= total_.epsilon)) {
        high = middle;
        continue;
      }
      low = middle;
      learners_ = std::move(learners);
      gains_.assign(1, gains);
      ledger_ = std::move(spent);
      guarantee_ = std::move(priced);
    }
    detail::require(low > 0, name, "the price of runs of any budget", "above the total",
                    "must be within it; take fewer runs or a larger budget");
    for (std::size_t i = 1; i < options_.plans; ++i) learners_.push_back(plan(i, {low, delta}));
  }

  selected_model run(std::size_t plan, const divided_corpus& docs, random_source& random, dplda::ledger& cost) const {
    release<topic_model<>> topics = learners_[plan].fit(docs, random);
    cost.append(topics.ledger());
    accumulator sums(gains_.front());
    const divided_corpus known = docs.restrict_to(topics.value().vocab());
    const Eigen::VectorXd shares = sizes_of(topics.value());
    for (const double gain : detail::unit_gains(topics.value(), shares, known, random, options_.threads))
      sums.add(0, gain);
    const double total = sums.publish(random, cost).front();
    return {std::move(topics), plan, total / static_cast<double>(planned_units(options_.units, guarantee_.relation))};
  }

  // The parts of the topics in all documents, as far as released counts tell.
  static Eigen::VectorXd sizes_of(const topic_model<>& topics) {
    Eigen::VectorXd sizes = Eigen::VectorXd::Ones(topics.phi().rows());
    if (const auto& counts = topics.counts()) sizes = counts->cells.rowwise().sum().cwiseMax(1e-9);
    return sizes / sizes.sum();
  }

  selection_options options_;
  budget total_;
  negative_binomial_runs runs_;
  std::vector<any_private_learner> learners_;
  std::vector<accumulator_plan> gains_;  // one
  dplda::ledger ledger_;
  dplda::guarantee guarantee_{};
};

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_PRIVATE_PREVALENCE_IPP
#define DPLDA_ANALYSIS_DETAIL_PRIVATE_PREVALENCE_IPP

// Bodies of analysis/private_prevalence.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/calibration.hpp>
#include <dplda/analysis/detail/unit_shares_of_topics.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/detail/premises.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr const char* prevalence_name = "private_prevalence";

inline private_task prevalence_task(std::size_t topics, std::size_t words, const prevalence_options& o) {
  return {.topics = topics,
          .units = o.units,
          .words = words,
          .unit = o.unit,
          .relation = o.relation,
          .accountant = o.accountant,
          .threads = o.threads,
          .learner = prevalence_name};
}

inline void check(const prevalence_options& o) {
  require(!o.groups.empty(), prevalence_name, "number of groups", 0, "must be at least 1");
  std::set<std::string> names;
  for (const std::string& name : o.groups) {
    require(!name.empty(), prevalence_name, "the name of a group", "empty", "must have letters");
    require(names.insert(name).second, prevalence_name, "the name of two groups", name, "must be different");
  }
  require(o.groups.size() < no_group, prevalence_name, "number of groups", o.groups.size(), "must be below 2^32 - 1");
  require(o.spread_share >= 0 && o.spread_share <= 0.9, prevalence_name, "spread_share", o.spread_share,
          "must lie in [0, 0.9]");
}

}  // namespace detail

DPLDA_INLINE prevalence_plan::prevalence_plan(std::size_t topics, prevalence_options options, const budget& added)
    : topics_(topics), options_(std::move(options)) {
  options_.units = planned_units(options_.units, options_.relation);
  const private_task task = detail::prevalence_task(topics_, 1, options_);
  task.validate();
  detail::check(options_);
  const double part = options_.spread_share;
  const auto sums = [&](double z) {
    return task.sum(options_.groups.size(), topics_, z / std::sqrt(1 - part), "topics of groups");
  };
  const auto squares = [&](double z) {
    accumulator_options plan = task.sum(topics_, 1, z / std::sqrt(part), "differences between units");
    plan.clip = std::numbers::sqrt2;
    return plan;
  };
  calibrated_noise noise = task.calibrated(
      [&](double z) {
        dplda::ledger book;
        book.record(sums(z).event());
        if (part > 0) book.record(squares(z).event());
        return book;
      },
      added);
  ledger_ = std::move(noise.ledger);
  guarantee_ = std::move(noise.guarantee);
  plans_.emplace_back(sums(noise.multiplier));
  if (part > 0) plans_.emplace_back(squares(noise.multiplier));
}

DPLDA_INLINE double prevalence_plan::least_units() const noexcept {
  return deviations_of_95_percent * sums().noise() * std::sqrt(static_cast<double>(topics_));
}

DPLDA_INLINE double prevalence_plan::half_width(double units, double share) const {
  detail::require(share >= 0 && share <= 1, "prevalence_plan::half_width", "share", share, "must lie in [0, 1]");
  const noisy_share expected{.cell = share * units, .row = units, .cells = topics_, .noise = sums().noise()};
  if (!expected.tells()) return 1;
  const double variance = 1 - 2 * share + static_cast<double>(topics_) * share * share;
  return std::min(1.0, deviations_of_95_percent * sums().noise() * std::sqrt(variance) / units);
}

DPLDA_INLINE private_prevalence::private_prevalence(const release<topic_model<>>& topics, prevalence_options options,
                                                    const budget& added)
    : private_prevalence(topics.value(), options, added,
                         detail::spent_before(detail::prevalence_name, topics, topics.ledger(), options.part),
                         topics.guarantee()) {}

DPLDA_INLINE private_prevalence::private_prevalence(const public_topics& topics, prevalence_options options,
                                                    const budget& added)
    : private_prevalence(topics.value(), std::move(options), added, {}, {}) {
  detail::require_public_words(detail::prevalence_name, *topics_.vocab());
}

DPLDA_INLINE private_prevalence::private_prevalence(topic_model<> topics, prevalence_options options,
                                                    const budget& added, dplda::ledger before,
                                                    const dplda::guarantee& claim)
    : topics_(std::move(topics)),
      plan_(topics_.topics(), std::move(options), added),
      before_(std::move(before)),
      guarantee_(plan_.guarantee()) {
  if (before_.empty()) return;
  dplda::ledger all = before_;
  all.append(plan_.ledger());
  guarantee_ = price(all, std::min(1.0, added.delta + claim.delta), plan_.options().accountant);
  guarantee_.assumes_fixed_plans = true;
  guarantee_.seeded = before_.seeded();
  guarantee_.part = claim.part;
}

DPLDA_INLINE release<prevalence> private_prevalence::fit(const divided_corpus& docs,
                                                         std::span<const std::uint32_t> groups,
                                                         random_source& random) const {
  const prevalence_options& o = plan_.options();
  detail::require(groups.size() == docs.docs().size() || (groups.empty() && o.groups.size() == 1),
                  detail::prevalence_name, "number of documents with a group", groups.size(),
                  "must be the number of documents");
  const private_task task = detail::prevalence_task(topics_.topics(), topics_.words(), o);
  const divided_corpus divided = task.divided(docs.restrict_to(topics_.vocab()), random.processes());
  const detail::unit_shares_of_topics units(divided, groups, o.groups.size(),
                                            topic_inference<>(topics_, o.inference)(divided.docs(), o.threads));
  prevalence::parts measured{.groups = o.groups, .ordered = o.ordered, .noise = plan_.sums().noise()};
  dplda::ledger spent = before_;
  accumulator sums(plan_.sums());
  units.add_sums(sums);
  const std::vector<double> cells = sums.publish(random, spent, o.threads);
  measured.sums = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      cells.data(), static_cast<Eigen::Index>(o.groups.size()), static_cast<Eigen::Index>(topics_.topics()));
  if (plan_.measures_spread()) {
    accumulator squares(plan_.squares());
    units.add_squares(detail::shares_of(measured.sums, measured.noise), squares);
    measured.squares_noise = squares.noise();
    measured.squares.resize(measured.sums.cols());
    squares.publish(random, spent, std::span(measured.squares.data(), topics_.topics()), o.threads);
  }
  dplda::ledger planned = before_;
  planned.append(plan_.ledger());
  if (!std::ranges::equal(spent.entries(), planned.entries()))
    throw std::logic_error("dplda::private_prevalence: spent something else than was planned");
  return release<prevalence>(prevalence(std::move(measured)), guarantee_, std::move(spent));
}

}  // namespace dplda::inline v0_1

#endif

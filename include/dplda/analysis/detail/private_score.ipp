// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_PRIVATE_SCORE_IPP
#define DPLDA_ANALYSIS_DETAIL_PRIVATE_SCORE_IPP

// Bodies of analysis/private_score.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/analysis/detail/first_words.hpp>
#include <dplda/analysis/detail/unit_shares_of_topics.hpp>
#include <dplda/analysis/private_score.hpp>
#include <dplda/analysis/share_interval.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/detail/topic_gain.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/mechanisms/detail/premises.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr const char* score_name = "private_score";

inline private_task score_task(std::size_t topics, std::size_t words, const score_options& o) {
  return {.topics = topics,
          .units = o.units,
          .words = words,
          .unit = o.unit,
          .relation = o.relation,
          .accountant = o.accountant,
          .threads = o.threads,
          .learner = score_name};
}

// A unit's cells are its gain and these parts of the gain's square and of 1: a smaller cell has more noise, relative to
// its sum, and leaves more precision to the gain.
inline constexpr double square_part = 0.5, count_part = 0.5;

DPLDA_INLINE std::vector<double> unit_gains(const topic_model<>& topics, const Eigen::VectorXd& shares,
                                            const divided_corpus& docs, random_source& random, std::size_t threads) {
  // Every word gets a positive probability from every topic, so that no logarithm is infinite.
  constexpr double elsewhere = 0.001;
  Eigen::MatrixXd phi = (1 - elsewhere) * topics.phi();
  phi.array() += elsewhere / static_cast<double>(phi.cols());
  const Eigen::VectorXd alpha = topics.alpha().size() > 0 ? topics.alpha() : Eigen::VectorXd::Constant(phi.rows(), 0.1);
  const topic_gain gain(phi, phi.transpose() * shares, topics.vocab(), alpha, random);
  const privacy_units& units = docs.units();
  std::vector<double> gains(units.size());
  parallel_for(units.size(), 64, thread_count(threads), [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t u = first; u < last; ++u) gains[u] = gain(docs.docs(), units.documents(u));
  });
  return gains;
}

DPLDA_INLINE void add_gains(std::span<const double> gains, accumulator& sums) {
  constexpr std::uint32_t rows[] = {0, 1, 2};
  const std::size_t cells = sums.cells();
  for (const double gain : gains) {
    const double values[] = {gain, square_part * gain * gain, count_part};
    sums.add(std::span<const std::uint32_t>(rows).first(cells), std::span<const double>(values).first(cells));
  }
}

}  // namespace detail

DPLDA_INLINE score_plan::score_plan(std::size_t topics, score_options options, const budget& added)
    : topics_(topics), options_(options) {
  options_.units = planned_units(options_.units, options_.relation);
  const private_task task = detail::score_task(topics_, 1, options_);
  task.validate();
  const double part = options_.shares_part;
  detail::require(part >= 0.01 && part <= 0.99, detail::score_name, "shares_part", part, "must lie in [0.01, 0.99]");
  const bool finds_words = options_.together_words > 0;
  const double words_part = finds_words ? options_.together_part : 0;
  if (finds_words) {
    detail::require(options_.together_words >= 2 && options_.together_words <= 100, detail::score_name,
                    "together_words", options_.together_words, "must be 0, or lie in [2, 100]");
    detail::require(words_part >= 0.01 && words_part + part <= 0.99, detail::score_name, "together_part", words_part,
                    "must be at least 0.01, and with shares_part at most 0.99");
  }
  const bool counts_units = options_.relation == neighbours::add_remove;
  const auto shares = [&](double z) { return task.sum(1, topics_, z / std::sqrt(part), "topics of all documents"); };
  const auto gains = [&](double z) {
    accumulator_options plan =
        task.sum(counts_units ? 3 : 2, 1, z / std::sqrt(1 - part - words_part), "gain by topics");
    plan.signs = value_signs::any;
    plan.clip = std::sqrt(1 + detail::square_part * detail::square_part +
                          (counts_units ? detail::count_part * detail::count_part : 0));
    return plan;
  };
  const auto together = [&](double z) {
    accumulator_options plan = task.sum(2, topics_, z / std::sqrt(words_part), "first words in one document");
    plan.clip = detail::norm_of_first_words(topics_);
    return plan;
  };
  calibrated_noise noise = task.calibrated(
      [&](double z) {
        dplda::ledger book;
        book.record(shares(z).event());
        book.record(gains(z).event());
        if (finds_words) book.record(together(z).event());
        return book;
      },
      added);
  ledger_ = std::move(noise.ledger);
  guarantee_ = std::move(noise.guarantee);
  plans_.emplace_back(shares(noise.multiplier));
  plans_.emplace_back(gains(noise.multiplier));
  if (finds_words) plans_.emplace_back(together(noise.multiplier));
}

DPLDA_INLINE double score_plan::least_units() const noexcept {
  return gains().cells() < 3 ? 1 : deviations_of_95_percent * gains().noise() / detail::count_part;
}

DPLDA_INLINE double score_plan::half_width(double units, double gain) const {
  detail::require(gain >= -1 && gain <= 1, "score_plan::half_width", "gain", gain, "must lie in [-1, 1]");
  if (!(units > 0 && units >= least_units())) return 1;
  const double counts = gains().cells() < 3 ? 0 : gain / detail::count_part;
  return std::min(1.0, deviations_of_95_percent * gains().noise() * std::sqrt(1 + counts * counts) / units);
}

DPLDA_INLINE private_score::private_score(const release<topic_model<>>& topics, const score_options& options,
                                          const budget& added)
    : private_score(topics.value(), options, added, detail::spent_before(detail::score_name, topics, topics.ledger()),
                    topics.guarantee().delta) {}

DPLDA_INLINE private_score::private_score(const public_topics& topics, const score_options& options,
                                          const budget& added)
    : private_score(topics.value(), options, added, {}, 0) {
  detail::require_public_words(detail::score_name, *topics_.vocab());
}

DPLDA_INLINE private_score::private_score(topic_model<> topics, const score_options& options, const budget& added,
                                          dplda::ledger before, double delta_before)
    : topics_(std::move(topics)),
      plan_(topics_.topics(), options, added),
      before_(std::move(before)),
      guarantee_(plan_.guarantee()) {
  if (before_.empty()) return;
  dplda::ledger all = before_;
  all.append(plan_.ledger());
  guarantee_ = price(all, std::min(1.0, added.delta + delta_before), plan_.options().accountant);
  guarantee_.assumes_fixed_plans = true;
  guarantee_.seeded = before_.seeded();
}

DPLDA_INLINE release<topic_score> private_score::fit(const divided_corpus& docs, random_source& random) const {
  const score_options& o = plan_.options();
  const private_task task = detail::score_task(topics_.topics(), topics_.words(), o);
  const divided_corpus divided = task.divided(docs.restrict_to(topics_.vocab()), random.processes());
  dplda::ledger spent = before_;
  accumulator proportions(plan_.shares());
  detail::unit_shares_of_topics(divided, {}, 1, topic_inference<>(topics_)(divided.docs(), o.threads))
      .add_sums(proportions);
  const std::vector<double> cells = proportions.publish(random, spent, o.threads);
  prevalence shares(
      {.groups = {"all"},
       .sums = Eigen::Map<const Eigen::RowVectorXd>(cells.data(), static_cast<Eigen::Index>(cells.size())),
       .noise = plan_.shares().noise()});
  accumulator sums(plan_.gains());
  detail::add_gains(detail::unit_gains(topics_, shares.overall(), divided, random, o.threads), sums);
  const std::vector<double> noisy = sums.publish(random, spent);
  const double noise = sums.noise();
  noisy_mean gain{.sum = noisy[0],
                  .noise = noise,
                  .units = static_cast<double>(o.units),
                  .squares = noisy[1] / detail::square_part,
                  .squares_noise = noise / detail::square_part};
  if (noisy.size() > 2) {
    gain.units = noisy[2] / detail::count_part;
    gain.units_noise = noise / detail::count_part;
  }
  std::vector<co_occurrence> together;
  if (o.together_words > 0) {
    const std::size_t topics = topics_.topics();
    accumulator found(plan_.together());
    const auto first_words = ordered_words(topics_, o.together_words);
    detail::add_first_words(first_words, divided, random, found);
    const std::vector<double> counts = found.publish(random, spent, o.threads);
    for (std::size_t k = 0; k < topics; ++k)
      together.push_back({.listed = first_words[k].size(),
                          .words = detail::full_count * counts[k],
                          .words_noise = detail::full_count * found.noise(),
                          .pairs = detail::full_pairs * counts[topics + k],
                          .pairs_noise = detail::full_pairs * found.noise(),
                          .units = gain.units,
                          .units_noise = gain.units_noise});
  }
  dplda::ledger planned = before_;
  planned.append(plan_.ledger());
  if (!std::ranges::equal(spent.entries(), planned.entries()))
    throw std::logic_error("dplda::private_score: spent something else than was planned");
  return release<topic_score>({gain, std::move(shares), std::move(together)}, guarantee_, std::move(spent));
}

}  // namespace dplda::inline v0_1

#endif

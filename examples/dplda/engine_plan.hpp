// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ENGINE_PLAN_HPP
#define DPLDA_EXAMPLES_DPLDA_ENGINE_PLAN_HPP

#include <dplda/pipeline/forecast.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include <memory>
#include <string>
#include <utility>

#include "engines.hpp"
#include "forecast_text.hpp"
#include "program.hpp"

namespace dplda_program {

/// What variational inference and Gibbs sampling plan, and what that will give.
template <class Plan>
requires requires(const Plan& plan) { plan.noise_left; }
void describe(const Plan& plan, const std::string& unit, dplda::forecast_options from, planned_fit& fit) {
  fit.plan.emplace_back("steps", std::to_string(plan.steps));
  fit.plan.emplace_back(unit + "s in a step", plan.rate == 1 ? "all" : "each with probability " + number(plan.rate));
  fit.plan.emplace_back("noise", number(plan.table.noise_multiplier) + " times what a " + unit +
                                     " may contribute, on each number of each step's table");
  from.noise = plan.noise_left;
  fit.forecast = dplda::forecast_topics(from);
  fit.outlook = forecast_text(*fit.forecast, from, unit);
  fit.verdict = verdict_text(*fit.forecast);
}

/// What the method of moments plans. Nothing was measured that would tell what it gives.
template <class Plan>
requires requires(const Plan& plan) { plan.third; }
void describe(const Plan& plan, const std::string& unit, dplda::forecast_options from, planned_fit& fit) {
  fit.plan.emplace_back("releases",
                        "frequencies of words, pairs of words, triples of topics, and what sizes these have");
  fit.plan.emplace_back("noise", number(plan.second.noise_multiplier) + " times what a " + unit +
                                     " may contribute, on each of " + std::to_string(plan.second.rows) +
                                     " pairs of words");
  from.noise = 1;  // only the words are looked at
  fit.verdict = "There is no forecast for topics of this engine. It needs many " + unit +
                "s and few words, a few hundred at most; svi is the better choice for most texts.";
  fit.outlook = words_text(dplda::forecast_topics(from), from, unit) + fit.verdict;
}

/// Plans a fit by one engine.
template <class Learner>
planned_fit make_plan(const learning_options& options, dplda::privacy_unit unit, const dplda::vocabulary_ptr& vocab) {
  typename Learner::options_type topics{};
  topics.topics = options.topics;
  topics.units = options.units();
  topics.unit = unit;
  topics.threads = options.threads;
  const dplda::budget total{options.epsilon, options.delta()};
  const std::string unit_name = unit == dplda::privacy_unit::user ? "user" : "document";
  dplda::forecast_options from{.units = static_cast<double>(topics.units),
                               .length = static_cast<double>(options.length()),
                               .topics = topics.topics};
  planned_fit fit;
  if (vocab != nullptr) {
    topics.words = vocab->size();
    const auto learner = std::make_shared<const Learner>(std::move(topics), total);
    fit.claim = learner->guarantee();
    fit.ledger = learner->plan().ledger;
    fit.plan.emplace_back("words", "public, " + std::to_string(vocab->size()));
    from.words = vocab->size();
    describe(learner->plan(), unit_name, from, fit);
    fit.run = [learner](const auto& docs, auto& random, const auto& watch, const auto&) {
      return learner->fit(docs, random, watch);
    };
    return fit;
  }
  const auto learner = std::make_shared<const dplda::fully_private_topics<Learner>>(
      dplda::fully_private_options<Learner>{.vocabulary = {.unit = unit, .threads = options.threads},
                                            .topics = std::move(topics)},
      total);
  fit.claim = learner->guarantee();
  fit.ledger = learner->plan().ledger;
  fit.plan.emplace_back("words", "chosen privately, for " + number(100 * learner->plan().vocabulary_share, 2) +
                                     " % of epsilon if taken alone");
  from.threshold = learner->plan().vocabulary.rounds.back().threshold();
  describe(Learner(learner->options().topics, total).plan(), unit_name, from, fit);
  fit.run = [learner](const auto& docs, auto& random, const auto& watch, const auto& on_words) {
    const auto words = learner->choose_words(docs, random);
    if (on_words) on_words(words);
    return learner->fit(words, docs, random, watch);
  };
  return fit;
}

}  // namespace dplda_program

#endif

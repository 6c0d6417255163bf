// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ENGINE_PLAN_HPP
#define DPLDA_EXAMPLES_DPLDA_ENGINE_PLAN_HPP

#include <dplda/pipeline/fully_private_topics.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "engines.hpp"
#include "program.hpp"

namespace dplda_program {

/// What variational inference and Gibbs sampling plan.
template <class Plan>
requires requires(const Plan& plan) { plan.signal_to_noise; }
void describe(const Plan& plan, const std::string& unit, planned_fit& fit) {
  fit.plan.emplace_back("steps", std::to_string(plan.steps));
  fit.plan.emplace_back(unit + "s in a step", plan.rate == 1 ? "all" : "each with probability " + number(plan.rate));
  fit.plan.emplace_back("noise", number(plan.table.noise_multiplier) + " times what a " + unit +
                                     " may contribute, on each number of each step's table");
  const double signal = plan.signal_to_noise;
  fit.outlook += "Learning: the mean number in the table of topics and words will be " + number(signal, 2) +
                 " times as large as the noise that is left on it. ";
  fit.outlook += signal > 1 ? "Topics should come out well."
                 : signal >= 0.1
                     ? "Frequent words will find their topics, rare ones may not."
                     : "Topics will hardly come out: this takes more text, a larger epsilon or fewer topics.";
}

/// What the method of moments plans.
template <class Plan>
requires requires(const Plan& plan) { plan.third; }
void describe(const Plan& plan, const std::string& unit, planned_fit& fit) {
  fit.plan.emplace_back("releases",
                        "frequencies of words, pairs of words, triples of topics, and what sizes these have");
  fit.plan.emplace_back("noise", number(plan.second.noise_multiplier) + " times what a " + unit +
                                     " may contribute, on each of " + std::to_string(plan.second.rows) +
                                     " pairs of words");
  fit.outlook +=
      "Learning: there is noise on the number of each pair of words, so this engine is for many documents and few "
      "words, "
      "a few hundred, say.";
}

inline void describe(const dplda::vocabulary_plan& plan, double share, const std::string& unit, planned_fit& fit) {
  fit.plan.emplace_back("words", "chosen privately, for " + number(100 * share, 2) + " % of epsilon if taken alone");
  const double held = plan.rounds.back().threshold() * std::sqrt(50.0);
  fit.outlook += "Words: those that fewer than about " + number(std::ceil(held), 6) + ' ' + unit +
                 "s use are likely to be left out (for " + unit + "s of 50 different words; less if shorter). ";
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
  planned_fit fit;
  if (vocab != nullptr) {
    topics.words = vocab->size();
    const auto learner = std::make_shared<const Learner>(std::move(topics), total);
    fit.claim = learner->guarantee();
    fit.ledger = learner->plan().ledger;
    fit.plan.emplace_back("words", "public, " + std::to_string(vocab->size()));
    describe(learner->plan(), unit_name, fit);
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
  describe(learner->plan().vocabulary, learner->plan().vocabulary_share, unit_name, fit);
  describe(Learner(learner->options().topics, total).plan(), unit_name, fit);
  fit.run = [learner](const auto& docs, auto& random, const auto& watch, const auto& on_words) {
    const auto words = learner->choose_words(docs, random);
    if (on_words) on_words(words);
    return learner->fit(words, docs, random, watch);
  };
  return fit;
}

}  // namespace dplda_program

#endif

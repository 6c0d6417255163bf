// SPDX-License-Identifier: Apache-2.0
#include <dplda/pipeline/selected_topics.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/pipeline/number_of_topics.hpp>

#include "pipeline/support.hpp"
#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

private_svi_options few_steps(std::size_t topics, std::size_t words = 0) {
  private_svi_options options{.topics = topics, .units = 2000, .words = words};
  options.steps = 4;
  options.background_share = 0.1;
  return options;
}

// Plans of one topic, of three and so on, over public words or over chosen ones.
selected_topics plan_of(std::size_t words, selection_options options = {.plans = 2, .units = 2000},
                        const budget& total = three) {
  return {[=](std::size_t plan, const budget& part) -> any_private_learner {
            const private_svi_options topics = few_steps(2 * plan + 1, words);
            if (words > 0) return private_svi(topics, part);
            return fully_private_topics<>({.topics = topics}, part);
          },
          options, total};
}

const best_of<negative_binomial_runs>& event_of(const selected_topics& learner) {
  return std::get<best_of<negative_binomial_runs>>(learner.ledger().entries().front().event.noise);
}

}  // namespace

TEST_CASE("Selected topics: one event pays for all runs, within the budget", "[pipeline][selected]") {
  const corpus docs = letters(2000);
  for (const std::size_t words : {std::size_t{0}, docs.words()}) {
    const selected_topics learner = plan_of(words);
    REQUIRE(learner.ledger().entries().size() == 1);
    CHECK(learner.ledger().entries().front().count == 1);
    CHECK(expected_runs(event_of(learner)) > 2.99);
    ledger run = learner.learner(1).ledger();
    run.record(learner.gains().event());
    CHECK(same_entries(*event_of(learner).run, run));
    CHECK(learner.guarantee().epsilon == price(learner.ledger(), three.delta).epsilon);
    CHECK(learner.guarantee().epsilon <= three.epsilon);
    CHECK(learner.guarantee().epsilon > 0.98 * three.epsilon);
    CHECK(learner.guarantee().delta == three.delta);
    CHECK_FALSE(learner.guarantee().assumes_fixed_plans);
    // A run costs less than the whole, but more than a third of it.
    CHECK(learner.learner(0).guarantee().epsilon < 0.95 * three.epsilon);
    CHECK(learner.learner(0).guarantee().epsilon > 0.6 * three.epsilon);

    random_source random = seeded_random(5);
    const selected_model found = learner.fit(docs, random);
    CHECK(same_entries(found.topics.ledger(), learner.ledger()));
    CHECK(found.topics.guarantee().epsilon == learner.guarantee().epsilon);
    CHECK(found.topics.guarantee().seeded);
    CHECK(found.topics.value().topics() == 2 * found.plan + 1);
    CHECK_THAT(found.topics.remarks().back(), ContainsSubstring("chosen among 2"));
  }
}

// Three topics made the documents; one topic predicts nothing beyond frequencies. So the plan of one topic wins only where
// the other was never drawn: with probability 1/4 for a geometric number of mean 3. A binomial test, whose false alarm has
// the probability suite_level.
TEST_CASE("Selected topics: the better plan wins wherever it was drawn", "[pipeline][selected]") {
  const corpus docs = letters(2000);
  const selected_topics learner = plan_of(docs.words());
  random_source random = seeded_random(8);
  std::uint64_t better = 0;
  constexpr std::uint64_t fits = 160;
  for (std::uint64_t i = 0; i < fits; ++i) {
    const selected_model found = learner.fit(docs, random);
    better += found.plan;
    CHECK((found.plan == 1 ? found.gain > 0.1 : found.gain < 0.1));
  }
  CAPTURE(better);
  CHECK(binomial_p_value(better, fits, 0.75) > suite_level);
}

TEST_CASE("Grey-box audit of the gain in a selection finds nothing", "[pipeline][selected]") {
  const topic_model<> topics = make_model({{.5, .5, 0, 0, 0, 0}, {0, 0, .25, .25, .25, .25}}, {.1, .1});
  const Eigen::Vector2d sizes(.5, .5);
  const auto corpora = adversarial_corpora(6, 5);
  grey_box_result result;
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    private_svi_options plan = few_steps(2, 6);
    plan.unit = unit;
    plan.units = 1 << 20;
    const selected_topics learner([&](std::size_t, const budget& part) { return private_svi(plan, part); },
                                  {.plans = 2, .units = 1 << 20, .threads = 1}, three);
    for (const named_corpus& each : corpora)
      result += grey_box_audit(
          each.docs, corpora.back().docs, unit, grey_box_bound_of(learner.gains()), [&](const corpus& docs) {
            random_source frozen = seeded_random(5);
            accumulator sums(learner.gains());
            for (const double gain : detail::unit_gains(topics, sizes, divided_corpus(docs, unit), frozen, 1))
              sums.add(0, gain);
            ledger spent;
            return to_integers(sums.publish(frozen, spent), learner.gains().unit_size());
          });
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.5);
}

TEST_CASE("Selected topics refuse plans that one price does not cover", "[pipeline][selected]") {
  const selection_options two{.plans = 2, .units = 2000};
  const auto with = [&](const selected_topics::planner& plan) { return selected_topics(plan, two, three); };
  CHECK_THROWS_WITH(plan_of(200, {.plans = 1, .units = 2000}), ContainsSubstring("plans is 1, but must be at least 2"));
  CHECK_THROWS_WITH(plan_of(200, {.plans = 2}), ContainsSubstring("units"));
  CHECK_THROWS_WITH(plan_of(200, {.plans = 2, .units = 2000, .mean_runs = 1}), ContainsSubstring("mean"));
  CHECK_THROWS_WITH(with([](std::size_t plan, const budget& part) {
                      private_svi_options options = few_steps(3, 200);
                      options.steps = 4 + plan;
                      return private_svi(options, part);
                    }),
                    ContainsSubstring("the ledger of plan 1"));
  CHECK_THROWS_WITH(with([](std::size_t, const budget& part) {
                      private_svi_options options = few_steps(3, 200);
                      options.before.record({.noise = gaussian_noise{40}, .label = "words"});
                      return private_svi(options, part);
                    }),
                    ContainsSubstring("must stand alone"));
}

TEST_CASE("A number of topics from public numbers", "[pipeline][number_of_topics]") {
  CHECK(topics_for(20'000, 2) == 6);
  CHECK(topics_for(100'000, 2) == 14);
  CHECK(topics_for(1'000'000, 8) == 89);
  CHECK(topics_for(100, 1) == 5);
  CHECK(topics_for(1e300, 1e300) == 100);
  CHECK_THROWS_WITH(topics_for(0, 1), ContainsSubstring("units"));
  CHECK_THROWS_WITH(topics_for(std::nan(""), 1), ContainsSubstring("units"));
  CHECK_THROWS_WITH(topics_for(1000, -1), ContainsSubstring("epsilon"));
}

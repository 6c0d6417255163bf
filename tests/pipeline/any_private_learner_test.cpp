// SPDX-License-Identifier: Apache-2.0
#include <dplda/pipeline/any_private_learner.hpp>

#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "pipeline/support.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

using namespace dplda;
using namespace dplda_tests;

namespace {

std::string figure(const any_private_learner& learner, const std::string& name) {
  for (const auto& [key, value] : learner.figures()) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

static_assert(AuditableLearner<any_private_learner>);

TEMPLATE_TEST_CASE("any_private_learner behaves as the learner inside", "[pipeline]", private_svi, private_spectral) {
  const corpus docs = letters(300);
  auto options = planned_for<TestType>(300);
  // Over public words, and over words that are chosen privately.
  auto topics = options.topics;
  topics.words = docs.words();
  const TestType listed(topics, three);
  const fully_private_topics<TestType> chosen(options, three);
  const auto same = [&](const any_private_learner& any, const auto& own) {
    CHECK(any.guarantee() == own.guarantee());
    CHECK(any.ledger() == own.plan().ledger);
    random_source one = seeded_random(3), two = seeded_random(3);
    CHECK(any.fit(docs, one).value().phi() == own.fit(docs, two).value().phi());
  };
  same(listed, listed);
  same(chosen, chosen);
  same(plan_learner<TestType>(options.topics, docs.vocab(), three), listed);
  same(plan_learner<TestType>(options.topics, nullptr, three), chosen);

  const any_private_learner by_list = listed, by_choice = chosen;
  random_source one = seeded_random(5), two = seeded_random(5);
  CHECK_FALSE(by_list.chooses_words());
  CHECK_THROWS_AS(by_list.choose_words(docs, one), std::logic_error);
  REQUIRE(by_choice.chooses_words());
  const auto words = by_choice.choose_words(docs, one);
  CHECK(by_choice.fit(words, docs, one).value().phi() == chosen.fit(docs, two).value().phi());
  CHECK_THROWS_AS(by_list.fit(words, docs, one), std::logic_error);

  CHECK(figure(by_list, "words") == "public, 200");
  CHECK(figure(by_choice, "words") == "chosen privately, for 60 % of epsilon if taken alone");
  CHECK(figure(plan_learner<TestType>(options.topics, nullptr, three, 2), "words") ==
        "and phrases of up to 2 words, chosen privately, for 60 % of epsilon if taken alone");
  CHECK_FALSE(figure(by_choice, "noise").empty());
  const forecast_options from = by_choice.forecast_from(12);
  CHECK(from.units == 300);
  CHECK(from.length == 12);
  CHECK(from.topics == 3);
  CHECK(from.words == 0);
  CHECK(from.threshold == chosen.plan().vocabulary.rounds.back().threshold());
  CHECK(by_list.forecast_from(12).words == 200);
  CHECK(by_list.forecast_from(12).threshold == 0);
}

TEST_CASE("A forecast is refused for words that are chosen otherwise than it was calibrated for", "[pipeline]") {
  // Under count_laplace it promised hundreds of words where none came out.
  for (const vocabulary_options& words :
       {vocabulary_options{.method = vocabulary_method::count_laplace}, vocabulary_options{.words_per_unit = 10}}) {
    const any_private_learner learner =
        fully_private_topics<private_svi>({.vocabulary = words, .topics = {.topics = 3, .units = 3000}}, three);
    CHECK_THROWS_WITH(learner.forecast_from(12), Catch::Matchers::ContainsSubstring("calibrated"));
  }
}

TEST_CASE("The plan's noise goes into the forecast", "[pipeline]") {
  const private_svi learner({.topics = 3, .units = 300, .words = 200, .steps = 4}, three);
  CHECK(any_private_learner(learner).forecast_from(10).noise == learner.plan().noise_left);
  CHECK(figure(learner, "steps") == "4");
  CHECK(figure(learner, "documents in a step") == "all");
  CHECK(
      any_private_learner(private_spectral({.topics = 3, .units = 300, .words = 200}, three)).forecast_from(10).noise ==
      0);
}

TEMPLATE_TEST_CASE("A fit in steps, over public or chosen words, is the fit", "[pipeline]", private_svi,
                   private_gibbs) {
  const corpus docs = letters(300);
  for (const bool chosen : {false, true}) {
    const any_private_learner learner =
        plan_learner<TestType>(planned_for<TestType>(300).topics, chosen ? nullptr : docs.vocab(), three);
    REQUIRE(learner.has_states());
    random_source one = seeded_random(3), two = seeded_random(3);
    const auto whole = learner.fit(docs, one);
    stateful_start begun = [&] {
      if (!chosen) return learner.start(nullptr, docs, two);
      CHECK_THROWS_AS(learner.start(nullptr, docs, two), std::logic_error);
      const planned_words words = learner.choose_words(docs, two);
      return learner.start(&words, docs, two);
    }();
    private_topics_state kept = begun.state;
    const auto in_steps = learner.resume(begun.state, begun.words, docs, two);
    CHECK(in_steps.value().phi() == whole.value().phi());
    CHECK(in_steps.ledger() == whole.ledger());
    CHECK(in_steps.guarantee() == whole.guarantee());
    CHECK(*in_steps.value().vocab() == *whole.value().vocab());

    // Interrupted after a step, and continued with a fresh key: other noise, the planned ledger.
    CHECK_THROWS_AS(learner.resume(kept, begun.words, docs, two, [](const progress& now) { return now.step == 1; }),
                    fit_stopped);
    CHECK(kept.steps() == 1);
    random_source fresh = seeded_random(4);
    const auto resumed = learner.resume(kept, begun.words, docs, fresh);
    CHECK(resumed.value().phi() != whole.value().phi());
    CHECK(std::ranges::equal(resumed.ledger().entries(), learner.ledger().entries()));
    CHECK(resumed.guarantee() == whole.guarantee());

    // Words of another list than the start's.
    const auto other = declare_public(numbered_vocabulary(begun.words->size() + 1));
    CHECK_THROWS_AS(learner.resume(begun.state, other, docs, two), std::invalid_argument);
  }
}

TEST_CASE("Learners without states say so", "[pipeline]") {
  const corpus docs = letters(300);
  auto options = planned_for<private_spectral>(300);
  for (const any_private_learner& learner : {plan_learner<private_spectral>(options.topics, docs.vocab(), three),
                                             plan_learner<private_spectral>(options.topics, nullptr, three)}) {
    CHECK_FALSE(learner.has_states());
    random_source random = seeded_random(3);
    CHECK_THROWS_AS(learner.start(nullptr, docs, random), std::logic_error);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The pipeline with each of the library's learners.
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/pipeline/any_private_learner.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include "pipeline/support.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class Learner, class Words>
concept takes_words = requires(const Learner& learner, const Words& words, const corpus& docs, random_source& random) {
  learner.fit(words, docs, random);
};

}  // namespace

TEMPLATE_TEST_CASE("A fully private fit spends what was planned, and costs the budget", "[pipeline]", private_svi,
                   private_gibbs, private_spectral) {
  const privacy_unit unit = GENERATE(privacy_unit::document, privacy_unit::user);
  const corpus docs = letters(1500, 700);
  const fully_private_topics<TestType> learner(planned_for<TestType>(unit == privacy_unit::user ? 700 : 1500, unit),
                                               three);
  const fully_private_plan plan = learner.plan();
  CHECK(learner.guarantee() == price(plan.ledger, three.delta));
  CHECK(plan.guarantee.epsilon <= three.epsilon);
  CHECK(plan.guarantee.epsilon > 0.999 * three.epsilon);
  CHECK(plan.guarantee.unit == unit);
  CHECK(!plan.guarantee.seeded);
  const auto first = plan.vocabulary.ledger.entries(), all = plan.ledger.entries();
  REQUIRE(all.size() > first.size());
  CHECK(std::equal(first.begin(), first.end(), all.begin()));

  random_source random = seeded_random(2);
  const auto released = learner.fit(docs, random);
  CHECK(same_entries(released.ledger(), plan.ledger));
  CHECK(released.ledger().seeded());
  guarantee expected = plan.guarantee;
  expected.seeded = true;
  CHECK(released.guarantee() == expected);
  CHECK(released.value().topics() == 3);
  CHECK(released.value().words() >= 20);
  CHECK(released.value().words() < docs.words());
  for (word_id w = 0; w < released.value().words(); ++w)
    CHECK(docs.vocab()->find(released.value().vocab()->word(w)).has_value());
}

TEMPLATE_TEST_CASE("There is a model whatever words are released", "[pipeline]", private_svi, private_gibbs,
                   private_spectral) {
  // Each document has a word of its own, and none can pass; or the corpus is empty.
  std::vector<std::vector<word_id>> lonely(20);
  for (word_id d = 0; d < lonely.size(); ++d) lonely[d] = {d, d, d, d};
  const corpus all_lonely = make_corpus(lonely, lonely.size()), all_empty = make_corpus({{}, {}, {}}, 5);
  const fully_private_topics<TestType> learner(planned_for<TestType>(100), three);
  for (const corpus& docs : {all_lonely, all_empty, corpus()}) {
    random_source random = seeded_random(3);
    const auto released = learner.fit(docs, random);
    CHECK(same_entries(released.ledger(), learner.plan().ledger));
    REQUIRE(released.value().words() == 3);
    CHECK(released.value().vocab()->word(0) == "(no word 1)");
    CHECK(released.value().vocab()->word(2) == "(no word 3)");
  }
}

TEMPLATE_TEST_CASE("A fit in two halves gives the same topics", "[pipeline]", private_svi, private_spectral) {
  const corpus docs = letters(600);
  const fully_private_topics<TestType> learner(planned_for<TestType>(600), three);
  random_source once = seeded_random(7), twice = seeded_random(7);
  const auto at_once = learner.fit(docs, once);
  const auto words = learner.choose_words(docs, twice);
  // Whoever stops here has spent the whole plan. The words once came with their own, lower price.
  dplda::guarantee whole = learner.guarantee();
  whole.seeded = true;
  CHECK(words.guarantee() == whole);
  CHECK(same_entries(words.ledger(), learner.plan().ledger));
  CHECK(words.ledger().seeded());
  const auto then = learner.fit(words, docs, twice);
  CHECK(*at_once.value().vocab() == *then.value().vocab());
  CHECK(at_once.value().phi() == then.value().phi());
  CHECK(at_once.ledger() == then.ledger());
  // Words of another plan are refused, and so are words without one.
  STATIC_REQUIRE_FALSE(takes_words<fully_private_topics<TestType>, release<vocabulary_ptr>>);
  STATIC_REQUIRE_FALSE(takes_words<any_private_learner, release<vocabulary_ptr>>);
  STATIC_REQUIRE_FALSE(takes_words<TestType, planned_words>);
  const fully_private_topics<TestType> dearer(planned_for<TestType>(600), {.epsilon = 4, .delta = 1e-6});
  CHECK_THROWS_AS(learner.fit(dearer.choose_words(docs, twice), docs, twice), std::invalid_argument);
}

TEMPLATE_TEST_CASE("A seeded fully private fit is the same for any number of threads", "[pipeline]", private_svi,
                   private_spectral) {
  const corpus docs = letters(600);
  const auto fit = [&](std::size_t threads, std::uint64_t seed) {
    auto options = planned_for<TestType>(600);
    options.vocabulary.threads = options.topics.threads = threads;
    random_source random = seeded_random(seed);
    return fully_private_topics<TestType>(options, three).fit(docs, random).value();
  };
  const topic_model<> once = fit(1, 7), again = fit(3, 7), other = fit(1, 8);
  CHECK(*once.vocab() == *again.vocab());
  CHECK(once.phi() == again.phi());
  CHECK((!(*once.vocab() == *other.vocab()) || once.phi() != other.phi()));
}

TEST_CASE("Learners require the words that they were planned for", "[pipeline]") {
  const corpus docs = letters(200);
  const vocabulary_selector selector({}, {.epsilon = 2, .delta = 1e-6}), other({}, {.epsilon = 1, .delta = 1e-6});
  random_source random = seeded_random(1);
  const auto words = selector.fit(docs, random);
  const auto refuses = [&](const auto& engine, const auto& wrong) {
    CHECK_THAT(refusal([&] { engine.fit(docs.restrict_to(words.value()), random); }),
               ContainsSubstring("must be passed as a release"));
    CHECK_THAT(refusal([&] { engine.fit(wrong, docs, random); }),
               ContainsSubstring("options.before is without the ledger of the earlier release"));
    CHECK(same_entries(engine.fit(words, docs, random).ledger(), engine.plan().ledger));
  };
  const std::size_t size = words.value()->size();
  REQUIRE(size >= 2);
  const release<vocabulary_ptr> wrong(words.value(), other.guarantee(), other.plan().ledger);
  private_svi::options_type options{.topics = 2, .units = 200, .words = size, .steps = 1, .before = words.ledger()};
  CHECK_THAT(refusal([&] { private_svi(options, three).fit(words, docs, random); }),
             ContainsSubstring("background_share"));
  options.background_share = 0.3;
  refuses(private_svi(options, three), wrong);
  refuses(private_spectral({.topics = 2, .units = 200, .words = size, .before = words.ledger()}, three), wrong);
}

TEMPLATE_TEST_CASE("A statistic of one's own and topics share one budget", "[pipeline]", private_svi,
                   private_spectral) {
  // The plan is made first, then the statistic is released, then the topics: nothing throws once something is spent.
  const corpus docs = letters(600);
  const accumulator_plan lengths({.rows = 4, .noise_multiplier = 5, .label = "lengths of documents"});
  dplda::ledger planned;
  planned.record(lengths.event());
  auto options = planned_for<TestType>(600);
  options.topics.before = planned;
  const fully_private_topics<TestType> learner(options, three);
  CHECK(learner.guarantee().epsilon <= three.epsilon);
  CHECK(learner.guarantee().epsilon > 0.99 * three.epsilon);

  random_source random = seeded_random(1);
  accumulator sums(lengths);
  for (std::size_t d = 0; d < docs.size(); ++d)
    sums.add(static_cast<std::uint32_t>(std::min<std::uint64_t>(3, docs[d].length() / 20)), 1);
  dplda::ledger spent;
  sums.publish(random, spent);
  CHECK(same_entries(spent, planned));
  const auto released = learner.fit(docs, random);
  CHECK(same_entries(released.ledger(), learner.plan().ledger));
  CHECK(released.ledger().contains(spent));
  CHECK(price(released.ledger(), three.delta).epsilon <= three.epsilon);

  // The same over public words, without a pipeline.
  typename TestType::options_type alone = options.topics;
  alone.words = docs.words();
  const TestType over_public(alone, three);
  CHECK(over_public.fit(docs, random).ledger().contains(spent));
  CHECK(over_public.guarantee().epsilon > 0.99 * three.epsilon);
}

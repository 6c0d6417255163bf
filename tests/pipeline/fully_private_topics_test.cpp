// SPDX-License-Identifier: Apache-2.0
#include <dplda/pipeline/fully_private_topics.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/io/ordered_texts.hpp>
#include <dplda/pipeline/any_private_learner.hpp>

#include "pipeline/support.hpp"
#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// A learner whose events depend on the size of its vocabulary.
struct careless : private_svi {
  careless(private_svi_options options, const budget& total)
      : private_svi(stepping(std::move(options)), total), total_(total) {}
  careless for_words(std::size_t words) const {
    private_svi_options other = options();
    other.words = words;
    return {other, total_};
  }
  static private_svi_options stepping(private_svi_options options) {
    options.steps = options.words;
    return options;
  }
  budget total_;
};

}  // namespace

TEST_CASE("The ledger does not depend on the words that are released", "[pipeline]") {
  // So little text that the learner's plan depends on the number of words.
  auto options = planned_for<private_svi>(60);
  options.topics.topics = 8;
  options.topics.words = 400;
  const fully_private_topics<> learner(options, {.epsilon = 1, .delta = 1e-5});
  CHECK(learner.options().topics.background_share > 0.2);
  private_svi_options fewer = options.topics;
  fewer.words = 8;
  CHECK(private_svi(fewer, {.epsilon = 1, .delta = 1e-5}).plan().background_share !=
        learner.options().topics.background_share);
  random_source random = seeded_random(1);
  const auto released = learner.fit(letters(60), random);
  CHECK(released.value().words() != 400);
  CHECK(same_entries(released.ledger(), learner.plan().ledger));

  auto spending = planned_for<careless>(600);
  spending.topics.words = 17;
  const fully_private_topics<careless> wrong(spending, three);
  CHECK_THROWS_AS(wrong.fit(letters(600), random), std::logic_error);
}

TEST_CASE("Words and topics are cheaper together than apart", "[pipeline]") {
  auto options = planned_for<private_svi>(1500);
  options.vocabulary_share = 0.5;
  const fully_private_topics<> learner(options, three);
  CHECK(learner.plan().vocabulary_share == 0.5);
  CHECK(learner.plan().vocabulary.guarantee.epsilon <= 1.5);
  CHECK(learner.plan().vocabulary.guarantee.delta == three.delta / 2);
  private_svi_options alone = learner.options().topics;
  alone.before = {};
  const private_svi rest(alone, {.epsilon = 1.5, .delta = three.delta / 2});
  const auto noise = [](const ledger& book) {
    return std::get<gaussian_noise>(book.entries().back().event.noise).multiplier;
  };
  CHECK(noise(learner.plan().ledger) < 0.75 * noise(rest.plan().ledger));
}

TEST_CASE("Removing a unit changes its own sanitised documents only", "[pipeline]") {
  // Some documents lose all words, and must stay.
  std::vector<std::string> some;
  for (std::size_t w = 0; w < 12; w += 3) some.push_back("w" + std::to_string(w));
  grey_box_result result;
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const vocabulary_selector selector({.unit = unit}, {.epsilon = 1, .delta = 1e-6});
    const release<vocabulary_ptr> words(detail::with_origin(vocabulary(some), word_origin::released),
                                        selector.guarantee(), selector.plan().ledger);
    const private_svi engine({.topics = 2,
                              .units = std::uint64_t{1} << 20,
                              .words = some.size(),
                              .unit = unit,
                              .steps = 1,
                              .background_share = 0.1,
                              .before = words.ledger()},
                             {.epsilon = 4, .delta = 1e-5});
    const double scale = engine.plan().background.unit_size();
    const grey_box_bound bound = grey_box_bound_of(engine.plan().background);
    for (const std::uint64_t seed : {1u, 2u}) {
      const auto corpora = adversarial_corpora(12, seed);
      for (const named_corpus& each : corpora) {
        CHECK(each.docs.restrict_to(words.value()).size() == each.docs.size());
        result += grey_box_audit(each.docs, corpora.back().docs, unit, bound, [&](const corpus& docs) {
          random_source random = seeded_random(seed);
          const Eigen::VectorXd counts = engine.start(words, docs.restrict_to(words.value()), random).get().background;
          return to_integers(std::span(counts.data(), static_cast<std::size_t>(counts.size())), scale);
        });
      }
    }
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);
}

TEST_CASE("Options that do not compose are refused", "[pipeline]") {
  const auto said = [](auto change, const budget& total = three) {
    auto options = planned_for<private_svi>(100);
    change(options);
    return refusal([&] { fully_private_topics<>{options, total}; });
  };
  CHECK(said([](auto&) {}).empty());
  CHECK_THAT(said([](auto& o) { o.topics.unit = privacy_unit::user; }),
             ContainsSubstring("the vocabulary's unit is document, but must be that of the topics, user"));
  CHECK_THAT(said([](auto& o) { o.topics.relation = neighbours::replace; }),
             ContainsSubstring("must be by adding or removing a unit"));
  CHECK_THAT(said([](auto& o) {
               o.vocabulary.method = vocabulary_method::frequency_first;
               o.vocabulary.basis = basis::as_published;
             }),
             ContainsSubstring("must be proven"));
  CHECK_THAT(said([](auto& o) { o.vocabulary.before = vocabulary_selector({}, three).plan().ledger; }),
             ContainsSubstring("goes into topics.before"));
  CHECK_THAT(said([](auto& o) {
               o.topics.before = vocabulary_selector({}, {6, 1e-5}).plan().ledger;
             }),
             ContainsSubstring("the price of topics.before is"));
  for (const double share : {-0.1, 1.0, std::nan("")})
    CHECK_THAT(said([&](auto& o) { o.vocabulary_share = share; }), ContainsSubstring("vocabulary_share"));
  CHECK_THAT(said([](auto& o) { o.topics.units = 0; }), ContainsSubstring("units"));
  CHECK(!said([](auto&) {}, {.epsilon = 0, .delta = 1e-5}).empty());
  CHECK(!said([](auto&) {}, {.epsilon = 1, .delta = 0}).empty());

  random_source random = seeded_random(1);
  const fully_private_topics<> of_users(planned_for<private_svi>(100, privacy_unit::user), three);
  CHECK_THAT(refusal([&] { of_users.fit(make_corpus({{0}, {1}}, 2), random); }), ContainsSubstring("no users"));
}

TEST_CASE("A plan for words and topics knows the number of units in two digits only", "[pipeline]") {
  const fully_private_topics<> counted(planned_for<private_svi>(123'456), three),
      rounded(planned_for<private_svi>(120'000), three);
  CHECK(counted.options().topics.units == 120'000);
  CHECK(counted.options().topics.words == rounded.options().topics.words);  // a guess that is made from the units
  CHECK(counted.plan().ledger == rounded.plan().ledger);
}

TEST_CASE("Phrases, words and topics have one ledger and one price", "[pipeline][phrases]") {
  std::vector<std::string> texts;
  for (int d = 0; d < 3000; ++d) texts.emplace_back(d % 2 ? "bread new york city rolls" : "gull old harbour ferry");
  const ordered_texts letters_in_order = ordered_from_texts(texts);
  auto options = planned_for<private_svi>(3000);
  options.topics.topics = 2;
  options.longest_phrase = 3;
  const fully_private_topics<> learner(options, three);
  const phrase_selector selector({.longest = 3, .selection = options.vocabulary},
                                 {0.6 * three.epsilon, three.delta / 2});
  CHECK(learner.plan().ledger.contains(selector.plan().ledger));
  CHECK(learner.guarantee().epsilon == price(learner.plan().ledger, three.delta).epsilon);
  CHECK(learner.guarantee().epsilon <= three.epsilon);
  CHECK_FALSE(learner.guarantee().assumes_fixed_plans);

  random_source one = seeded_random(4), two = seeded_random(4);
  const auto released = learner.fit(letters_in_order, one);
  CHECK(same_entries(released.ledger(), learner.plan().ledger));
  CHECK(released.value().vocab()->find("new_york_city"));
  CHECK(released.value().vocab()->origin() == word_origin::released);
  // The halves give the same, also through a learner that was chosen at run time.
  const any_private_learner any = learner;
  const planned_words words = any.choose_words(letters_in_order, two);
  CHECK(same_entries(words.ledger(), learner.plan().ledger));
  const corpus docs = any.documents(words, letters_in_order);
  CHECK(any.fit(words, docs, two).value().phi() == released.value().phi());

  // A corpus has lost the order of words. Too few words for the topics are filled up, with phrases too.
  CHECK_THROWS_WITH(learner.fit(corpus_from_texts(texts), one), ContainsSubstring("lost the order of words"));
  CHECK_THROWS_WITH(plan_learner<private_svi>(options.topics, docs.vocab(), three).choose_words(letters_in_order, one),
                    ContainsSubstring("words are public"));
  options.topics.topics = 40;
  const auto filled = fully_private_topics<>(options, three).fit(letters_in_order, one);
  CHECK(filled.value().words() == 40);
  CHECK(filled.value().vocab()->find("(no word 1)"));
}

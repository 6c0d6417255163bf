// SPDX-License-Identifier: Apache-2.0
// What all learners share: the concepts, the task, plans for other numbers of words, and learners built from a method.
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/inference/private_learner.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/mechanisms/accumulator.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

static_assert(TopicLearner<svi<>> && TopicLearner<gibbs<>> && TopicLearner<spectral<>>);
static_assert(
    TopicLearner<decltype([](const corpus& docs, random_source& random) { return svi<>().fit(docs, random); })>);
static_assert(!TopicLearner<private_svi> && !TopicLearner<int> && !PrivateLearner<svi<>>);
static_assert(PrivateLearner<private_svi> && PrivateLearner<private_gibbs> && PrivateLearner<private_spectral>);
static_assert(ReleasingLearner<private_token_gibbs> && !PrivateLearner<private_token_gibbs>);
static_assert(AuditableLearner<svi<>> && AuditableLearner<private_svi> && !AuditableLearner<std::string>);

namespace {

const budget three{.epsilon = 3, .delta = 1e-5};

corpus letters(std::size_t users = 0) {
  return synthetic_lda({.documents = 300, .words = 60, .topics = 3, .mean_length = 30, .users = users},
                       seeded_random(11))
      .docs;
}

// One noisy count of words for all topics.
struct counting {
  using options_type = private_task;
  static constexpr const char* name = "counting";
  static accumulator_options table(const private_task& task, double z) {
    return task.sum(task.words, 1, z, "word counts");
  }
  static void record(const private_task& task, double z, ledger& spent) { spent.record(table(task, z).event()); }
  static topic_model<> learn(const private_task& task, double z, const divided_corpus& docs, random_source& random,
                             ledger& spent, const observer& watch) {
    accumulator sums(table(task, z));
    for (std::size_t u = 0; u < docs.units().size(); ++u) {
      std::vector<std::uint32_t> words;
      for (const std::size_t d : docs.units().documents(u)) {
        const document doc = docs.docs()[d];
        words.insert(words.end(), doc.words.begin(), doc.words.end());
      }
      sums.add<double>(words, std::vector<double>(words.size(), 1.0));
    }
    detail::tell(watch, {1, 2});
    const std::vector<double> noisy = sums.publish(random, spent);
    Eigen::RowVectorXd words = Eigen::Map<const Eigen::RowVectorXd>(noisy.data(), Eigen::Index(task.words)).cwiseMax(1);
    words /= words.sum();
    return {words.replicate(Eigen::Index(task.topics), 1), docs.docs().vocab()};
  }
};

// Spends once more than it states.
struct spendthrift : counting {
  static topic_model<> learn(const private_task& task, double z, const divided_corpus& docs, random_source& random,
                             ledger& spent, const observer& watch) {
    counting::learn(task, z, docs, random, spent, watch);
    return counting::learn(task, z, docs, random, spent, watch);
  }
};

// Has more noise for more words, which its guarantee does not know of.
struct fickle : counting {
  static void record(const private_task& task, double z, ledger& spent) {
    spent.record(table(task, z * static_cast<double>(task.words)).event());
  }
};

}  // namespace

static_assert(PrivateLearner<private_learner<counting>>);

TEMPLATE_TEST_CASE("A learner for another number of words has the same events and the planned noise",
                   "[inference][learner]", private_svi, private_gibbs, private_spectral, private_learner<counting>) {
  typename TestType::options_type options{};
  options.topics = 3;
  options.units = 300;
  options.words = 5000;
  const TestType planned(options, three), other = planned.for_words(60);
  CHECK(other.options().words == 60);
  CHECK(planned.options().words == 5000);
  CHECK(other.plan().ledger == planned.plan().ledger);
  CHECK(other.guarantee() == planned.guarantee());
  random_source random = seeded_random(1);
  const auto released = other.fit(letters(), random);
  CHECK(std::ranges::equal(released.ledger().entries(), planned.plan().ledger.entries()));
  CHECK(released.value().words() == 60);
  CHECK_THAT(refusal([&] { planned.fit(letters(), random); }),
             ContainsSubstring("size of the vocabulary is 60, but must be the planned 5000"));
  CHECK_THROWS_AS(planned.for_words(0), std::invalid_argument);
}

TEST_CASE("A learner for another number of words learns like one planned for that number", "[inference][learner]") {
  const private_svi guessed({.topics = 3, .units = 300, .words = 5000, .steps = 2}, three);
  const private_svi known(
      {.topics = 3, .units = 300, .words = 60, .steps = 2, .background_share = guessed.plan().background_share}, three);
  random_source one = seeded_random(4), two = seeded_random(4);
  CHECK(guessed.for_words(60).fit(letters(), one).value().phi() == known.fit(letters(), two).value().phi());
  CHECK(guessed.for_words(60).plan().signal_to_noise == Catch::Approx(known.plan().signal_to_noise));
  // A dictionary has more words than a text uses: it does not take the topics' share of the budget.
  CHECK(guessed.for_words(25000).plan().signal_to_noise == guessed.for_words(100000).plan().signal_to_noise);
  const private_spectral wide({.topics = 3, .units = 300, .words = 500}, three),
      narrow({.topics = 3, .units = 300, .words = 60}, three);
  random_source three_ = seeded_random(5), four = seeded_random(5);
  CHECK(wide.for_words(60).fit(letters(), three_).value().phi() == narrow.fit(letters(), four).value().phi());
}

// A plan for 200 topics of 100,000 words used to take 155 MB; these would take more memory than any machine has.
TEST_CASE("A plan of any size needs no memory for its tables", "[inference][learner]") {
  const private_svi large({.topics = 1'000'000, .units = 1'000'000'000, .words = 4'000'000'000}, three);
  CHECK(large.plan().table.cells() == 4'000'000'000'000'000);
  CHECK(large.plan().table.bound() > 0);
  CHECK(large.plan().table.noise() > 0);
  const private_spectral pairs({.topics = 100, .units = 1'000'000, .words = 60'000}, three);
  CHECK(pairs.plan().second.cells() == 1'800'030'000);
  const private_token_gibbs tokens(
      {.topics = 1'000'000, .documents = 10'000'000, .words = 10'000'000, .tokens = 1'000'000'000}, three);
  CHECK(tokens.plan().tables.cells() == 20'000'000'000'000);
}

TEST_CASE("A learner built from a method meets the contract", "[inference][learner]") {
  const corpus docs = letters(100);
  const private_learner<counting> learner({.topics = 2, .units = 100, .words = 60, .unit = privacy_unit::user}, three);
  CHECK(learner.guarantee() == price(learner.plan().ledger, three.delta));
  CHECK(learner.guarantee().epsilon > 0.99 * three.epsilon);
  CHECK(learner.guarantee().unit == privacy_unit::user);
  random_source random = seeded_random(2);
  const auto released = learner.fit(docs, random);
  CHECK(released.ledger().seeded());
  CHECK(released.value().topics() == 2);
  CHECK(stopped([&] { learner.fit(docs, random, at_once); }));
  const private_learner<spendthrift> wrong({.topics = 2, .units = 100, .words = 60}, three);
  CHECK_THROWS_AS(wrong.fit(docs, random), std::logic_error);
  const private_learner<fickle> changing({.topics = 2, .units = 100, .words = 60}, three);
  CHECK_NOTHROW(changing.for_words(60));
  CHECK_THROWS_AS(changing.for_words(7), std::logic_error);
  // Planned after the words were chosen, for exactly their number, which is private until the words are paid for.
  ledger before;
  before.record({.noise = gaussian_noise{10}, .label = "words"});
  const release<vocabulary_ptr> words(detail::with_origin(*docs.vocab(), word_origin::released),
                                      price(before, three.delta), before);
  const private_learner<fickle> late({.topics = 2, .units = 100, .words = 60, .before = before}, three);
  CHECK_THROWS_AS(late.fit(words, docs, random), std::logic_error);
  const private_learner<counting> steady({.topics = 2, .units = 100, .words = 60, .before = before}, three);
  CHECK_NOTHROW(steady.fit(words, docs, random));
  CHECK_THAT(refusal([&] { learner.fit(letters(), random); }), ContainsSubstring("no users"));
  CHECK_THAT(refusal([] { private_learner<counting>({.topics = 2, .units = 100}, three); }),
             ContainsSubstring("counting: words is 0, but must be the size of the vocabulary"));
}

TEST_CASE("A task checks the options that all learners share", "[inference][learner]") {
  const auto said = [](auto change) {
    private_task task{.topics = 2, .units = 10, .words = 20};
    change(task);
    return refusal([&] { task.validate(); });
  };
  CHECK(said([](auto&) {}).empty());
  CHECK_THAT(said([](auto& t) { t.topics = 0; }), ContainsSubstring("topics is 0, but must lie in [1, 1000000]"));
  CHECK_THAT(said([](auto& t) { t.units = 0; }), ContainsSubstring("must be the public number of documents or users"));
  CHECK_THAT(said([](auto& t) { t.words = 0; }), ContainsSubstring("words is 0"));
  CHECK_THAT(said([](auto& t) { t.unit = privacy_unit::token; }), ContainsSubstring("must be document or user"));
  const corpus docs = letters();
  private_task task{.topics = 2, .units = 299, .words = 60, .relation = neighbours::replace};
  CHECK_THAT(refusal([&] { task.divided(docs); }),
             ContainsSubstring("number of units is 300, but must be the planned 299"));
  task.units = 300;
  CHECK(task.divided(docs).units().size() == 300);
}

TEST_CASE("Dropping words keeps the division into units", "[inference][learner]") {
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const corpus docs = letters(100);
    const divided_corpus divided(docs, unit);
    CHECK(&divided.divided_into(unit).units() == &divided.units());
    const divided_corpus fewer = divided.restrict_to(public_words(7));
    CHECK(&fewer.divided_into(unit).units() == &divided.units());
    const privacy_units anew(fewer.docs(), unit);
    REQUIRE(anew.size() == fewer.units().size());
    for (std::size_t u = 0; u < anew.size(); ++u) {
      CHECK(anew.id(u) == fewer.units().id(u));
      CHECK(std::ranges::equal(anew.documents(u), fewer.units().documents(u)));
    }
    const privacy_unit other = unit == privacy_unit::user ? privacy_unit::document : privacy_unit::user;
    CHECK(divided.divided_into(other).units().unit() == other);
    CHECK_FALSE(divided_corpus(docs).divided());
  }
  // The tokens change with the words.
  const corpus tokens = make_corpus({{0}, {1}}, 2);
  CHECK_FALSE(divided_corpus(tokens, privacy_unit::token).restrict_to(public_words(1)).divided());
}

TEMPLATE_TEST_CASE("A plan knows a stated number of units in two digits only", "[inference][learner]", private_svi,
                   private_gibbs, private_spectral, private_learner<counting>) {
  // The sampling rate of the ledger, the noise and options().units told the exact number.
  const auto planned = [](std::uint64_t units, neighbours relation) {
    typename TestType::options_type options{};
    options.topics = 3;
    options.units = units;
    options.words = 50;
    options.relation = relation;
    return TestType(options, three);
  };
  const TestType counted = planned(1'234'567, neighbours::add_remove),
                 rounded = planned(1'200'000, neighbours::add_remove);
  CHECK(counted.options().units == 1'200'000);
  CHECK(counted.plan().ledger == rounded.plan().ledger);
  CHECK(counted.guarantee() == rounded.guarantee());
  // Where the number is public, it is exact.
  CHECK(planned(1'234'567, neighbours::replace).options().units == 1'234'567);
}

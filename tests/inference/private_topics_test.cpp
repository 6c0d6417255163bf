// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/split.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-5};

synthetic_data letters(std::size_t documents, std::size_t users = 0) {
  return synthetic_lda({.documents = documents, .words = 300, .topics = 5, .mean_length = 40, .users = users},
                       seeded_random(11));
}

// One step of the engine from a given state, as the integers of its released table.
template <class Engine>
class one_step {
 public:
  one_step(const Engine& engine, private_topics_state before) : engine_(engine), before_(std::move(before)) {
    unit_ = engine.plan().table.unit_size() / engine.plan().rate;
    bound_ = grey_box_bound_of(engine.plan().table);
  }

  const grey_box_bound& bound() const { return bound_; }

  std::vector<std::int64_t> operator()(const corpus& docs) const {
    private_topics_state state = before_;
    random_source random = seeded_random(5);
    engine_.resume(state, docs, random);
    return to_integers(std::span(state.table().data(), static_cast<std::size_t>(state.table().size())), unit_);
  }

 private:
  const Engine& engine_;
  private_topics_state before_;
  double unit_;
  grey_box_bound bound_;
};

// All steps of the engine from a given state, as the integers of each step's own table, one after the other.
template <class Engine>
std::vector<std::int64_t> all_steps(const Engine& engine, private_topics_state state, const corpus& docs) {
  const double unit = engine.plan().table.unit_size() / engine.plan().rate;
  std::vector<std::int64_t> steps;
  Eigen::MatrixXd mean = state.table();
  random_source random = seeded_random(5);
  engine.resume(state, docs, random, [&](const progress& now) {
    const double share = 2 / (static_cast<double>(now.step) + 1);  // that the mean gives to this table
    const Eigen::MatrixXd own = mean + (state.table() - mean) / share;
    mean = state.table();
    const auto integers = to_integers(std::span(own.data(), static_cast<std::size_t>(own.size())), unit);
    steps.insert(steps.end(), integers.begin(), integers.end());
    return false;
  });
  return steps;
}

// The steps in which two runs differ, numbered from 0.
std::vector<std::size_t> steps_apart(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                                     std::size_t steps) {
  std::vector<std::size_t> apart;
  const std::size_t cells = a.size() / steps;
  for (std::size_t step = 0; step < steps; ++step) {
    if (!std::ranges::equal(a.subspan(step * cells, cells), b.subspan(step * cells, cells))) apart.push_back(step);
  }
  return apart;
}

}  // namespace

TEMPLATE_TEST_CASE("Grey-box audit of private learners finds nothing", "[inference][private_topics]", private_svi,
                   private_gibbs) {
  const char* const wanted = std::getenv("DPLDA_AUDIT_PAIRS");
  const std::size_t pairs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 5000;
  grey_box_result result;
  for (std::uint64_t seed = 1; result.pairs < pairs; ++seed) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      for (const double rate : {1.0, 0.5}) {
        const auto corpora = adversarial_corpora(12, seed);
        // The plan is made for 2^20 units, so that doubles hold the sums of a few exactly.
        const TestType engine({.topics = 3,
                               .units = std::uint64_t{1} << 20,
                               .words = 12,
                               .unit = unit,
                               .steps = 1,
                               .rate = rate,
                               .alpha = seed % 3 == 0 ? 1e-30 : 0.05,
                               .threads = 1},
                              {.epsilon = 4, .delta = 1e-5});
        random_source random = seeded_random(seed);
        const one_step<TestType> sums(engine, engine.start(corpora[seed % corpora.size()].docs, random));
        for (const named_corpus& each : corpora) {
          result += grey_box_audit(each.docs, corpora.back().docs, unit, sums.bound(), sums);
        }
      }
    }
  }
  std::cout << (std::is_same_v<TestType, private_svi> ? "private SVI: " : "private Gibbs: ") << result.pairs
            << " neighbouring pairs, " << result.violations() << " violations, largest distance "
            << result.largest_ratio << " of the bound\n";
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);  // or the audit would be of nothing
}

TEMPLATE_TEST_CASE("Grey-box audit of private learners finds nothing with many topics and words, on four threads",
                   "[inference][private_topics]", private_svi, private_gibbs) {
  // More topics than a vector holds, and one more than a multiple of its size: the kernels work on the topics that a
  // document is busy with, row by row with a stride.
  constexpr std::size_t words = 400;
  grey_box_result result;
  std::uint64_t seed = 20;
  for (const std::size_t topics : {std::size_t{20}, std::size_t{33}}) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      for (const double rate : {1.0, 0.5}) {
        const auto corpora = adversarial_corpora(words, ++seed);
        const TestType engine({.topics = topics,
                               .units = std::uint64_t{1} << 20,
                               .words = words,
                               .unit = unit,
                               .steps = 1,
                               .rate = rate,
                               .alpha = seed % 2 == 0 ? 1e-30 : 0.05,
                               .threads = 4},
                              {.epsilon = 4, .delta = 1e-5});
        random_source random = seeded_random(seed);
        const one_step<TestType> sums(engine, engine.start(corpora[seed % corpora.size()].docs, random));
        grey_box_result some;
        for (const named_corpus& each : corpora)
          some += grey_box_audit(each.docs, corpora.back().docs, unit, sums.bound(), sums);
        CAPTURE(topics, unit, rate, some.too_far, some.moved);
        CHECK(some.violations() == 0);
        CHECK(some.largest_ratio > 0.9);
        result += some;
      }
    }
  }
  CHECK(result.pairs >= 500);
}

TEMPLATE_TEST_CASE("Grey-box audit of rounds of steps finds nothing, and each unit in one step of each round",
                   "[inference][private_topics]", private_svi, private_gibbs) {
  constexpr std::size_t steps = 4, batches = 2;
  grey_box_result result;
  std::vector<std::size_t> read(steps);  // how many units each step read
  std::size_t moved = 0;                 // units with another place in the second round
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const corpus docs = adversarial_corpora(12, 3).back().docs;  // of all kinds of documents
    // A unit of one topic contributes the same whatever was released before, so all steps can be compared, not only
    // those up to the first in which the unit is read.
    const auto engine = [&](std::size_t topics) {
      return TestType({.topics = topics,
                       .units = std::uint64_t{1} << 20,
                       .words = 12,
                       .unit = unit,
                       .steps = steps,
                       .rate = 1.0 / batches,
                       .batches = batch_choice::rounds,
                       .threads = 1},
                      {.epsilon = 4, .delta = 1e-5});
    };
    const TestType one_topic = engine(1);
    REQUIRE(one_topic.plan().steps == steps);
    REQUIRE(one_topic.plan().table.options().sampling == sampling(random_allocation{batches}));
    random_source random = seeded_random(4);
    const auto before = one_topic.start(docs, random);
    const auto whole = all_steps(one_topic, before, docs);
    // All tables of a round together are within the bound of one, because they hold each unit once.
    for (std::size_t round = 0; round < steps / batches; ++round) {
      result += grey_box_audit(docs, docs, unit, grey_box_bound_of(one_topic.plan().table), [&](const corpus& some) {
        const auto all = all_steps(one_topic, before, some);
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(round * batches * 12);
        return std::vector<std::int64_t>(from, from + batches * 12);
      });
    }
    const privacy_units units(docs, unit);
    std::vector<std::vector<std::size_t>> found;  // the steps that read each unit
    for (std::size_t u = 0; u < units.size(); ++u) {
      const auto places = steps_apart(whole, all_steps(one_topic, before, without_unit(docs, units, u)), steps);
      found.push_back(places);
      if (only_unit(docs, units, u).tokens() == 0) {
        CHECK(places.empty());
        continue;
      }
      REQUIRE(places.size() == steps / batches);
      CHECK((places[0] < batches && places[1] >= batches));
      moved += places[1] != places[0] + batches ? 1 : 0;
      for (const std::size_t step : places) ++read[step];
    }
    if (unit == privacy_unit::user) continue;
    // With several topics a unit alone can still be compared with none. Its steps are the same, whoever else is there.
    const TestType three_topics = engine(3);
    const auto start = three_topics.start(docs, random);
    const auto nothing = all_steps(three_topics, start, docs.select(std::span<const std::size_t>()));
    for (std::size_t u = 0; u < units.size(); ++u)
      CHECK(steps_apart(all_steps(three_topics, start, only_unit(docs, units, u)), nothing, steps) == found[u]);
  }
  CHECK(result.pairs > 40);
  CHECK(result.too_far == 0);
  CHECK(result.moved == 0);
  CHECK(result.largest_ratio > 0.9);
  CHECK(std::ranges::min(read) > 0);
  CHECK(moved > 0);  // the second round has places of its own
}

TEST_CASE("Grey-box audit of the background's two releases finds nothing", "[inference][private_topics]") {
  grey_box_result first, second;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      const auto corpora = adversarial_corpora(12, seed);
      // Without word weights the second release does not depend on the first, so neighbours can be compared.
      const private_svi engine(
          {.topics = 2, .units = std::uint64_t{1} << 20, .words = 12, .unit = unit, .steps = 1, .word_weight = 0},
          {.epsilon = 4, .delta = 1e-5});
      const auto audit = [&](const accumulator_plan& plan, auto&& part, grey_box_result& result) {
        for (const named_corpus& each : corpora) {
          result +=
              grey_box_audit(each.docs, corpora.back().docs, unit, grey_box_bound_of(plan), [&](const corpus& docs) {
                random_source random = seeded_random(seed);
                const Eigen::VectorXd counts = part(engine.start(docs, random).get());
                return to_integers(std::span(counts.data(), static_cast<std::size_t>(counts.size())), plan.unit_size());
              });
        }
      };
      audit(
          engine.plan().background, [](const auto& parts) { return parts.background; }, first);
      audit(
          engine.plan().weighted_background, [](const auto& parts) { return parts.weighted_background; }, second);
    }
  }
  CHECK(first.violations() + second.violations() == 0);
  CHECK(first.largest_ratio > 0.9);
  CHECK(second.largest_ratio > 0.9);
}

TEST_CASE("The background's second release weights words by the first, and has less noise on rare ones",
          "[inference][private_topics]") {
  const corpus docs = letters(2000).docs;
  const private_svi learner({.topics = 2, .units = 2000, .words = 300, .steps = 1}, one);
  random_source random = seeded_random(6);
  const auto parts = learner.start(docs, random).get();
  CHECK(parts.background_noise == learner.plan().background.noise());
  CHECK(parts.weighted_noise == learner.plan().weighted_background.noise());
  CHECK(parts.weighted_noise < parts.background_noise);
  Eigen::Index most = 0;
  parts.background.maxCoeff(&most);
  CHECK(parts.background_weights[most] == parts.background_weights.minCoeff());
  const detail::noisy_words first{parts.background, parts.background_noise, Eigen::VectorXd::Ones(300)};
  const Eigen::VectorXd words = detail::word_distribution(std::span(&first, 1), {}, 1);
  CHECK((parts.background_weights.array() - (300 * words.array() + 0.05).pow(-0.3)).abs().maxCoeff() < 1e-12);
}

TEMPLATE_TEST_CASE("A private fit spends what was planned", "[inference][private_topics]", private_svi, private_gibbs) {
  const synthetic_data data = letters(2000, 300);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    for (const double rate : {1.0, 0.3}) {
      const TestType learner({.topics = 4, .units = 2000, .words = 300, .unit = unit, .steps = 5, .rate = rate}, one);
      CHECK(learner.guarantee().epsilon <= one.epsilon);
      CHECK(learner.guarantee().epsilon > 0.99 * one.epsilon);
      CHECK(learner.guarantee().delta == one.delta);
      CHECK(learner.guarantee().unit == unit);
      CHECK(learner.guarantee().basis == basis::proven);
      random_source random = seeded_random(1);
      const auto released = learner.fit(data.docs, random);
      CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
      CHECK(released.guarantee().epsilon == learner.guarantee().epsilon);
      CHECK(price(released.ledger(), one.delta).epsilon == learner.guarantee().epsilon);
      CHECK(released.guarantee().seeded);
    }
  }
}

TEMPLATE_TEST_CASE("Rounds of steps read each unit once, and need less noise than coins", "[inference][private_topics]",
                   private_svi, private_gibbs) {
  const corpus docs = letters(400).docs;
  const auto options = [](batch_choice batches) {
    return typename TestType::options_type{
        .topics = 3, .units = 400, .words = 300, .steps = 5, .rate = 0.35, .batches = batches};
  };
  const TestType rounds(options(batch_choice::rounds), one), coins(options(batch_choice::coins), one);
  CHECK(rounds.plan().steps == 6);  // two rounds of three
  CHECK(rounds.plan().rate == 1.0 / 3);
  CHECK(rounds.plan().table.options().sampling == sampling(random_allocation{3}));
  CHECK(rounds.plan().ledger.entries().back().count == 2);
  CHECK(rounds.guarantee().epsilon <= one.epsilon);
  CHECK(rounds.guarantee().epsilon > 0.99 * one.epsilon);
  CHECK(rounds.plan().noise_left < coins.plan().noise_left);
  random_source random = seeded_random(1);
  private_topics_state state = rounds.start(docs, random);
  const std::size_t started = state.ledger().entries().size();
  std::vector<std::uint64_t> events;  // of tables, in the ledger after each step
  CHECK(stopped([&] {
    rounds.resume(state, docs, random, [&](const progress& now) {
      CHECK(state.ledger().entries().size() == started + 1);
      CHECK(state.ledger().entries().back().event == rounds.plan().table.event());
      events.push_back(state.ledger().entries().back().count);
      return now.step == 4;
    });
  }));
  CHECK(events == std::vector<std::uint64_t>{1, 1, 1, 2});  // a round is paid for as a whole, before its first step
  CHECK(state.ledger().entries().back().count == 2);
  CHECK_THAT(refusal([&] { rounds.resume(state, docs, random); }), ContainsSubstring("within a round of steps"));
  private_topics_state other = rounds.start(docs, random);
  CHECK(stopped([&] { rounds.resume(other, docs, random, [](const progress& now) { return now.step == 3; }); }));
  const auto released = rounds.resume(other, docs, random);
  CHECK(std::ranges::equal(released.ledger().entries(), rounds.plan().ledger.entries()));
  CHECK_THAT(refusal([&] {
               auto wrong = options(batch_choice::rounds);
               wrong.relation = neighbours::replace;
               TestType(wrong, one);
             }),
             ContainsSubstring("batches is rounds under replace"));
}

TEMPLATE_TEST_CASE("A fit with a secret key is not marked as seeded", "[inference][private_topics]", private_svi,
                   private_gibbs) {
  random_source random = secure_random();
  const TestType learner({.topics = 2, .units = 50, .words = 300, .steps = 2}, one);
  CHECK_FALSE(learner.fit(letters(50).docs, random).guarantee().seeded);
}

TEMPLATE_TEST_CASE("Topics do not depend on the number of threads or on the order of documents",
                   "[inference][private_topics]", private_svi, private_gibbs) {
  const corpus docs = letters(500).docs;
  std::vector<std::size_t> backwards(docs.size());
  for (std::size_t d = 0; d < docs.size(); ++d) backwards[d] = docs.size() - 1 - d;
  const auto fitted = [&](const corpus& from, std::size_t threads) {
    random_source random = seeded_random(3);
    const TestType learner({.topics = 6, .units = 500, .words = 300, .steps = 4, .rate = 0.5, .threads = threads}, one);
    return learner.fit(from, random).value().phi();
  };
  const Eigen::MatrixXd phi = fitted(docs, 1);
  for (const std::size_t threads : {2u, 3u, 8u}) CHECK(fitted(docs, threads) == phi);
  CHECK(fitted(docs.select(backwards), 2) == phi);
}

TEMPLATE_TEST_CASE("Private topics beat the unigram model, and more so at higher epsilon",
                   "[inference][private_topics]", private_svi, private_gibbs) {
  const synthetic_data data = letters(20000);
  chacha20 bits = seeded_random(2).stream("split");
  const train_test split = train_test_split(data.docs, bits, {.most = 500});
  const double unigram = unigram_perplexity(split.train, split.test).perplexity;
  const double truth = document_completion_perplexity(data.model, split.test).perplexity;
  const auto perplexity = [&](double epsilon) {
    // Words of synthetic documents are independent, so repeated ones count in full.
    typename TestType::options_type options{.topics = 5, .units = split.train.size(), .words = 300, .repetition = 1};
    if constexpr (std::is_same_v<TestType, private_gibbs>) options.document = {.burn_in = 2, .samples = 2};
    const TestType learner(options, {.epsilon = epsilon, .delta = 1e-5});
    random_source random = seeded_random(4);
    return document_completion_perplexity(learner.fit(split.train, random).value(), split.test).perplexity;
  };
  const double at_one = perplexity(1), at_eight = perplexity(8);
  CAPTURE(unigram, truth, at_one, at_eight);
  CHECK(at_one < unigram - 0.7 * (unigram - truth));
  CHECK(at_eight < at_one);
  CHECK(at_eight < 1.05 * truth);
}

TEMPLATE_TEST_CASE("A stopped private fit releases nothing, and can be resumed with a new key",
                   "[inference][private_topics]", private_svi, private_gibbs) {
  const corpus docs = letters(400).docs;
  const TestType learner({.topics = 3, .units = 400, .words = 300, .steps = 6}, one);
  random_source random = seeded_random(1);
  private_topics_state state = learner.start(docs, random);
  std::vector<std::size_t> seen;
  // The step at which a fit stopped would reveal what the observer knew of the documents.
  CHECK(stopped([&] {
    learner.resume(state, docs, random, [&](const progress& now) {
      CHECK(now.steps == 6);
      seen.push_back(now.step);
      return now.step == 2;
    });
  }));
  CHECK(seen == std::vector<std::size_t>{1, 2});
  CHECK(state.steps() == 2);
  REQUIRE(state.ledger().entries().size() == 3);  // the background twice, then tables
  CHECK(state.ledger().entries()[2].count == 2);

  random_source fresh = seeded_random(2);
  const auto whole = learner.resume(state, docs, fresh);
  CHECK(std::ranges::equal(whole.ledger().entries(), learner.plan().ledger.entries()));
  CHECK(whole.guarantee().epsilon == learner.guarantee().epsilon);

  // After the last step all is done, whatever the observer says.
  random_source last = seeded_random(3);
  CHECK(
      learner.fit(docs, last, [](const progress& now) { return now.step == now.steps; }).ledger().entries()[2].count ==
      6);
}

TEMPLATE_TEST_CASE("An observer that looks at the documents cannot publish what it saw", "[inference][private_topics]",
                   private_svi, private_gibbs) {
  // It stops at once if a document is present, and never otherwise. Both outcomes must have the same ledger.
  const corpus docs = letters(400).docs, neighbour = docs.slice(0, 399);
  const TestType learner({.topics = 3, .units = 400, .words = 300, .steps = 4}, one);
  for (const corpus& each : {docs, neighbour}) {
    random_source random = seeded_random(1);
    try {
      const auto released = learner.fit(each, random, [&](const progress&) { return each.size() == 400; });
      CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
    } catch (const dplda::fit_stopped&) {
      CHECK(each.size() == 400);
    }
  }
}

TEMPLATE_TEST_CASE("Under replace, steps read all units or samples of fixed size", "[inference][private_topics]",
                   private_svi, private_gibbs) {
  const corpus docs = letters(200).docs;
  for (const double rate : {1.0, 0.25}) {
    const TestType learner(
        {.topics = 3, .units = 200, .words = 300, .relation = neighbours::replace, .steps = 3, .rate = rate}, one);
    CHECK(learner.guarantee().epsilon <= 1);
    random_source random = seeded_random(1);
    const auto released = learner.fit(docs, random);
    CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
    if (rate < 1) CHECK(released.ledger().entries()[2].event.sampling == sampling(fixed_size_sample{50, 200}));
    CHECK_THAT(refusal([&] { learner.fit(docs.slice(0, 199), random); }), ContainsSubstring("199"));
  }
}

TEMPLATE_TEST_CASE("Private learners work for degenerate sizes", "[inference][private_topics]", private_svi,
                   private_gibbs) {
  random_source random = seeded_random(1);
  const auto sums_to_one = [](const topic_model<>& model) {
    return (model.phi().rowwise().sum().array() - 1).abs().maxCoeff() < 1e-9;
  };
  // One topic; more topics than words; empty documents; no documents; fewer or more units than stated.
  CHECK(sums_to_one(
      TestType({.topics = 1, .units = 30, .words = 300, .steps = 2}, one).fit(letters(30).docs, random).value()));
  CHECK(sums_to_one(TestType({.topics = 7, .units = 3, .words = 2, .steps = 2}, one)
                        .fit(make_corpus({{0}, {1, 1}, {}}, 2), random)
                        .value()));
  CHECK(sums_to_one(
      TestType({.topics = 2, .units = 3, .words = 1, .steps = 2}, one).fit(make_corpus({{}, {}}, 1), random).value()));
  CHECK(sums_to_one(
      TestType({.topics = 2, .units = 1000, .words = 4, .steps = 2}, one).fit(make_corpus({}, 4), random).value()));
  CHECK(sums_to_one(
      TestType({.topics = 2, .units = 1, .words = 300, .steps = 2}, one).fit(letters(100).docs, random).value()));
}

TEMPLATE_TEST_CASE("Planning refuses invalid options and budgets", "[inference][private_topics]", private_svi,
                   private_gibbs) {
  const auto why = [](typename TestType::options_type options, budget total = one) {
    return refusal([&] { TestType(std::move(options), total); });
  };
  const typename TestType::options_type good{.topics = 5, .units = 1000, .words = 100};
  CHECK(why(good) == "");
  const auto with = [&](auto&& change) {
    typename TestType::options_type changed = good;
    change(changed);
    return why(changed);
  };
  CHECK_THAT(with([](auto& o) { o.topics = 0; }), ContainsSubstring("topics is 0"));
  CHECK_THAT(with([](auto& o) { o.units = 0; }), ContainsSubstring("units is 0"));
  CHECK_THAT(with([](auto& o) { o.words = 0; }), ContainsSubstring("words is 0"));
  CHECK_THAT(with([](auto& o) { o.unit = privacy_unit::token; }), ContainsSubstring("unit is token"));
  CHECK_THAT(with([](auto& o) { o.rate = 1.5; }), ContainsSubstring("rate is 1.5"));
  CHECK_THAT(with([](auto& o) { o.rate = 1e-30; }), ContainsSubstring("rate is 1e-30"));
  CHECK_THAT(with([](auto& o) { o.clip = 1e150; }), ContainsSubstring("clip is 1e+150"));
  CHECK(with([](auto& o) { o.units = (std::uint64_t{1} << 62) + 1; }) == "");
  CHECK_THAT(with([](auto& o) { o.clip = 0; }), ContainsSubstring("clip is 0"));
  CHECK_THAT(with([](auto& o) { o.clip = NAN; }), ContainsSubstring("clip is nan"));
  CHECK_THAT(with([](auto& o) { o.background_share = 1; }), ContainsSubstring("background_share is 1"));
  CHECK_THAT(with([](auto& o) { o.word_weight = -1; }), ContainsSubstring("word_weight is -1"));
  CHECK_THAT(with([](auto& o) { o.alpha = 0; }), ContainsSubstring("alpha is 0"));
  CHECK_THAT(with([](auto& o) { o.repetition = 2; }), ContainsSubstring("repetition is 2"));
  if constexpr (std::is_same_v<TestType, private_svi>) {
    CHECK_THAT(with([](auto& o) { o.document.iterations = 0; }), ContainsSubstring("document.iterations is 0"));
  } else {
    CHECK_THAT(with([](auto& o) { o.document.samples = 0; }), ContainsSubstring("document.samples is 0"));
  }
  CHECK_THAT(why(good, {.epsilon = 1, .delta = 0}), ContainsSubstring("delta = 0"));
  CHECK_THAT(why(good, {.epsilon = 0, .delta = 1e-300}), ContainsSubstring("epsilon = 0"));
  CHECK_THAT(why(good, {.epsilon = -1, .delta = 1e-5}), ContainsSubstring("epsilon is -1"));

  random_source random = seeded_random(1);
  const TestType learner(good, one);
  CHECK_THAT(refusal([&] { learner.fit(letters(10).docs, random); }), ContainsSubstring("vocabulary is 300"));
  const TestType by_user({.topics = 2, .units = 10, .words = 300, .unit = privacy_unit::user, .steps = 1}, one);
  CHECK_THAT(refusal([&] { by_user.fit(letters(10).docs, random); }), ContainsSubstring("no users"));
}

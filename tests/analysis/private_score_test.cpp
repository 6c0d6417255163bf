// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/private_score.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/analysis/detail/first_words.hpp>
#include <dplda/analysis/score_file.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/type_completion.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/random/continuous.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-6};

// Three topics of four words each.
topic_model<> three_topics() {
  return make_model({{.25, .25, .25, .25, 0, 0, 0, 0, 0, 0, 0, 0},
                     {0, 0, 0, 0, .25, .25, .25, .25, 0, 0, 0, 0},
                     {0, 0, 0, 0, 0, 0, 0, 0, .25, .25, .25, .25}},
                    {.1, .1, .1});
}

topic_model<> as_public(const topic_model<>& model) {
  return {model.phi(), public_words(model.words()), model.alpha()};
}

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// Documents of mostly one of three topics, the first of which is the most frequent.
std::vector<std::vector<word_id>> documents(std::size_t count, chacha20& bits) {
  std::vector<std::vector<word_id>> drawn(count);
  for (std::vector<word_id>& words : drawn) {
    const std::uint64_t main = uniform_below(bits, 10) < 6 ? 0 : 1 + uniform_below(bits, 2);
    for (int n = 0; n < 6; ++n) {
      const std::uint64_t topic = uniform_below(bits, 3) == 0 ? uniform_below(bits, 3) : main;
      words.push_back(static_cast<word_id>(4 * topic + uniform_below(bits, 4)));
    }
  }
  return drawn;
}

}  // namespace

TEST_CASE("Grey-box audit of a score finds nothing", "[analysis][score]") {
  grey_box_result shares_result, gains_result;
  const topic_model<> topics = three_topics();
  const Eigen::Vector3d mixture(.5, .3, .2);
  const auto corpora = adversarial_corpora(12, 5);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
      const score_options options{.units = 1 << 20, .unit = unit, .relation = relation, .threads = 1};
      const private_score engine(declare_public(topics), options, {.epsilon = 4, .delta = 1e-5});
      for (const named_corpus& each : corpora) {
        gains_result += grey_box_audit(
            each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().gains()), [&](const corpus& docs) {
              random_source frozen = seeded_random(5);
              accumulator sums(engine.plan().gains());
              detail::add_gains(detail::unit_gains(topics, mixture, divided_corpus(docs, unit), frozen, 1), sums);
              ledger spent;
              return to_integers(sums.publish(frozen, spent), engine.plan().gains().unit_size());
            });
        if (relation == neighbours::replace) continue;  // fit() asks for the stated number of units
        shares_result += grey_box_audit(
            each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().shares()), [&](const corpus& docs) {
              random_source frozen = seeded_random(5);
              const auto released = engine.fit(docs, frozen);
              const Eigen::MatrixXd& sums = released.value().shares.get().sums;
              return to_integers(std::span(sums.data(), 3), engine.plan().shares().unit_size());
            });
      }
    }
  }
  CHECK(gains_result.violations() == 0);
  CHECK(gains_result.largest_ratio > 0.5);
  CHECK(shares_result.violations() == 0);
  CHECK(shares_result.largest_ratio > 0.9);
}

TEST_CASE("Grey-box audit of first words finds nothing", "[analysis][score]") {
  grey_box_result result;
  const auto lists = ordered_words(three_topics(), 4);
  const auto corpora = adversarial_corpora(12, 5);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
      const score_plan plan(3, {.units = 1 << 20, .unit = unit, .relation = relation, .together_words = 4},
                            {.epsilon = 4, .delta = 1e-5});
      for (const named_corpus& each : corpora)
        result += grey_box_audit(each.docs, corpora.back().docs, unit, grey_box_bound_of(plan.together()),
                                 [&](const corpus& docs) {
                                   random_source frozen = seeded_random(5);
                                   accumulator sums(plan.together());
                                   detail::add_first_words(lists, divided_corpus(docs, unit), frozen, sums);
                                   ledger spent;
                                   return to_integers(sums.publish(frozen, spent), plan.together().unit_size());
                                 });
    }
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.99);  // a document of all words reaches the bound
}

// The bound fails with probability 0.001 at most if the claim holds.
TEST_CASE("Score: the audited epsilon is below the claim", "[analysis][score]") {
  const corpus with = make_corpus({{0, 1, 2, 3, 0, 1}, {4, 5, 6}, {8, 9}}, 12);
  const corpus without = make_corpus({{4, 5, 6}, {8, 9}}, 12);
  const private_score engine(declare_public(three_topics()), {.units = 3, .threads = 1}, {.epsilon = 2, .delta = 1e-3});
  // The first document adds nearly 1 to the first topic, and its gain is 1: with or without it, the logarithm of the
  // likelihood ratio is this, up to a constant.
  const auto seen = [&](const corpus& docs, random_source& random) {
    const topic_score found = engine.fit(docs, random).value();
    const double shares = found.shares.get().noise, noise = found.gain.noise;
    return found.shares.get().sums(0, 0) / (shares * shares) +
           (found.gain.sum + 0.5 * (0.5 * found.gain.squares) + 0.5 * (0.5 * found.gain.units)) / (noise * noise);
  };
  std::vector<double> seen_with, seen_without;
  random_source random = seeded_random(8);
  for (int run = 0; run < 6000; ++run) {
    seen_with.push_back(seen(with, random));
    seen_without.push_back(seen(without, random));
  }
  const double audited =
      audited_epsilon(seen_with, seen_without, {.delta = 1e-3, .confidence = 0.999, .gaussian = true});
  CAPTURE(audited, engine.guarantee().epsilon);
  CHECK(audited < engine.guarantee().epsilon);
  CHECK(audited > 0.6 * engine.guarantee().epsilon);  // the attack sees nearly all of the unit
}

TEST_CASE("Gains are bounded, and nothing to score is no gain", "[analysis][score]") {
  // Clear documents; one word, once and often; no word; a document of all words, and one of four billion tokens.
  corpus_builder builder;
  for (const word_id word : {0, 1, 2, 3}) builder.add(word);
  builder.end_document();
  builder.add(5, 4000000000u);
  builder.end_document();
  builder.end_document();
  for (word_id word = 0; word < 12; ++word) builder.add(word);
  builder.end_document();
  builder.add(4, 4000000000u);
  builder.add(8, 4000000000u);
  builder.end_document();
  const corpus docs = made_up(builder, 12);
  for (const Eigen::Vector3d& shares :
       {Eigen::Vector3d(.4, .3, .3), Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(1, 0, 0)}) {
    random_source random = seeded_random(1);
    const std::vector<double> gains =
        detail::unit_gains(three_topics(), shares, divided_corpus(docs, privacy_unit::document), random, 1);
    REQUIRE(gains.size() == 5);
    for (const double gain : gains) CHECK((gain >= -1 && gain <= 1));  // false for NaN
    CHECK(gains[1] == 0);
    CHECK(gains[2] == 0);
    CHECK((shares[0] == 1 || gains[0] == 1));
    CHECK((shares[0] == 1 || gains[4] < 0));  // a word of one topic speaks for it, and the other word is of another
  }
  // By hand: theta of a document with half of {0, 1, 2, 3} shown, against equal shares; no word is certain.
  const topic_model<> two = make_model({{.4, .3, .2, .1}, {.1, .2, .3, .4}}, {.5, .5});
  const corpus pair = make_corpus({{0, 1}}, 4);
  random_source random = seeded_random(3);
  const double gain =
      detail::unit_gains(two, Eigen::Vector2d(.5, .5), divided_corpus(pair, privacy_unit::document), random, 1)[0];
  const auto of_half = [&](Eigen::Index shown, Eigen::Index scored) {
    const Eigen::MatrixXd phi = ((1 - 0.001) * two.phi()).array() + 0.001 / 4;
    const topic_model<> smooth(phi, two.vocab(), two.alpha());
    const std::vector<word_id> word{static_cast<word_id>(shown)};
    const std::vector<std::uint32_t> once{1};
    const Eigen::VectorXd theta =
        topic_inference<>(smooth, {.estimator = theta_estimator::em})(document{word, once, 0});
    const Eigen::VectorXd p = phi.transpose() * theta, q = phi.transpose() * Eigen::Vector2d(.5, .5);
    return std::log(p[scored] / (1 - p[shown])) - std::log(q[scored] / (1 - q[shown]));
  };
  const double first = of_half(0, 1), second = of_half(1, 0);
  CHECK(std::min(std::abs(gain - first), std::abs(gain - second)) < 1e-9);
}

TEST_CASE("A score tells true topics from useless and shuffled ones", "[analysis][score]") {
  const auto data = synthetic_lda({.documents = 1500, .words = 300, .topics = 5, .mean_length = 60}, seeded_random(2));
  const topic_model<> truth = as_public(data.model);
  const topic_model<> useless(truth.phi().colwise().mean().replicate(5, 1), truth.vocab(), truth.alpha());
  random_source random = seeded_random(3);
  const topic_model<> shuffled = shuffled_topics(truth, random);
  const score_options options{.units = 1500};
  const auto score = [&](const topic_model<>& topics) {
    return private_score(declare_public(topics), options, one).fit(data.docs, random).value();
  };
  const topic_score good = score(truth), bad = score(useless), control = score(shuffled);
  const score_plan plan(5, options, one);
  const double deviation = plan.half_width(1500) / 1.9599639845400542;
  CAPTURE(good.gain.mean(), bad.gain.mean(), control.gain.mean(), deviation);
  CHECK(good.gain.interval().low > 0.1);
  CHECK(std::abs(bad.gain.mean()) < 5 * deviation);  // topics that are all alike gain exactly 0: false alarm 6e-7
  CHECK(control.gain.noise_interval().high < 0.5 * good.gain.noise_interval().low);
  CHECK(std::abs(good.gain.units - 1500) < 5 * good.gain.units_noise);
}

TEST_CASE("First words are together in true topics, and by chance in shuffled ones", "[analysis][score]") {
  const auto data = synthetic_lda({.documents = 4000, .words = 400, .topics = 8, .zipf_exponent = 0, .mean_length = 15},
                                  seeded_random(2));
  const topic_model<> truth = as_public(data.model);
  random_source random = seeded_random(3);
  const topic_model<> shuffled = shuffled_topics(truth, random);
  const score_options options{.units = 4000, .together_words = 10};
  const auto score = [&](const topic_model<>& topics) {
    return private_score(declare_public(topics), options, one).fit(data.docs, random).value().together;
  };
  const std::vector<co_occurrence> good = score(truth), control = score(shuffled);
  REQUIRE(good.size() == 8);
  double least = 100, most = 0, all = 0, all_of_control = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    CHECK(good[k].tells());
    CHECK(good[k].listed == 10);
    CHECK(good[k].noise_interval().low <= good[k].lift());
    CHECK(good[k].lift() <= good[k].noise_interval().high);
    least = std::min(least, good[k].lift());
    most = std::max(most, control[k].lift());
    all += good[k].lift();
    all_of_control += control[k].lift();
  }
  CAPTURE(least, most, all, all_of_control);
  CHECK(least > most);
  CHECK(all > 1.5 * all_of_control);
}

TEST_CASE("The lift of first words, by hand", "[analysis][score]") {
  // Of four words, documents have 2, 1, 0 and 4: seven words, and 2 + 0 + 0 + 12 ordered pairs, in four documents.
  const co_occurrence found{.listed = 4, .words = 7, .pairs = 14, .units = 4};
  CHECK(found.tells());
  CHECK(found.lift() == Approx(4 * 14 / 49.0 * 4 / 3));
  CHECK(found.noise_interval() == ratio_interval{found.lift(), found.lift()});
  CHECK_FALSE(co_occurrence{.listed = 3, .words = 6, .words_noise = 3, .pairs = 8, .units = 4}.tells());
  CHECK_FALSE(co_occurrence{.listed = 1, .words = 6, .pairs = 8, .units = 4}.tells());
  const co_occurrence noisy{.listed = 3, .words = 6, .pairs = -8, .pairs_noise = 1, .units = 4};
  CHECK(noisy.lift() == 0);
  CHECK(noisy.noise_interval().low == 0);
  CHECK(co_occurrence{}.noise_interval().contains(1e300));

  // The same of the first topic's words. The last document has all words of all topics, which is the most that counts.
  const corpus docs = make_corpus({{0, 1, 5}, {2, 2, 2}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, 12);
  const score_options options{.units = 4, .relation = neighbours::replace, .together_words = 4, .threads = 1};
  const private_score engine(declare_public(three_topics()), options, {.epsilon = 9e5, .delta = 1e-3});
  random_source random = seeded_random(4);
  const co_occurrence first = engine.fit(docs, random).value().together.front();
  CHECK(first.words == Approx(7).margin(8 * first.words_noise));
  CHECK(first.pairs == Approx(14).margin(8 * first.pairs_noise));
  CHECK(first.units == 4);
  CHECK(first.listed == 4);
  CHECK(8 * first.pairs_noise < 0.9);
  // Of more than four words, four count.
  const topic_model<> wide = make_model({{.2, .2, .2, .2, .2, 0}, {0, 0, 0, 0, 0, 1}}, {.1, .1});
  const score_options two_units{.units = 2, .relation = neighbours::replace, .together_words = 10, .threads = 1};
  const private_score of_wide(declare_public(wide), two_units, {.epsilon = 9e5, .delta = 1e-3});
  const auto most = of_wide.fit(make_corpus({{0, 1, 2, 3, 4}, {0}}, 6), random).value().together;
  CHECK(most[0].words == Approx(5).margin(8 * most[0].words_noise));
  CHECK(most[0].pairs == Approx(12).margin(8 * most[0].pairs_noise));
  CHECK(most[0].listed == 5);
  CHECK_FALSE(most[1].tells());  // one word has no pairs
  CHECK_THROWS_WITH(score_plan(3, {.units = 4, .together_words = 1}, one), ContainsSubstring("together_words"));
  CHECK_THROWS_WITH(score_plan(3, {.units = 4, .together_words = 5, .together_part = 0.9}, one),
                    ContainsSubstring("together_part"));
}

// 500 intervals that hold with probability 0.95 each or more; the test fails with probability suite_level at most.
TEST_CASE("Intervals of a lift cover", "[analysis][score]") {
  random_source random = seeded_random(6);
  auto bits = random.stream("noise");
  int covered = 0;
  constexpr int runs = 500;
  const co_occurrence exact{.listed = 10, .words = 900, .pairs = 300, .units = 1000};
  for (int run = 0; run < runs; ++run) {
    co_occurrence noisy = exact;
    noisy.words_noise = 60;
    noisy.pairs_noise = 90;
    noisy.units_noise = 40;
    noisy.words += 60 * normal(bits);
    noisy.pairs += 90 * normal(bits);
    noisy.units += 40 * normal(bits);
    covered += noisy.noise_interval().contains(exact.lift()) ? 1 : 0;
  }
  CAPTURE(covered);
  CHECK(covered >= 450);  // 475 expected at least, with a standard deviation of 4.9
}

TEST_CASE("A score knows other documents by the released shares alone", "[analysis][score]") {
  chacha20 bits = seeded_random(12).stream("documents");
  const corpus docs = make_corpus(documents(50, bits), 12);
  const private_score engine(declare_public(three_topics()), {.units = 50, .threads = 1},
                             {.epsilon = 8, .delta = 1e-6});
  random_source random = seeded_random(13), same = seeded_random(13);
  const topic_score found = engine.fit(docs, random).value();
  // Each release draws from a fork, and so do the halves of documents.
  (void)same.fork();
  accumulator sums(engine.plan().gains());
  detail::add_gains(
      detail::unit_gains(three_topics(), found.shares.overall(), divided_corpus(docs, privacy_unit::document), same, 1),
      sums);
  ledger spent;
  const std::vector<double> again = sums.publish(same, spent);
  CHECK(again == std::vector<double>{found.gain.sum, 0.5 * found.gain.squares, 0.5 * found.gain.units});
}

// 200 runs of 400 documents. Each coverage has a standard deviation of 0.0154: a false alarm beyond 4 of them (0.888,
// and at the other end no run of 200 missing, which has probability 4e-5) has probability 1e-4. Intervals of half the
// width would cover 67 %.
TEST_CASE("Intervals of a score cover and are as wide as planned", "[analysis][score]") {
  const topic_model<> topics = three_topics();
  chacha20 bits = seeded_random(10).stream("population");
  // The mean of the population, by 40000 documents: its error is a twentieth of half an interval.
  const corpus many = make_corpus(documents(40000, bits), 12);
  const Eigen::VectorXd shares = topic_inference<>(topics)(many).colwise().mean();
  random_source halves = seeded_random(11);
  const double truth =
      mean_of(detail::unit_gains(topics, shares, divided_corpus(many, privacy_unit::document), halves, 0));
  const private_score engine(declare_public(topics), {.units = 400, .threads = 1}, one);
  std::size_t noise_covered = 0, covered = 0;
  double width = 0, planned = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const corpus docs = make_corpus(documents(400, bits), 12);
    random_source random = seeded_random(100 + run), same = seeded_random(100 + run);
    const topic_score found = engine.fit(docs, random).value();
    // The gains of the same halves, without noise: the first fork draws the noise on the shares.
    (void)same.fork();
    const double here = mean_of(
        detail::unit_gains(topics, found.shares.overall(), divided_corpus(docs, privacy_unit::document), same, 1));
    noise_covered += found.gain.noise_interval().contains(here) ? 1 : 0;
    covered += found.gain.interval().contains(truth) ? 1 : 0;
    width += found.gain.noise_interval().width();
    planned += 2 * engine.plan().half_width(400, here);
  }
  CAPTURE(truth, noise_covered, covered, width / 400, planned / 400);
  CHECK(noise_covered >= 178);
  CHECK(noise_covered < 200);
  CHECK(covered >= 178);
  CHECK(covered < 200);
  CHECK(width / planned == Approx(1).margin(0.05));
}

TEST_CASE("A score spends what it plans, and its guarantee covers the topics", "[analysis][score]") {
  const corpus docs = synthetic_lda({.documents = 200, .words = 30, .topics = 3}, seeded_random(1)).docs;
  const private_svi learner({.topics = 3, .units = 200, .words = 30, .steps = 2}, one);
  random_source random = seeded_random(2);
  const release<topic_model<>> topics = learner.fit(docs, random);
  const private_score engine(topics, {.units = 200}, {.epsilon = 0.5, .delta = 1e-7});
  CHECK(engine.own().epsilon <= 0.5);
  CHECK(engine.own().epsilon > 0.499);
  CHECK(engine.guarantee().epsilon > learner.guarantee().epsilon);
  CHECK(engine.guarantee().epsilon < learner.guarantee().epsilon + 0.5);
  CHECK(engine.guarantee().delta == 1e-6 + 1e-7);
  CHECK(engine.guarantee().assumes_fixed_plans);
  const auto released = engine.fit(docs, random);
  ledger expected = topics.ledger();
  expected.append(engine.plan().ledger());
  CHECK(std::ranges::equal(released.ledger().entries(), expected.entries()));
  CHECK(price(expected, 1e-6 + 1e-7).epsilon <= released.guarantee().epsilon);
  CHECK(released.guarantee().seeded);
  CHECK(engine.plan().ledger().entries().size() == 2);
  // The file says all of it.
  const json_value file = score_json(released, {.own = engine.own(), .booked = "entry"});
  CHECK(file.at("releasable") == json_value(false));
  CHECK(file.at("gain").as<double>() == released.value().gain.mean());
  CHECK(file.at("shares").as<json_value::array>().size() == 3);
  CHECK(file.at("booked") == json_value("entry"));
  CHECK(file.at("ledger") != file.at("own_guarantee"));
}

TEST_CASE("Under `replace` the number of units is public, and costs nothing", "[analysis][score]") {
  const corpus docs = synthetic_lda({.documents = 200, .words = 12, .topics = 3}, seeded_random(3)).docs;
  score_options options{.units = 200, .relation = neighbours::replace};
  const private_score engine(declare_public(three_topics()), options, one);
  CHECK(engine.plan().gains().cells() == 2);
  random_source random = seeded_random(4);
  const topic_score found = engine.fit(docs, random).value();
  CHECK(found.gain.units == 200);
  CHECK(found.gain.units_noise == 0);
  CHECK(engine.plan().half_width(200, 0.9) == engine.plan().half_width(200));
  options.units = 201;
  const private_score other(declare_public(three_topics()), options, one);
  CHECK_THAT(refusal([&] { other.fit(docs, random); }), ContainsSubstring("number of units"));
}

TEST_CASE("Threads do not change a score", "[analysis][score]") {
  const corpus docs = synthetic_lda({.documents = 150, .words = 12, .topics = 3}, seeded_random(3)).docs;
  std::vector<double> sums;
  for (const std::size_t threads : {1u, 3u}) {
    random_source random = seeded_random(4);
    const private_score engine(declare_public(three_topics()), {.units = 150, .threads = threads}, one);
    const topic_score found = engine.fit(docs, random).value();
    sums.insert(sums.end(), {found.gain.sum, found.gain.squares, found.shares.get().sums(0, 1)});
  }
  CHECK(std::equal(sums.begin(), sums.begin() + 3, sums.begin() + 3));
}

TEST_CASE("A score refuses what it cannot measure or answer for", "[analysis][score]") {
  const auto plan = [&](auto change) {
    score_options options{.units = 10};
    change(options);
    return refusal([&] { score_plan(3, options, one); });
  };
  CHECK(plan([](auto&) {}).empty());
  CHECK_THAT(plan([](auto& o) { o.units = 0; }), ContainsSubstring("units"));
  CHECK_THAT(plan([](auto& o) { o.unit = privacy_unit::token; }), ContainsSubstring("document or user"));
  CHECK_THAT(plan([](auto& o) { o.shares_part = 1; }), ContainsSubstring("[0.01, 0.99]"));
  CHECK_THAT(refusal([&] { score_plan(3, {.units = 10}, one).half_width(10, 2); }), ContainsSubstring("[-1, 1]"));
  CHECK(score_plan(3, {.units = 10}, one).half_width(5) == 1);
  // Topics that nothing pays for: over words of documents, or as a paper publishes them.
  const topic_model<> unpaid(Eigen::MatrixXd::Constant(1, 2, 0.5),
                             std::make_shared<const vocabulary>(std::vector<std::string>{"a", "b"}));
  CHECK_THAT(refusal([&] { private_score(declare_public(unpaid), {.units = 10}, one); }),
             ContainsSubstring("taken from documents"));
  ledger spent;
  spent.record({gaussian_noise{1}, all_units{}, privacy_unit::document, neighbours::add_remove, "x"});
  guarantee published = price(spent, 1e-6);
  const release<topic_model<>> by_document(three_topics(), published, spent);
  CHECK_FALSE(refusal([&] { private_score(by_document, {.units = 10, .unit = privacy_unit::user}, one); }).empty());
  published.basis = basis::as_published;
  published.caveat = "a paper says so";
  const release<topic_model<>> unproven(three_topics(), published, spent);
  CHECK_THAT(refusal([&] { private_score(unproven, {.units = 10}, one); }), ContainsSubstring("not proven"));
}

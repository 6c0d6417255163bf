// SPDX-License-Identifier: Apache-2.0
#include <dplda/output_perturbation/mvg_noise.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A sensitivity as if it had been sampled.
sampled_sensitivity sampled(double value, std::size_t topics, std::size_t words, std::size_t units, bool public_law) {
  sampled_sensitivity s;
  s.value = value;
  s.gamma = 0.1;
  s.pairs = s.rank = 9;
  s.topics = topics;
  s.words = words;
  s.units = units;
  s.public_law = public_law;
  s.seed = 77;
  return s;
}

// Two topics of four words.
const topic_model<>& two_topics() {
  static const topic_model<> model = make_model({{0.7, 0.1, 0.1, 0.1}, {0.05, 0.05, 0.1, 0.8}}, {0.5, 0.5});
  return model;
}
topic_model<> learn_two(const corpus&, random_source&) { return two_topics(); }

corpus three_users() { return make_corpus({{0, 1}, {3}, {3, 2}, {1}}, 4, {0, 0, 1, 2}, 3); }

std::string text_of(const guarantee& g) {
  std::ostringstream out;
  out << g;
  return out.str();
}

}  // namespace

TEST_CASE("topic_dp: noise by the bound that holds for any learner") {
  const budget total{.epsilon = 1, .delta = 1e-4};
  const topic_dp gaussian({.topics = 10, .words = 50}, total);
  CHECK(gaussian.plan().sensitivity == Catch::Approx(std::sqrt(20.0)).epsilon(1e-12));
  CHECK(gaussian.plan().noise == Catch::Approx(gaussian_multiplier(1, 1e-4) * std::sqrt(20.0)).epsilon(1e-6));
  CHECK(gaussian.guarantee().basis == basis::proven);
  CHECK_FALSE(gaussian.guarantee().gamma);
  CHECK(gaussian.guarantee().epsilon <= 1);
  CHECK(gaussian.guarantee().epsilon > 0.999999);
  CHECK(gaussian.guarantee().delta == 1e-4);
  CHECK(gaussian.guarantee().unit == privacy_unit::user);

  const topic_dp laplace({.topics = 10, .words = 50, .noise = output_noise::laplace}, {.epsilon = 2, .delta = 0});
  CHECK(laplace.plan().sensitivity == 20);
  CHECK(laplace.plan().noise == Catch::Approx(10).epsilon(1e-6));
  CHECK(laplace.guarantee().epsilon <= 2);
  CHECK(laplace.guarantee().delta == 0);
  CHECK(laplace.guarantee().basis == basis::proven);

  // A formula with more noise than needed is priced by its noise.
  const topic_dp renyi({.topics = 10, .words = 50, .noise = output_noise::renyi}, {.epsilon = 3, .delta = 1e-4});
  CHECK(renyi.guarantee().epsilon == Catch::Approx(0.16).margin(0.005));
  const topic_dp mvg({.topics = 10, .words = 50, .noise = output_noise::mvg}, {.epsilon = 3, .delta = 1e-4});
  CHECK(mvg.plan().noise > 100 * renyi.plan().noise);
  CHECK(mvg.guarantee().epsilon < 0.16);

  // A smaller norm, or parts, need less noise.
  topic_dp_options options{.topics = 2, .words = 4, .norm = 0.5, .parts = 4, .reference = declare_public(two_topics())};
  const topic_dp parts(options, total);
  CHECK(parts.plan().sensitivity == Catch::Approx(std::sqrt(0.5) / 4).epsilon(1e-12));
  CHECK(parts.plan().noise == Catch::Approx(3.19 * std::sqrt(0.5) / 4).epsilon(0.002));
  for (const neighbours relation : {neighbours::replace, neighbours::add_remove}) {
    options.relation = relation;
    CHECK(topic_dp(options, total).plan().noise == parts.plan().noise);
    CHECK(topic_dp(options, total).guarantee().relation == relation);
  }
}

TEST_CASE("topic_dp: noise by a sampled sensitivity, as published and as recommended") {
  struct row {
    double epsilon, published, analytic;
  };
  for (const row& r : {row{1, 53.9, 3.19}, row{3, 16.2, 1.22}, row{5, 5.87, 0.80}, row{10, 0.68, 0.455}}) {
    CAPTURE(r.epsilon);
    const budget total{r.epsilon, 1e-4};
    topic_dp_options options{.topics = 10, .words = 50, .sensitivity = sampled(0.04, 10, 50, 100, true)};
    CHECK(topic_dp(options, total).plan().noise == Catch::Approx(0.04 * r.analytic).epsilon(0.01));
    CHECK(topic_dp(options, total).plan().noise >= 0.04 * gaussian_multiplier(r.epsilon, 1e-4));
    options.noise = output_noise::renyi;
    CHECK(topic_dp(options, total).plan().noise == Catch::Approx(0.04 * r.published).epsilon(0.005));
  }
}

TEST_CASE("topic_dp: guarantee and ledger with a sampled sensitivity") {
  const budget total{.epsilon = 1, .delta = 1e-4};
  const topic_dp known({.topics = 2, .words = 4, .sensitivity = sampled(0.04, 2, 4, 3, true)}, total);
  const topic_dp unknown({.topics = 2, .words = 4, .sensitivity = sampled(0.04, 2, 4, 3, false)}, total);
  for (const topic_dp* plan : {&known, &unknown}) {
    const guarantee& g = plan->guarantee();
    CHECK(g.basis == basis::as_published);
    CHECK(g.gamma == 0.1);
    CHECK(g.epsilon == 1);
    CHECK(g.relation == neighbours::replace);
    const std::string text = text_of(g);
    CHECK(text.find("claimed, not proven") != std::string::npos);
    CHECK(text.find("not a share of unprotected users") != std::string::npos);
  }
  CHECK(text_of(known.guarantee()).find("public corpus") != std::string::npos);
  CHECK(text_of(unknown.guarantee()).find("sampled from the private data") != std::string::npos);
  // The only certain guarantee is that of the noise for any two matrices, 2 apart, or none.
  const double certain = price(known.plan().ledger, 1e-4).epsilon;
  CHECK(certain == Catch::Approx(gaussian_epsilon(known.plan().noise / 2, 1e-4)).epsilon(1e-6));
  CHECK(certain > 100);
  CHECK(price(unknown.plan().ledger, 1e-4).epsilon == infinity);

  random_source random = seeded_random(1);
  for (const topic_dp* plan : {&known, &unknown}) {
    const auto released = plan->fit(learn_two, three_users(), random);
    CHECK(std::ranges::equal(released.ledger().entries(), plan->plan().ledger.entries()));
    CHECK(released.guarantee().seeded);
    CHECK(released.guarantee().gamma == 0.1);
  }
}

TEST_CASE("topic_dp: a release is the learner's matrix with the planned noise, repaired to distributions") {
  const corpus docs = three_users();
  const topic_dp plan({.topics = 2, .words = 4}, {.epsilon = 50, .delta = 1e-3});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    random_source random = seeded_random(seed);
    const auto released = plan.fit(learn_two, docs, random);
    random_source again = seeded_random(seed);
    (void)again.fork();
    bounded_output output(plan.plan().output);
    output.add({two_topics().phi().data(), 8});
    ledger spent;
    const std::vector<double> noisy = output.publish(again, spent);
    const topic_model<>::matrix expected = Eigen::Map<const topic_model<>::matrix>(noisy.data(), 2, 4);
    CHECK(released.value().phi() == repaired_rows(expected));
    CHECK(released.value().alpha().size() == 0);  // the learner's prior is private
    CHECK(released.ledger() == spent);
    CHECK(plan.plan().noise == output.noise());
  }
}

TEST_CASE("topic_dp: neighbours can be told apart as far as the guarantee says, and no further") {
  // One topic of two words, all on one of them: as far apart as topics can be. The noisy difference of the two entries
  // decides best; with this budget the best threshold is where probabilities are not cut to 0 or 1.
  const budget total{.epsilon = 1, .delta = 0.35};
  const topic_dp plan({.topics = 1, .words = 2, .unit = privacy_unit::document}, total);
  const double sigma = plan.plan().noise, threshold = total.epsilon * sigma * sigma;
  REQUIRE(threshold < 1);
  const corpus docs = make_corpus({{0}}, 2);
  random_source random = seeded_random(2);
  const std::uint64_t draws = 20'000;
  double shares[2];
  for (const int side : {0, 1}) {
    const topic_model<> topic = make_model({{side == 0 ? 1.0 : 0.0, side == 0 ? 0.0 : 1.0}});
    const auto learner = [&](const corpus&, random_source&) { return topic; };
    std::uint64_t above = 0;
    for (std::uint64_t i = 0; i < draws; ++i)
      above += plan.fit(learner, docs, random).value().phi()(0, 0) > (1 + threshold) / 2;
    shares[side] = static_cast<double>(above) / static_cast<double>(draws);
  }
  const auto delta_of = [](double z) { return gaussian_delta(z, 1); };
  const double delta = shares[0] - std::exp(total.epsilon) * shares[1];
  const double error = std::sqrt((shares[0] * (1 - shares[0]) + std::exp(2.0) * shares[1] * (1 - shares[1])) /
                                 static_cast<double>(draws));
  const double multiplier = sigma / std::sqrt(2.0);
  CHECK(normal_p_value((delta - 0.35) / error) > suite_level);
  CHECK(delta_of(multiplier) == Catch::Approx(0.35).epsilon(1e-6));
  // The test would detect noise that is wrong by a fifth.
  CHECK(normal_p_value((delta - delta_of(multiplier / 1.2)) / error) < suite_level);
  CHECK(normal_p_value((delta - delta_of(multiplier * 1.2)) / error) < suite_level);
}

TEST_CASE("topic_dp: rows come in random order, unless there is a reference") {
  sampled_sensitivity s = sampled(1e-5, 2, 4, 3, true);
  const budget total{.epsilon = 10, .delta = 1e-4};
  const topic_dp free({.topics = 2, .words = 4, .sensitivity = s}, total);
  s.reference = declare_public(make_model({{0.1, 0.1, 0.1, 0.7}, {0.7, 0.1, 0.1, 0.1}}));
  const topic_dp matched({.topics = 2, .words = 4, .sensitivity = s}, total);
  const corpus docs = three_users();
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    random_source random = seeded_random(seed);
    const auto one = free.fit(learn_two, docs, random).value();
    const bool same = (one.phi() - two_topics().phi()).norm() < 1e-3;
    CHECK(dplda::detail::topics_apart(one, two_topics(), true) < 1e-3);
    kept += same;
    CHECK(matched.fit(learn_two, docs, random).value().phi()(0, 3) > 0.7);
  }
  CHECK(kept > 12);
  CHECK(kept < 52);
}

TEST_CASE("topic_dp: with a sampled sensitivity the learner gets its seed, otherwise a fresh one") {
  std::vector<std::uint64_t> drawn;
  const auto learner = [&](const corpus&, random_source& random) {
    drawn.push_back(random.stream("x")());
    return two_topics();
  };
  const corpus docs = three_users();
  random_source random = seeded_random(3);
  const topic_dp fixed({.topics = 2, .words = 4, .sensitivity = sampled(0.1, 2, 4, 3, true)}, {1, 1e-4});
  fixed.fit(learner, docs, random);
  fixed.fit(learner, docs, random);
  CHECK(drawn[0] == drawn[1]);
  CHECK(drawn[0] == seeded_random(77).stream("x")());
  const topic_dp fresh({.topics = 2, .words = 4}, {1, 1e-4});
  fresh.fit(learner, docs, random);
  fresh.fit(learner, docs, random);
  CHECK(drawn[2] != drawn[3]);
}

TEST_CASE("topic_dp: each user is in one part, and an added user changes that part alone") {
  // The added user is the last of 41 (parts once revealed the total number of users) or one between others, whose parts
  // must not depend on their positions.
  const auto users = [](user_id count) {
    std::vector<std::vector<word_id>> tokens;
    std::vector<user_id> owners;
    for (user_id u = 0; u < count; ++u) {
      for (word_id n = 0; n < 3; ++n) {
        tokens.push_back({u % 4, n});
        owners.push_back(u);
      }
    }
    return make_corpus(tokens, 4, owners, count);
  };
  const topic_dp plan({.topics = 2,
                       .words = 4,
                       .relation = neighbours::add_remove,
                       .parts = 8,
                       .reference = declare_public(two_topics()),
                       .threads = 1},
                      {.epsilon = 1e5, .delta = 1e-3});
  // All that a learner can see of a part: its documents, their users, the number of users, ids.
  using part_view = std::vector<std::uint64_t>;
  const auto parts_of = [&](const corpus& all) {
    std::multiset<part_view> parts;
    const auto learner = [&](const corpus& part, random_source&) {
      part_view seen{part.users()};
      for (std::size_t d = 0; d < part.size(); ++d) {
        seen.insert(seen.end(), {part.user(d), part[d].id, part[d].words.size()});
        seen.insert(seen.end(), part[d].words.begin(), part[d].words.end());
      }
      parts.insert(seen);
      // In an order specific to the part, which the reference undoes.
      return part.size() % 2 == 0 ? two_topics() : select_topics(two_topics(), std::vector<std::size_t>{1, 0});
    };
    random_source random = seeded_random(4);
    const auto released = plan.fit(learner, all, random);
    CHECK((released.value().phi() - two_topics().phi()).norm() < 0.2);
    return parts;
  };
  const corpus everybody = users(41);
  const auto all = parts_of(everybody);
  std::uint64_t count = 0;
  for (const auto& part : all) count += part[0];
  CHECK(count == 41);
  CHECK(all.size() <= 8);
  CHECK(all.size() >= 6);
  for (const user_id comes : {user_id{40}, user_id{17}, user_id{0}}) {
    std::vector<std::size_t> others;
    for (std::size_t d = 0; d < everybody.size(); ++d) {
      if (everybody.user(d) != comes) others.push_back(d);
    }
    const auto rest = parts_of(comes == 40 ? users(40) : everybody.select(others));
    std::vector<part_view> gone, come;
    std::ranges::set_difference(rest, all, std::back_inserter(gone));
    std::ranges::set_difference(all, rest, std::back_inserter(come));
    CAPTURE(comes);
    REQUIRE(gone.size() == 1);
    REQUIRE(come.size() == 1);
    CHECK(come[0][0] == gone[0][0] + 1);
  }
}

TEST_CASE("topic_dp: threads change no bit, and an empty corpus works") {
  std::vector<topic_model<>::matrix> results;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    const topic_dp plan(
        {.topics = 2, .words = 4, .parts = 3, .reference = declare_public(two_topics()), .threads = threads},
        {.epsilon = 10, .delta = 1e-3});
    random_source random = seeded_random(5);
    results.push_back(plan.fit(learn_two, three_users(), random).value().phi());
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  random_source random = seeded_random(6);
  const topic_dp plan({.topics = 2, .words = 4, .relation = neighbours::add_remove}, {.epsilon = 1, .delta = 1e-3});
  CHECK(plan.fit(learn_two, make_corpus({}, 4), random).value().topics() == 2);
}

TEST_CASE("topic_dp: a learner is an object that fits, or a function") {
  struct object {
    topic_model<> fit(const corpus& docs, random_source& random) const { return learn_two(docs, random); }
  };
  const topic_dp plan({.topics = 2, .words = 4}, {.epsilon = 100, .delta = 1e-3});
  random_source random = seeded_random(8), again = seeded_random(8);
  CHECK(plan.fit(object{}, three_users(), random).value().phi() ==
        plan.fit(learn_two, three_users(), again).value().phi());
  static_assert(!TopicLearner<int>);
}

TEST_CASE("topic_dp: the condition of the matrix-variate Gaussian mechanism") {
  // By hand for 10 x 10, norm sqrt(10), sensitivity 0.0175, epsilon 3, delta 1e-4.
  CHECK(published::mvg_noise(10, 10, std::sqrt(10.0), 0.0175, {3, 1e-4}) == Catch::Approx(34.4637153325).epsilon(1e-9));
  CHECK(published::mvg_noise(10, 10, std::sqrt(10.0), 0.0175, {6, 1e-4}) < 34);
  CHECK_THROWS_AS(published::mvg_noise(0, 10, 1, 1, {1, 1e-4}), std::invalid_argument);
  CHECK_THROWS_AS(published::mvg_noise(10, 10, 0, 1, {1, 1e-4}), std::invalid_argument);
  CHECK_THROWS_AS(published::mvg_noise(10, 10, 1, 0, {1, 1e-4}), std::invalid_argument);
  CHECK_THROWS_AS(published::mvg_noise(10, 10, 1, 1, {0, 1e-4}), std::invalid_argument);
  CHECK_THROWS_AS(published::mvg_noise(10, 10, 1, 1, {1, 0}), std::invalid_argument);
}

TEST_CASE("topic_dp refuses invalid options and corpora") {
  const auto refused = [](auto change, budget total = {1, 1e-4}, bool with_sensitivity = false) {
    topic_dp_options options{.topics = 2, .words = 4};
    if (with_sensitivity) options.sensitivity = sampled(0.1, 2, 4, 3, true);
    change(options);
    return !refusal([&] { topic_dp(options, total); }).empty();
  };
  const auto nothing = [](topic_dp_options&) {};
  const double nan = std::nan("");
  CHECK_FALSE(refused(nothing));
  CHECK_FALSE(refused(nothing, {1, 1e-4}, true));
  for (const budget& total : {budget{0, 1e-4}, {-1, 1e-4}, {nan, 1e-4}, {infinity, 1e-4}, {1, 0}, {1, 1}, {1, nan}})
    CHECK(refused(nothing, total));
  CHECK(refused([](auto& o) { o.topics = 0; }));
  CHECK(refused([](auto& o) { o.words = 0; }));
  CHECK(refused([](auto& o) { o.unit = privacy_unit::token; }));
  CHECK(refused([](auto& o) { o.norm = -1; }));
  CHECK(refused([](auto& o) { o.norm = 3; }));
  CHECK(refused([nan](auto& o) { o.norm = nan; }));
  CHECK(refused([](auto& o) { o.parts = 0; }));
  CHECK(refused([](auto& o) { o.parts = 2; }));
  CHECK(refused([](auto& o) { o.reference = declare_public(make_model({{0.5, 0.5}})); }));
  const auto sampled_refused = [&](auto change) { return refused(change, {1, 1e-4}, true); };
  CHECK(sampled_refused([](auto& o) { o.topics = 3; }));
  CHECK(sampled_refused([](auto& o) { o.words = 3; }));
  CHECK(sampled_refused([](auto& o) { o.unit = privacy_unit::document; }));
  CHECK(sampled_refused([](auto& o) { o.relation = neighbours::add_remove; }));
  CHECK(sampled_refused([](auto& o) { o.noise = output_noise::laplace; }));
  CHECK(sampled_refused([](auto& o) { o.norm = 1; }));
  CHECK(sampled_refused([](auto& o) { o.reference = declare_public(two_topics()); }));
  CHECK(sampled_refused([](auto& o) { o.parts = 2, o.reference = declare_public(two_topics()); }));
  CHECK(sampled_refused([](auto& o) { o.sensitivity->value = 0; }));
  CHECK(sampled_refused([nan](auto& o) { o.sensitivity->value = nan; }));
  CHECK(sampled_refused([](auto& o) { o.sensitivity->gamma = 0; }));

  random_source random = seeded_random(7);
  const topic_dp bound({.topics = 2, .words = 4}, {1, 1e-4});
  const topic_dp trial({.topics = 2, .words = 4, .sensitivity = sampled(0.1, 2, 4, 4, true)}, {1, 1e-4});
  CHECK_THROWS_AS(bound.fit(learn_two, make_corpus({{0}}, 5, {0}, 1), random), std::invalid_argument);
  CHECK_THROWS_AS(bound.fit(learn_two, make_corpus({{0}}, 4), random), std::invalid_argument);  // no users
  CHECK_THROWS_AS(trial.fit(learn_two, three_users(), random), std::invalid_argument);          // not 4 users
  const auto one_topic = [](const corpus&, random_source&) { return make_model({{0.25, 0.25, 0.25, 0.25}}); };
  CHECK_THROWS_AS(bound.fit(one_topic, three_users(), random), std::invalid_argument);
}

TEST_CASE("topic_dp: a reference that is a release of the same data is paid for") {
  const budget total{.epsilon = 4, .delta = 1e-5};
  topic_dp_options first{.topics = 2, .words = 4, .unit = privacy_unit::document};
  const corpus docs = make_corpus({{0, 1}, {2, 3}, {0, 0, 1}, {2, 3, 3}}, 4);
  auto random = seeded_random(1);
  const release<topic_model<>> earlier = topic_dp(first, {.epsilon = 2, .delta = 1e-5}).fit(learn_two, docs, random);
  topic_dp_options second = first;
  second.parts = 2;
  second.reference = earlier;
  const auto refused = [&] { topic_dp(second, total); };
  CHECK_THAT(refusal(refused), Catch::Matchers::ContainsSubstring("options.before is without the ledger"));
  second.before = earlier.ledger();
  const topic_dp paid(second, total);
  CHECK(paid.plan().ledger.contains(earlier.ledger()));
  CHECK(paid.guarantee().epsilon <= 4);
  CHECK(paid.guarantee().epsilon > 3.99);
  // With public topics the whole budget goes to the noise.
  second.reference = declare_public(two_topics());
  second.before = {};
  CHECK(topic_dp(second, total).plan().noise < 0.95 * paid.plan().noise);
  second.reference = earlier;
  second.before = earlier.ledger();
  const auto released = topic_dp(second, total).fit(learn_two, docs, random);
  CHECK(std::ranges::equal(released.ledger().entries(), paid.plan().ledger.entries()));
}

TEST_CASE("topic_dp: topics of the same data are not a reference until somebody declares them public or pays") {
  // A model that was learned from the documents themselves once decided the order of the rows, at no cost.
  using reference = decltype(topic_dp_options::reference);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<reference, topic_model<>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<decltype(sensitivity_options::reference), topic_model<>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<decltype(sampled_sensitivity::reference), topic_model<>>);
  STATIC_REQUIRE(std::is_constructible_v<reference, public_topics>);
  STATIC_REQUIRE(std::is_constructible_v<reference, release<topic_model<>>>);
  const topic_model<> topics = two_topics();
  const topic_model<> over_released(topics.phi(), dplda::detail::with_origin(*topics.vocab(), word_origin::released));
  CHECK_THAT(refusal([&] { declare_public(over_released); }), Catch::Matchers::ContainsSubstring("options.before"));
}

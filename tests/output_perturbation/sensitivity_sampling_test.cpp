// SPDX-License-Identifier: Apache-2.0
#include <dplda/output_perturbation/sensitivity_sampling.hpp>
#include <dplda/random/continuous.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

// One topic: the words' frequencies, with equal weight for each document.
topic_model<> mean_document(const corpus& docs, random_source&) {
  topic_model<>::matrix phi = topic_model<>::matrix::Zero(1, static_cast<Eigen::Index>(docs.words()));
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const double length = static_cast<double>(docs[d].length());
    for (std::size_t n = 0; n < docs[d].size(); ++n) phi(0, docs[d].words[n]) += docs[d].counts[n] / length;
  }
  return topic_model<>(phi / phi.sum(), docs.vocab());
}

// Documents of 256 tokens over two words; document i has 2 i + 1 tokens of the first word.
corpus mixed_documents(std::size_t count) {
  corpus_builder builder;
  for (std::uint32_t i = 0; i < count; ++i) {
    builder.add(0, 2 * i + 1);
    builder.add(1, 256 - (2 * i + 1));
    builder.end_document();
  }
  return made_up(builder, 2);
}

topic_model<> random_topics(std::size_t topics, std::size_t words, chacha20& bits) {
  topic_model<>::matrix phi(static_cast<Eigen::Index>(topics), static_cast<Eigen::Index>(words));
  for (double& p : phi.reshaped()) p = std::exp(log_gamma_variate(bits, 0.5));
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  return topic_model<>(phi, numbered_vocabulary(words));
}

}  // namespace

TEST_CASE("sensitivity sampling: the fewest pairs and the rank for a gamma") {
  CHECK(fewest_pairs(0.1) == 9);
  CHECK(fewest_pairs(0.05) == 19);
  CHECK(fewest_pairs(0.02) == 49);
  CHECK(fewest_pairs(0.07) == 14);
  CHECK(fewest_pairs(0.5) == 1);
  CHECK(fewest_pairs(0.99) == 1);
  CHECK(sensitivity_rank(0.1, 9) == 9);
  CHECK(sensitivity_rank(0.1, 18) == 18);
  CHECK(sensitivity_rank(0.1, 19) == 18);
  CHECK(sensitivity_rank(0.1, 285) == 258);
  for (int i = 1; i < 100; ++i) {
    const double gamma = 0.01 * i;
    const std::uint64_t fewest = fewest_pairs(gamma);
    CHECK(1 / static_cast<double>(fewest + 1) <= gamma);
    if (fewest > 1) CHECK(1 / static_cast<double>(fewest) > gamma);
    for (std::uint64_t h = fewest; h < fewest + 50; ++h) {
      const auto k = static_cast<double>(sensitivity_rank(gamma, h)), all = static_cast<double>(h + 1);
      CHECK(k <= static_cast<double>(h));
      CHECK(1 - k / all <= gamma + 1e-15);
      CHECK((k == 0 || 1 - (k - 1) / all > gamma - 1e-15));
    }
    CHECK_THROWS_AS(sensitivity_rank(gamma, fewest - 1), std::invalid_argument);
  }
  for (const double gamma : {0.0, 1.0, -0.1, std::nan("")}) {
    CHECK_THROWS_AS(fewest_pairs(gamma), std::invalid_argument);
  }
}

TEST_CASE("sensitivity sampling: new pairs are further apart with probability gamma") {
  const corpus law = mixed_documents(128);
  const sensitivity_options one{.gamma = 0.5, .unit = privacy_unit::document, .units = 3, .threads = 1};
  random_source random = seeded_random(5);
  const std::uint64_t trials = 3000;
  // With 9 pairs for gamma = 0.1, the greatest; with 7 pairs for 0.25, the sixth.
  for (const auto& [gamma, pairs] : {std::pair{0.1, std::uint64_t{9}}, std::pair{0.25, std::uint64_t{7}}}) {
    sensitivity_options options = one;
    options.gamma = gamma;
    options.pairs = pairs;
    std::uint64_t further = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
      const double sampled = sample_sensitivity(mean_document, law, random, options).value;
      further += sample_sensitivity(mean_document, law, random, one).value > sampled;
    }
    CAPTURE(gamma, further);
    // The few ties lower the probability; the next lower rank would make it gamma + 1/(h + 1).
    CHECK(binomial_p_value(further, trials, gamma) > suite_level);
    CHECK(binomial_p_value(further, trials, gamma + 1 / static_cast<double>(pairs + 1)) < suite_level);
    CHECK(binomial_p_value(further, trials, gamma - 0.6 / static_cast<double>(pairs + 1)) < suite_level);
  }
}

TEST_CASE("sensitivity sampling: pairs differ in one user with all its documents") {
  // User u has u + 1 documents of one token of word u.
  std::vector<std::vector<word_id>> tokens;
  std::vector<user_id> owners;
  for (word_id u = 0; u < 6; ++u) {
    for (word_id n = 0; n <= u; ++n) {
      tokens.push_back({u});
      owners.push_back(u);
    }
  }
  const corpus law = make_corpus(tokens, 6, owners, 6);
  std::vector<corpus> seen;
  const auto learner = [&](const corpus& docs, random_source& random) {
    seen.push_back(docs);
    return mean_document(docs, random);
  };
  random_source random = seeded_random(1);
  const auto result =
      sample_sensitivity(learner, law, random, {.gamma = 0.02, .units = 10, .public_law = true, .threads = 1});
  REQUIRE(seen.size() == 98);
  CHECK(result.pairs == 49);
  CHECK(result.rank == 49);
  CHECK(result.units == 10);
  CHECK(result.topics == 1);
  CHECK(result.words == 6);
  CHECK(result.public_law);
  CHECK(std::is_sorted(result.distances.begin(), result.distances.end()));
  CHECK(result.value == result.distances.back());
  std::vector<int> places(10, 0);
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    using content = std::map<std::uint64_t, std::vector<word_id>>;  // of each user, by document id
    const auto by_user = [](const corpus& docs) {
      std::vector<content> users(10);
      for (std::size_t d = 0; d < docs.size(); ++d) users[docs.user(d)][docs[d].id] = tokens_of(docs[d]);
      return users;
    };
    const auto a = by_user(seen[i]), b = by_user(seen[i + 1]);
    int different = 0;
    for (std::size_t u = 0; u < 10; ++u) {
      // A whole user of `law`: the word determines the number of documents.
      REQUIRE(!a[u].empty());
      CHECK(a[u].size() == a[u].begin()->second.front() + 1u);
      if (a[u] != b[u]) {
        ++different;
        ++places[u];
      }
    }
    CHECK(different <= 1);
    if (different == 0) CHECK(std::count(result.distances.begin(), result.distances.end(), 0.0) > 0);
  }
  // Some pairs exchange a user for one of the same content, the others any of ten places.
  CHECK(std::accumulate(places.begin(), places.end(), 0) > 30);
  CHECK(std::count_if(places.begin(), places.end(), [](int n) { return n > 0; }) >= 8);
}

TEST_CASE("sensitivity sampling: fits share their random numbers, and the order of topics does not matter") {
  const corpus law = mixed_documents(20);
  random_source random = seeded_random(2);
  // Topics that depend on the random numbers alone.
  const auto random_learner = [](const corpus&, random_source& source) {
    chacha20 bits = source.stream("topics");
    return random_topics(3, 2, bits);
  };
  const sensitivity_options options{.gamma = 0.2, .unit = privacy_unit::document, .threads = 1};
  CHECK(sample_sensitivity(random_learner, law, random, options).distances == std::vector<double>(4, 0.0));

  // The same topics in an order that depends on the data.
  const auto switching = [&](const corpus& docs, random_source& source) {
    const topic_model<> model = random_learner(docs, source);
    std::vector<std::size_t> order{0, 1, 2};
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(docs[0].counts[0] % 3), order.end());
    return select_topics(model, order);
  };
  sensitivity_options many = options;
  many.gamma = 0.02;
  CHECK(sample_sensitivity(switching, law, random, many).value == 0);
  chacha20 bits = seeded_random(3).stream("reference");
  many.reference = declare_public(random_topics(3, 2, bits));
  CHECK(sample_sensitivity(switching, law, random, many).value == 0);
}

TEST_CASE("sensitivity sampling: the least distance over all orders of topics") {
  chacha20 bits = seeded_random(4).stream("topics");
  for (int trial = 0; trial < 20; ++trial) {
    const topic_model<> a = random_topics(4, 5, bits), b = random_topics(4, 5, bits);
    std::vector<std::size_t> order{0, 1, 2, 3};
    double least = 10;
    do least = std::min(least, (a.phi() - select_topics(b, order).phi()).norm());
    while (std::next_permutation(order.begin(), order.end()));
    CHECK(dplda::detail::topics_apart(a, b, true) == Catch::Approx(least).epsilon(1e-12));
    CHECK(dplda::detail::topics_apart(a, b, false) == Catch::Approx((a.phi() - b.phi()).norm()).epsilon(1e-12));
  }
}

TEST_CASE("sensitivity sampling: threads change no bit, seeds do, and progress is reported") {
  const corpus law = mixed_documents(50);
  std::vector<sampled_sensitivity> results;
  for (const std::size_t threads : {1u, 2u, 7u}) {
    random_source random = seeded_random(6);
    std::vector<sampling_progress> told;
    results.push_back(sample_sensitivity(mean_document, law, random,
                                         {.gamma = 0.05, .unit = privacy_unit::document, .threads = threads},
                                         [&](const sampling_progress& now) { told.push_back(now); }));
    REQUIRE(told.size() == 19);
    for (std::size_t i = 0; i < told.size(); ++i) {
      CHECK(told[i].step == i + 1);
      CHECK(told[i].steps == 19);
      CHECK(told[i].seconds_left >= 0);
    }
    CHECK(told.back().seconds_left == 0);
  }
  CHECK(results[0].distances == results[1].distances);
  CHECK(results[0].distances == results[2].distances);
  CHECK(results[0].seed == results[2].seed);
  CHECK(results[0].units == 50);
  random_source other = seeded_random(7);
  const auto different = sample_sensitivity(mean_document, law, other, {.gamma = 0.05, .unit = privacy_unit::document});
  CHECK(different.distances != results[0].distances);
  CHECK(different.seed != results[0].seed);

  int calls = 0;
  CHECK_THROWS_AS(
      sample_sensitivity(mean_document, law, other, {.gamma = 0.05, .unit = privacy_unit::document, .threads = 1},
                         [&](const sampling_progress&) {
                           if (++calls == 3) throw std::runtime_error("enough");
                         }),
      std::runtime_error);
  CHECK(calls == 3);
}

TEST_CASE("sensitivity sampling: the published rule takes the largest distance of many more pairs") {
  const corpus law = mixed_documents(50);
  random_source random = seeded_random(8);
  sensitivity_options options{
      .gamma = 0.22, .rule = sampling_rule::published, .unit = privacy_unit::document, .units = 2};
  const auto result = sample_sensitivity(mean_document, law, random, options);
  CHECK(result.pairs == 49);
  CHECK(result.rank == 49);
  CHECK(result.value == result.distances.back());
  options.pairs = 48;
  CHECK_THROWS_AS(sample_sensitivity(mean_document, law, random, options), std::invalid_argument);
}

TEST_CASE("sensitivity sampling refuses invalid options and learners") {
  const corpus law = mixed_documents(5);
  random_source random = seeded_random(9);
  const auto refused = [&](const corpus& docs, auto change) {
    sensitivity_options options{.unit = privacy_unit::document, .threads = 1};
    change(options);
    return !refusal([&] { sample_sensitivity(mean_document, docs, random, options); }).empty();
  };
  CHECK_FALSE(refused(law, [](auto&) {}));
  CHECK(refused(law, [](auto& o) { o.gamma = 0; }));
  CHECK(refused(law, [](auto& o) { o.gamma = 1; }));
  CHECK(refused(law, [](auto& o) { o.pairs = 8; }));
  CHECK(refused(law, [](auto& o) { o.unit = privacy_unit::user; }));
  CHECK(refused(law, [](auto& o) { o.unit = privacy_unit::token; }));
  CHECK(refused(law, [](auto& o) { o.units = std::size_t{1} << 32; }));
  CHECK(refused(make_corpus({}, 2), [](auto&) {}));
  // A learner whose number of topics depends on the data.
  const auto growing = [](const corpus& docs, random_source&) {
    chacha20 bits = seeded_random(1).stream("topics");
    return random_topics(1 + docs[0].counts[0] % 2 + docs[1].counts[0] % 4, 2, bits);
  };
  const corpus uneven = make_corpus({{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}}, 2);
  CHECK_THROWS_AS(sample_sensitivity(growing, uneven, random,
                                     {.gamma = 0.01, .unit = privacy_unit::document, .units = 2, .threads = 1}),
                  std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/topic_contrast.hpp>

#include <dplda/core/statistics.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

using dplda::topic_contrast;
using dplda_tests::make_model;

namespace {

// Whether the topics that private variational inference learns of these documents stand out.
bool learned_topics_stand_out(const dplda::corpus& docs, double epsilon, std::uint64_t seed) {
  const dplda::private_svi learner(
      {.topics = 5, .units = docs.size(), .words = docs.words(), .steps = 15, .threads = 1},
      {.epsilon = epsilon, .delta = 1e-6});
  auto random = dplda::seeded_random(seed);
  const auto model = learner.fit(docs, random).value();
  return stands_out(model, docs.size(), 50, random,
                    [&](const dplda::corpus& made_up) { return learner.fit(made_up, random).value(); });
}

dplda::corpus documents(std::size_t topics, std::uint64_t seed) {
  return dplda::synthetic_lda({.documents = 1000, .words = 200, .topics = topics, .mean_length = 50},
                              dplda::seeded_random(seed))
      .docs;
}

}  // namespace

TEST_CASE("Contrast is 0 for equal topics, log(topics) for disjoint ones, and between for others",
          "[evaluation][contrast]") {
  CHECK(topic_contrast(make_model({{0.5, 0.3, 0.2}, {0.5, 0.3, 0.2}})) == Catch::Approx(0).margin(1e-12));
  CHECK(topic_contrast(make_model({{1, 0, 0}, {0, 0.5, 0.5}})) == Catch::Approx(std::log(2)));
  CHECK(topic_contrast(make_model<float>({{0.75, 0.25}, {0.25, 0.75}})) ==
        Catch::Approx(0.75 * std::log(1.5) + 0.25 * std::log(0.5)));
}

TEST_CASE("Documents without topics have the mean of the topics, their lengths, and an owner each",
          "[evaluation][contrast]") {
  auto random = dplda::seeded_random(3);
  const auto docs = documents_without_topics(make_model({{0.8, 0.2, 0}, {0.4, 0, 0.6}}), 4000, 10, random);
  REQUIRE(docs.size() == 4000);
  CHECK(docs.users() == 4000);
  CHECK(docs.user(17) == 17);
  // Bounds of more than 5 standard deviations: false alarms below 1e-5.
  const auto tokens = static_cast<double>(docs.tokens());
  CHECK(tokens == Catch::Approx(40000).margin(1000));
  const auto counts = dplda::word_counts(docs);
  CHECK(static_cast<double>(counts[0]) / tokens == Catch::Approx(0.6).margin(0.0125));
  CHECK(static_cast<double>(counts[1]) / tokens == Catch::Approx(0.1).margin(0.0077));
  CHECK_THROWS_AS(documents_without_topics(make_model({{1}}), 1, 0, random), std::invalid_argument);
  CHECK_THROWS_AS(stands_out(make_model({{1}}), 10, 2, random, [](const auto&) { return make_model({{1}}); }),
                  std::invalid_argument);
}

TEST_CASE("Topics learned from documents without topics do not stand out, at any noise", "[evaluation][contrast]") {
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(epsilon, seed);
      CHECK_FALSE(learned_topics_stand_out(documents(1, seed), epsilon, seed));
    }
  }
}

TEST_CASE("Clear topics stand out if there is little noise, and do not if there is only noise",
          "[evaluation][contrast]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    CHECK(learned_topics_stand_out(documents(5, seed), 2, seed));
    CHECK(learned_topics_stand_out(documents(5, seed), 8, seed));
    CHECK_FALSE(learned_topics_stand_out(documents(5, seed), 0.02, seed));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/pipeline/forecast.hpp>

#include <dplda/pipeline/fully_private_topics.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

using dplda::forecast_topics;
using dplda::outlook;

namespace {

// The forecast of what fully_private_topics would do, as the program makes it.
dplda::topic_forecast of_plan(std::uint64_t units, double length, double epsilon, std::size_t topics) {
  const dplda::budget total{epsilon, std::min(1e-6, 0.005 / static_cast<double>(units))};
  const dplda::fully_private_topics<> learner({.topics = {.topics = topics, .units = units}}, total);
  return forecast_topics({.units = static_cast<double>(units),
                          .length = length,
                          .topics = topics,
                          .noise = learner.learner().plan().noise_left,
                          .threshold = learner.plan().vocabulary.rounds.back().threshold()});
}

dplda::forecast_options usual() { return {.units = 20000, .length = 60, .topics = 10, .noise = 2, .threshold = 20}; }

}  // namespace

// The program used to say "Topics should come out well" here, and topics were worse than word frequencies.
TEST_CASE("Forecast: 3,000 users at epsilon 2 are not promised topics", "[pipeline][forecast]") {
  for (const double length : {10.0, 30.0, 60.0})
    CHECK(of_plan(3000, length, 2, 20).verdict <= outlook::frequencies_only);
}

// The program used to say "Frequent words will find their topics" here.
TEST_CASE("Forecast: no word where the threshold is above the number of documents", "[pipeline][forecast]") {
  const auto nothing = of_plan(100, 50, 0.5, 5);
  CHECK(nothing.verdict == outlook::no_words);
  CHECK(nothing.most_words == 0);
  CHECK(nothing.fewest_words == 0);
}

TEST_CASE("Forecast: much long text and a large epsilon give good topics", "[pipeline][forecast]") {
  const auto much = of_plan(100000, 80, 8, 5);
  CHECK(much.verdict == outlook::good_topics);
  CHECK(much.fewest_words > 1000);
  CHECK(much.fewest_words < much.most_words);
}

TEST_CASE("Forecast: tweets are too short for topics, however many there are", "[pipeline][forecast]") {
  CHECK(of_plan(1000000, 7, 4, 10).verdict == outlook::frequencies_only);
}

TEST_CASE("Forecast: more units, longer ones up to 80 words, and fewer topics never make it worse",
          "[pipeline][forecast]") {
  const auto verdict = [](double units, double length, std::size_t topics) {
    dplda::forecast_options o = usual();
    o.units = units;
    o.length = length;
    o.topics = topics;
    return forecast_topics(o).verdict;
  };
  for (const double units : {30.0, 300.0, 3000.0, 30000.0, 300000.0}) {
    for (const double length : {5.0, 20.0, 40.0, 200.0}) {
      for (const std::size_t topics : {5u, 20u, 80u}) {
        CAPTURE(units, length, topics);
        CHECK(verdict(2 * units, length, topics) >= verdict(units, length, topics));
        CHECK(verdict(units, length, 2 * topics) <= verdict(units, length, topics));
        if (units > 3000 && length <= 40) CHECK(verdict(units, 2 * length, topics) >= verdict(units, length, topics));
      }
    }
  }
}

TEST_CASE("Forecast: a public list is released whole, and more noise is worse", "[pipeline][forecast]") {
  dplda::forecast_options o{.units = 40000, .length = 80, .topics = 10, .noise = 1, .words = 1000};
  const auto little = forecast_topics(o);
  CHECK(little.fewest_words == 1000);
  CHECK(little.most_words == 1000);
  CHECK(little.words_left == Catch::Approx(56));
  CHECK(little.signal_to_noise == Catch::Approx(40000 * std::sqrt(56.0) / (10 * 1000 * 1)));
  CHECK(little.verdict == outlook::good_topics);
  o.noise = 100;
  CHECK(forecast_topics(o).verdict == outlook::frequencies_only);
}

TEST_CASE("Forecast: the share of words grows with their number, up to all", "[pipeline][forecast]") {
  CHECK(dplda::share_of_words(0) == 0);
  CHECK(dplda::share_of_words(100) < dplda::share_of_words(1000));
  CHECK(dplda::share_of_words(1e9) == 1);
}

TEST_CASE("Forecast: invalid input is refused", "[pipeline][forecast]") {
  const auto refused = [](auto&& change) {
    dplda::forecast_options o = usual();
    change(o);
    CHECK_THROWS_AS(forecast_topics(o), std::invalid_argument);
  };
  refused([](auto& o) { o.units = 0; });
  refused([](auto& o) { o.length = -1; });
  refused([](auto& o) { o.topics = 0; });
  refused([](auto& o) { o.noise = std::numeric_limits<double>::infinity(); });
  refused([](auto& o) { o.threshold = 0; });
  refused([](auto& o) { o.words = 10; });
}

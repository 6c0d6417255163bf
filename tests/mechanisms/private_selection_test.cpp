// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/mechanisms/private_selection.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

const privacy_event gaussian{.noise = gaussian_noise{4}, .unit = privacy_unit::user};

ledger planned(std::uint64_t count = 1) {
  ledger book;
  book.record(gaussian, count);
  return book;
}

double own_value(const double& value) { return value; }

/// A run that releases a uniform number.
struct uniform_run {
  std::uint64_t* runs;
  double operator()(std::uint64_t, random_source& random, ledger& cost) const {
    ++*runs;
    cost.record(gaussian);
    chacha20 bits = random.stream("noise");
    return uniform_open(bits);
  }
};

}  // namespace

TEST_CASE("The best of a geometric number of runs has the law of the claim", "[mechanisms][private_selection]") {
  // For uniform values, P(best <= t) = f(t) = c t / (1 - (1 - c) t). 50,000 selections, Kolmogorov and Smirnov.
  const double stop = 0.2;
  const private_selection best(negative_binomial_runs{1, stop}, planned());
  random_source random = seeded_random(5);
  std::uint64_t runs = 0;
  std::vector<double> transformed;
  for (int i = 0; i < 50000; ++i) {
    ledger spent;
    const double t = best.publish(1, uniform_run{&runs}, own_value, random, spent).value();
    transformed.push_back(stop * t / (1 - (1 - stop) * t));
  }
  std::sort(transformed.begin(), transformed.end());
  double distance = 0;
  for (std::size_t i = 0; i < transformed.size(); ++i)
    distance = std::max({distance, std::abs(transformed[i] - static_cast<double>(i) / 50000),
                         std::abs(transformed[i] - static_cast<double>(i + 1) / 50000)});
  CHECK(2 * std::exp(-2 * 50000 * distance * distance) > suite_level);
  // The number of runs has mean 5 and variance 20.
  CHECK(normal_p_value((static_cast<double>(runs) - 250000) / std::sqrt(50000 * 20.0)) > suite_level);
}

TEST_CASE("A selection writes its event before the first run, once", "[mechanisms][private_selection]") {
  const private_selection best(runs_with_mean(6), planned(2), "the best of six");
  random_source random = seeded_random(1);
  ledger spent;
  bool first = true;
  const auto run = [&](std::uint64_t, random_source&, ledger& cost) {
    if (first) CHECK(spent.entries().size() == 1);
    first = false;
    cost.record(gaussian, 2);
    return 1;
  };
  best.publish(
      3, run, [](int) { return 0.0; }, random, spent);
  REQUIRE(spent.entries().size() == 1);
  CHECK(spent.entries()[0].event == best.event());
  CHECK(spent.entries()[0].count == 1);
  CHECK(spent.entries()[0].event.unit == privacy_unit::user);
  CHECK(spent.entries()[0].event.label == "the best of six");
  CHECK(spent.seeded());
  CHECK(ledger_epsilon(spent, 1e-6).upper > ledger_epsilon(planned(2), 1e-6).upper);
}

TEST_CASE("Runs have different random numbers, and every candidate its turn", "[mechanisms][private_selection]") {
  const private_selection best(runs_with_mean(400), planned());
  random_source random = seeded_random(2);
  std::set<std::uint64_t> words;
  std::map<std::uint64_t, int> candidates;
  std::uint64_t runs = 0;
  const auto run = [&](std::uint64_t candidate, random_source& own, ledger&) {
    words.insert(own.stream("noise")());
    ++candidates[candidate];
    ++runs;
    return 0;
  };
  for (int i = 0; i < 20; ++i) {
    ledger spent;
    best.publish(
        4, run, [](int) { return 0.0; }, random, spent);
  }
  CHECK(words.size() == runs);
  REQUIRE(candidates.size() == 4);
  for (const auto& [candidate, times] : candidates)
    CHECK(binomial_p_value(static_cast<std::uint64_t>(times), runs, 0.25) > suite_level);
}

TEST_CASE("The first of the best scores wins, and NaN is the worst", "[mechanisms][private_selection]") {
  const private_selection best(poisson_runs{6}, planned());
  random_source random = seeded_random(3);
  int none = 0;
  for (int i = 0; i < 3000; ++i) {
    ledger spent;
    int number = 0;
    std::vector<double> scores;
    const auto run = [&](std::uint64_t, random_source& own, ledger&) {
      const std::uint64_t word = own.stream("noise")() % 4;
      scores.push_back(word == 0 ? std::nan("") : static_cast<double>(word));
      return number++;
    };
    const auto found = best.publish(
        1, run, [&](int n) { return scores[static_cast<std::size_t>(n)]; }, random, spent);
    CHECK(spent.entries().size() == 1);
    if (scores.empty()) {
      CHECK_FALSE(found.has_value());
      ++none;
      continue;
    }
    std::size_t expected = 0;
    for (std::size_t k = 1; k < scores.size(); ++k)
      if (scores[k] > scores[expected] || (std::isnan(scores[expected]) && !std::isnan(scores[k]))) expected = k;
    CHECK(found == static_cast<int>(expected));
  }
  CHECK(binomial_p_value(static_cast<std::uint64_t>(none), 3000, std::exp(-6.0)) > suite_level);
}

TEST_CASE("A run that spends more than planned is an error", "[mechanisms][private_selection]") {
  const private_selection best(runs_with_mean(2), planned());
  random_source random = seeded_random(4);
  ledger spent;
  const auto run = [](std::uint64_t, random_source&, ledger& cost) {
    cost.record(gaussian, 2);
    return 0;
  };
  CHECK_THROWS_AS(best.publish(
                      1, run, [](int) { return 0.0; }, random, spent),
                  std::logic_error);
  CHECK(spent.entries().size() == 1);  // it happened all the same
}

TEST_CASE("Selections that cannot be are refused", "[mechanisms][private_selection]") {
  CHECK(refusal([] { private_selection(poisson_runs{2}, ledger()); }) ==
        "dplda::private_selection: the ledger of one run is empty, but must hold an event");
  CHECK_FALSE(refusal([] { private_selection(negative_binomial_runs{1, 0}, planned()); }).empty());
  const private_selection best(runs_with_mean(2), planned());
  random_source random = seeded_random(4);
  std::uint64_t runs = 0;
  ledger spent, other;
  CHECK(refusal([&] { best.publish(0, uniform_run{&runs}, own_value, random, spent); }) ==
        "dplda::private_selection::publish: number of candidates is 0, but must be at least 1");
  CHECK(spent.empty());
  other.record({.noise = gaussian_noise{1}, .unit = privacy_unit::document});
  CHECK_FALSE(refusal([&] { best.publish(1, uniform_run{&runs}, own_value, random, other); }).empty());
  CHECK(runs == 0);
}

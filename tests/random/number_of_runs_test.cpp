// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/number_of_runs.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/scripted.hpp"
#include "support/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

constexpr int draws = 200000;

std::vector<double> negative_binomial_law(double shape, double stop) {
  std::vector<double> law{0};
  double weight = 1, sum = 0;
  for (int k = 1; k < 3000; ++k) {
    weight *= 1 - stop;
    if (k > 1) weight *= (k - 1 + shape) / k;
    law.push_back(weight);
    sum += weight;
  }
  for (double& p : law) p /= sum;
  return law;
}

std::vector<double> poisson_law(double mean) {
  std::vector<double> law;
  for (int k = 0; k < 200; ++k) law.push_back(std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0)));
  return law;
}

template <class Draw>
std::vector<std::uint64_t> counted(std::size_t size, std::uint64_t seed, Draw&& draw) {
  chacha20 bits = seeded_random(seed).stream("number of runs");
  std::vector<std::uint64_t> counts(size);
  for (int i = 0; i < draws; ++i) ++counts.at(draw(bits));
  return counts;
}

}  // namespace

TEST_CASE("Truncated negative binomial numbers have their law", "[random][number_of_runs]") {
  // 200,000 draws each; the p-values are held against the suite's level.
  std::uint64_t seed = 1;
  for (const auto& [shape, stop] : {std::pair{1.0, 0.1}, std::pair{0.0, 0.05}, std::pair{-0.5, 0.02},
                                    std::pair{0.25, 0.3}, std::pair{-0.9, 0.5}, std::pair{1.0, 0.75}}) {
    CAPTURE(shape, stop);
    const auto law = negative_binomial_law(shape, stop);
    const auto counts = counted(law.size(), ++seed, [shape = shape, stop = stop](auto& bits) {
      return truncated_negative_binomial(bits, shape, stop);
    });
    CHECK(counts[0] == 0);
    CHECK(chi_square_test(counts, law) > suite_level);
    // The test would notice a stop that is wrong by a quarter.
    CHECK(chi_square_test(counts, negative_binomial_law(shape, 1.25 * stop)) < suite_level);
  }
}

TEST_CASE("Poisson numbers have their law", "[random][number_of_runs]") {
  std::uint64_t seed = 100;
  for (const double mean : {0.25, 1.0, 3.5, 20.0}) {
    CAPTURE(mean);
    const auto law = poisson_law(mean);
    const auto counts = counted(law.size(), ++seed, [=](auto& bits) { return poisson_number(bits, mean); });
    CHECK(chi_square_test(counts, law) > suite_level);
    CHECK(chi_square_test(counts, poisson_law(1.05 * mean)) < suite_level);
  }
}

TEST_CASE("The decisions of a number of runs", "[random][number_of_runs]") {
  // A word below stop 2^64 ends a geometric number.
  const std::uint64_t low = 0, high = ~std::uint64_t{0};
  scripted at_once{{low}};
  CHECK(truncated_negative_binomial(at_once, 0, 0.5) == 1);
  // Not stopped; 1 of 2 places, the last: rejected at shape 0, and the number is drawn again.
  scripted rejected{{high, 1, high, low}};
  CHECK(truncated_negative_binomial(rejected, 0, 0.5) == 1);
  scripted kept{{high, 0, low}};
  CHECK(truncated_negative_binomial(kept, 0, 0.5) == 2);
  // Shape 1 keeps the last place, too: its coin is always true.
  scripted geometric{{high, 1, high, low}};
  CHECK(truncated_negative_binomial(geometric, 1, 0.5) == 2);
}

TEST_CASE("Numbers of runs without a law are refused", "[random][number_of_runs]") {
  scripted none{{}};
  CHECK(refusal([&] { truncated_negative_binomial(none, 1, 0); }) ==
        "dplda::truncated_negative_binomial: stop is 0, but must lie in [2^-11, 1)");
  CHECK_FALSE(refusal([&] { truncated_negative_binomial(none, -1, 0.5); }).empty());
  CHECK_FALSE(refusal([&] { truncated_negative_binomial(none, 1e-5, 0.5); }).empty());
  CHECK(refusal([&] { poisson_number(none, 0); }) == "dplda::poisson_number: mean is 0, but must lie in [2^-11, 2^20]");
}

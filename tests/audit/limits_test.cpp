// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/limits.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace dplda;
using Catch::Approx;

namespace {

/// Fair coins, and a score of each canary by `score(in, bits)`.
template <class Score>
one_run_bound attack(std::size_t canaries, double delta, double confidence, chacha20& bits, Score&& score) {
  std::vector<double> scores(canaries);
  std::vector<bool> included(canaries);
  for (std::size_t i = 0; i < canaries; ++i) {
    included[i] = (bits() & 1) != 0;
    scores[i] = score(included[i], bits);
  }
  return best_one_run_epsilon(scores, included, numbers_of_guesses(canaries), delta, confidence);
}

}  // namespace

TEST_CASE("A perfect attack proves the limit and no more") {
  const std::size_t canaries = GENERATE(1u, 2u, 3u, 8u, 100u, 300u);
  const auto guesses = numbers_of_guesses(canaries);
  for (const std::size_t r : guesses) CHECK((r >= 1 && r <= canaries));
  auto bits = seeded_random(1).stream("coins");
  const double limit = one_run_limit(canaries, guesses, 1e-6);
  const auto found = attack(canaries, 1e-6, 0.95, bits, [](bool in, auto&) { return in ? 1.0 : 0.0; });
  CHECK(found.epsilon <= limit);
  if (canaries >= 100) CHECK(found.epsilon == limit);
}

TEST_CASE("Upper limits on what attacks can prove") {
  // All of r guesses right have probability (e^epsilon / (1 + e^epsilon))^r: that is 0.05 at 1.823 for r = 20.
  const std::vector<std::size_t> twenty{20}, both{25, 75};
  CHECK(one_run_limit(100, twenty, 0) == Approx(-std::log(std::pow(0.05, -1 / 20.0) - 1)).epsilon(1e-9));
  CHECK(one_run_limit(100, twenty, 0) == Approx(1.823).margin(0.001));
  CHECK(one_run_limit(100, both, 0) == Approx(-std::log(std::pow(0.025, -1 / 75.0) - 1)).epsilon(1e-9));
  CHECK(one_run_limit(100, twenty, 0.01) < one_run_limit(100, twenty, 0));
  CHECK(numbers_of_guesses(100) == both);
  for (const bool gaussian : {false, true}) {
    for (const std::size_t runs : {1u, 2u, 7u, 64u, 1000u}) {
      const score_audit_options options{.delta = 1e-5, .gaussian = gaussian};
      CHECK(repeated_limit(runs, 1e-5, 0.95, gaussian) ==
            audited_epsilon(std::vector<double>(runs, 1), std::vector<double>(runs, 0), options));
    }
  }
  CHECK_THROWS_AS(one_run_limit(10, twenty, 0), std::invalid_argument);
  CHECK_THROWS_AS(one_run_limit(10, std::vector<std::size_t>{}, 0), std::invalid_argument);
  CHECK_THROWS_AS(one_run_limit(100, twenty, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(repeated_limit(0, 0), std::invalid_argument);
  CHECK_THROWS_AS(repeated_limit(10, 0, 0), std::invalid_argument);
}

TEST_CASE("How large an attack must be to test a claim") {
  for (const double epsilon : {0.1, 1.0, 2.0, 5.0}) {
    const std::size_t canaries = canaries_to_exceed(epsilon, 1e-6).value();
    CHECK(one_run_limit(canaries, numbers_of_guesses(canaries), 1e-6) > epsilon);
    CHECK(one_run_limit(canaries - 1, numbers_of_guesses(canaries - 1), 1e-6) <= epsilon);
    const std::size_t runs = runs_to_exceed(epsilon, 1e-6).value();
    CHECK(repeated_limit(runs, 1e-6) > epsilon);
    CHECK(repeated_limit(runs - 1, 1e-6) <= epsilon);
  }
  CHECK_FALSE(canaries_to_exceed(20, 1e-6, 0.95, 1000).has_value());
  CHECK_FALSE(runs_to_exceed(20, 1e-6, 0.95, 1000).has_value());
  CHECK(canaries_to_exceed(2, 1e-6, 0.95, 1000) == canaries_to_exceed(2, 1e-6));
}

TEST_CASE("The best of several numbers of guesses exceeds epsilon as rarely as stated") {
  // Randomized response on each canary is as distinguishable as pure privacy allows.
  const double confidence = GENERATE(0.8, 0.95), epsilon = 1;
  const std::size_t canaries = 60, trials = 2000;
  auto bits = seeded_random(2).stream("coverage");
  const double right = std::exp(epsilon) / (1 + std::exp(epsilon));
  std::size_t over = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    over += attack(canaries, 0, confidence, bits, [&](bool in, auto& from) {
              const double told = (uniform_open(from) < right) == in ? 1 : 0;
              return told + 0.1 * uniform_open(from);  // ties are broken by chance
            }).epsilon > epsilon;
  }
  const double most = static_cast<double>(trials) * (1 - confidence);
  CHECK(static_cast<double>(over) < most + 4 * std::sqrt(most));
  CHECK(over > 0);  // otherwise the test could not fail
}

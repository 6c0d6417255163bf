// SPDX-License-Identifier: Apache-2.0
// One run taken by privacy curves. False alarms: coverage checks allow six standard deviations of a binomial count above
// their level, a chance below 1e-9 for a right bound; seeds are fixed.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/audit/limits.hpp>
#include <dplda/audit/noise_scale.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::refusal;

namespace {

ledger book(const mechanism& noise, const sampling& seen = all_units{}, std::uint64_t count = 1) {
  ledger spent;
  spent.record({.noise = noise, .sampling = seen}, count);
  return spent;
}

std::vector<curve_point> curve_of(const ledger& spent) {
  composed_loss loss(spent);
  const trade_off_curve curve(loss);
  return {curve.points().begin(), curve.points().end()};
}

/// Scores of canaries that each have Gaussian noise of their own and a shift of mu if they are in.
struct scored_canaries {
  std::vector<double> scores;
  std::vector<bool> included;
};
scored_canaries ideal_canaries(chacha20& bits, std::size_t m, double mu) {
  scored_canaries made;
  for (std::size_t i = 0; i < m; ++i) {
    made.included.push_back((bits() & 1) != 0);
    const double radius = std::sqrt(-2 * std::log(uniform_open(bits)));
    made.scores.push_back(radius * std::cos(2 * 3.14159265358979 * uniform_open(bits)) + (made.included[i] ? mu : 0));
  }
  return made;
}

/// P[B >= v] of a binomial number.
double binomial_tail(std::uint64_t n, double p, std::uint64_t v) {
  double sum = 0;
  for (std::uint64_t i = v; i <= n; ++i) {
    const auto k = static_cast<double>(i), size = static_cast<double>(n);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(k + 1) - std::lgamma(size - k + 1) + k * std::log(p) +
                    (size - k) * std::log1p(-p));
  }
  return sum;
}

}  // namespace

TEST_CASE("One run: the largest mu that is refuted, beside an independent computation") {
  // By NumPy and SciPy, with the exact curve instead of points of it: sweeps of the recursion, bisection for mu.
  struct figure {
    one_run_counts counts;
    double confidence, mu;
  };
  for (const auto& [counts, confidence, mu] :
       {figure{{1000, 250, 202}, 0.975, 0.4391308}, figure{{1000, 750, 549}, 0.975, 0.3657724},
        figure{{200, 100, 90}, 0.95, 0.7493129}, figure{{60, 60, 50}, 0.95, 0.5781238},
        figure{{1000, 250, 241}, 0.975, 0.9591993}, figure{{20, 20, 20}, 0.99, 0.7102197}}) {
    CAPTURE(counts.canaries, counts.guesses, counts.correct, confidence, mu);
    // Gaussian noise of multiplier 1: the factor of the noise that is refuted is 1/mu.
    const double found = one_run_noise_bound(counts, book(gaussian_noise{1}), confidence);
    CHECK(1 / found <= mu * (1 + 1e-6));
    CHECK(1 / found >= mu * 0.985);
  }
}

TEST_CASE("One run: nothing is refuted that has a larger probability") {
  // Randomised response for each canary: as many right guesses as a binomial number.
  const double epsilon = 1, right = 1 / (1 + std::exp(-epsilon));
  const std::vector<curve_point> curve = curve_of(book(approximate_dp{epsilon}));
  for (const std::uint64_t m : {1u, 2u, 7u, 40u, 300u}) {
    for (const double confidence : {0.5, 0.9, 0.95, 0.999}) {
      std::uint64_t first = m + 1;
      for (std::uint64_t v = m + 1; v-- > 0;)
        if (one_run_refutes({m, m, v}, curve, confidence)) first = v;
      CAPTURE(m, confidence, first);
      if (first <= m) CHECK(binomial_tail(m, right, first) < 1 - confidence);
      // Not far from the best test: five standard deviations more are refuted, unless that is impossible.
      const auto wide =
          static_cast<std::uint64_t>(static_cast<double>(m) * right + 5 * std::sqrt(static_cast<double>(m)) / 2);
      if (wide < m && confidence < 0.99) CHECK(first <= wide);
    }
  }
  // With probability delta everything is told at once, so that all guesses are right: no smaller chance is claimed.
  for (const double delta : {0.01, 0.1}) {
    const std::vector<curve_point> told = curve_of(book(approximate_dp{0, delta}));
    for (const std::uint64_t m : {10u, 100u, 1000u}) {
      CAPTURE(delta, m);
      CHECK_FALSE(one_run_refutes({m, m, m}, told, 1 - 0.999 * (delta + (1 - delta) * std::pow(0.5, m))));
    }
  }
  // Told about a random half of the canaries with probability 2 delta each time.
  const std::vector<curve_point> told = curve_of(book(approximate_dp{0, 0.05}));
  CHECK_FALSE(one_run_refutes({400, 100, 100}, told, 1 - 0.999 * 0.05));
}

TEST_CASE("One run: the noise scale has its confidence on ideal canaries") {
  auto bits = seeded_random(25).stream("one run");
  const ledger spent = book(gaussian_noise{1.2});
  const std::vector<curve_point> curve = curve_of(spent);
  constexpr int trials = 2000;
  constexpr double level = 0.1;
  int refuted = 0;
  for (int i = 0; i < trials; ++i) {
    const auto [scores, included] = ideal_canaries(bits, 60, 1 / 1.2);
    refuted += one_run_refutes(guess_canaries(scores, included, 30), curve, 1 - level) ? 1 : 0;
  }
  CAPTURE(refuted);
  CHECK(refuted <= trials * level + 6 * std::sqrt(trials * level * (1 - level)));
}

TEST_CASE("One run: a mechanism with half the noise is found out") {
  auto bits = seeded_random(26).stream("one run");
  const auto [scores, included] = ideal_canaries(bits, 1000, 2);
  const one_run_counts counts = guess_canaries(scores, included, 500);
  const double factor = one_run_noise_bound(counts, book(gaussian_noise{1}));
  CHECK(factor < 1);
  CHECK(factor > 0.5);
}

TEST_CASE("One run: bounds by the ledger prove more than bounds without a premise") {
  // 1,000 ideal canaries, means over 20 runs, delta 1e-5.
  for (const double epsilon : {4.0, 8.0}) {
    const double delta = 1e-5;
    double low = 0.1, high = 10;
    while (high - low > 1e-6)
      (gaussian_epsilon(1 / ((low + high) / 2), delta) > epsilon ? high : low) = (low + high) / 2;
    const ledger spent = book(gaussian_noise{1 / low});
    auto bits = seeded_random(27).stream("one run");
    double by_ledger = 0, without_premise = 0;
    constexpr int runs = 20;
    for (int i = 0; i < runs; ++i) {
      const auto [scores, included] = ideal_canaries(bits, 1000, low);
      const one_run_counts counts = guess_canaries(scores, included, 250);
      by_ledger += one_run_epsilon_by_ledger(counts, spent, delta) / runs;
      without_premise += one_run_epsilon(counts, delta) / runs;
    }
    CAPTURE(epsilon, by_ledger, without_premise);
    CHECK(by_ledger > 1.3 * without_premise);
    CHECK(by_ledger < epsilon);
  }
}

TEST_CASE("One run: sampled and composed ledgers") {
  // Few right guesses bound nothing; all of them bound the noise of any ledger.
  const ledger spent = book(gaussian_noise{1}, poisson_sample{0.3}, 20);
  CHECK(one_run_noise_bound({200, 100, 50}, spent) == std::numeric_limits<double>::infinity());
  const double factor = one_run_noise_bound({200, 100, 90}, spent);
  CHECK(factor < 2);
  CHECK(one_run_epsilon_by_ledger({200, 100, 90}, spent, 1e-5) > one_run_epsilon({200, 100, 90}, 1e-5));
}

TEST_CASE("One run by curves: impossible counts are refused") {
  const std::vector<curve_point> curve = curve_of(book(gaussian_noise{1}));
  CHECK_FALSE(refusal([&] { one_run_refutes({10, 11, 3}, curve, 0.95); }).empty());
  CHECK_FALSE(refusal([&] { one_run_refutes({10, 5, 6}, curve, 0.95); }).empty());
  CHECK_FALSE(refusal([&] { one_run_refutes({10, 5, 5}, curve, 1); }).empty());
  CHECK_FALSE(refusal([&] { one_run_noise_bound({10, 5, 5}, ledger{}); }).empty());
  CHECK_FALSE(one_run_refutes({0, 0, 0}, curve, 0.95));
  CHECK_FALSE(one_run_refutes({10, 5, 0}, curve, 0.95));
}

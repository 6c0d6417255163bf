// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/amplification.hpp>
#include <dplda/accounting/gaussian.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "accounting/precise.hpp"
#include "accounting/reference.hpp"
#include "support/catch.hpp"

using dplda::amplify_by_poisson_sampling;
using dplda::amplify_by_sampling_with_replacement;
using dplda::amplify_by_sampling_without_replacement;
using dplda::budget;
using dplda::neighbours;
using dplda_tests::log_uniform;
using dplda_tests::real;
using dplda_tests::reference_records;

namespace {

const double infinite = std::numeric_limits<double>::infinity();

neighbours relation_of(const std::string& name) {
  return name == "add_remove" ? neighbours::add_remove : neighbours::replace;
}

}  // namespace

TEST_CASE("amplification agrees with the reference figures") {
  for (const auto& record : reference_records("amplification")) {
    CAPTURE(record.id());
    const budget base{record.param("eps"), record.param("delta")};
    const neighbours relation = relation_of(record.param_text("base_adjacency"));
    CHECK(relation == relation_of(record.param_text("adjacency")));
    const double q = record.param("q");
    const bool poisson = record.param_text("sampling") == "poisson";
    const budget result = poisson ? amplify_by_poisson_sampling(base, q, relation)
                                  : amplify_by_sampling_without_replacement(
                                        base, static_cast<std::uint64_t>(std::llround(q * 1e6)), 1000000, relation);
    CHECK(record.agrees("eps", result.epsilon));
    CHECK(record.agrees("delta", result.delta));
  }
}

TEST_CASE("amplification with replacement agrees with the reference figures") {
  for (const auto& record : reference_records("amplification_with_replacement")) {
    CAPTURE(record.id());
    const double epsilon = record.param("base_eps"), multiplier = record.param("sigma_over_replace_sensitivity");
    const auto draws = static_cast<std::uint64_t>(record.param("m"));
    const auto population = static_cast<std::uint64_t>(record.param("n"));
    const budget result = amplify_by_sampling_with_replacement(
        epsilon, draws, population, neighbours::replace,
        [&](std::uint64_t k) { return dplda::gaussian_delta(multiplier / static_cast<double>(k), epsilon); });
    CHECK(record.agrees("eps", result.epsilon));
    CHECK(record.agrees("delta", result.delta));
    // The figure `eta` stands inside epsilon.
    CHECK(record.agrees("eta", std::expm1(result.epsilon) / std::expm1(epsilon)));
  }
}

TEST_CASE("amplification is refused for the neighbours it does not hold for") {
  const budget base{1, 1e-6};
  CHECK_THROWS_WITH(amplify_by_poisson_sampling(base, 0.1, neighbours::replace),
                    Catch::Matchers::ContainsSubstring("relation is replace, but must be add_remove"));
  CHECK_THROWS_AS(amplify_by_sampling_without_replacement(base, 1, 10, neighbours::add_remove), std::invalid_argument);
  const auto none = [](std::uint64_t) { return 0.0; };
  CHECK_THROWS_AS(amplify_by_sampling_with_replacement(1, 1, 10, neighbours::add_remove, none), std::invalid_argument);
}

TEST_CASE("amplified guarantees are never below the formula, never above the base") {
  std::mt19937_64 bits(13);
  for (int i = 0; i < 3000; ++i) {
    const budget base{log_uniform(bits, 1e-12, 1e4), log_uniform(bits, 1e-300, 0.9)};
    const double rate = log_uniform(bits, 1e-12, 1);
    CAPTURE(base.epsilon, base.delta, rate);
    const budget result = amplify_by_poisson_sampling(base, rate, neighbours::add_remove);
    const real truth = log1p(real(rate) * expm1(real(base.epsilon)));
    CHECK(real(result.epsilon) >= truth);
    CHECK(real(result.epsilon) <= truth * (1 + 1e-13));
    CHECK(result.epsilon <= base.epsilon);
    CHECK(real(result.delta) >= real(rate) * base.delta);
    CHECK(result.delta <= rate * base.delta * (1 + 1e-14) + 1e-322);
  }
}

TEST_CASE("sampling with replacement: likely groups, all groups, and one unit") {
  // With a delta that is the same for every group, delta' is the probability of being seen.
  for (const std::uint64_t draws : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{100000}}) {
    const budget result =
        amplify_by_sampling_with_replacement(1, draws, 1000, neighbours::replace, [](std::uint64_t) { return 1e-3; });
    const double seen = -std::expm1(static_cast<double>(draws) * std::log1p(-1e-3));
    CHECK(result.delta >= 1e-3 * seen * (1 - 1e-15));
    CHECK(result.delta == Catch::Approx(1e-3 * seen).epsilon(1e-11));
    CHECK(result.epsilon == Catch::Approx(std::log1p(seen * std::expm1(1))).epsilon(1e-13));
  }
  // Only a group of 5 or more costs anything: the tail of a binomial law.
  const budget tail = amplify_by_sampling_with_replacement(1, 10, 100, neighbours::replace,
                                                           [](std::uint64_t k) { return k < 5 ? 0.0 : 1.0; });
  double wanted = 0;
  for (int k = 5; k <= 10; ++k) {
    double mass = 1;
    for (int j = 1; j <= k; ++j) mass *= (10.0 - k + j) / j / 100;
    wanted += mass * std::pow(0.99, 10 - k);
  }
  CHECK(tail.delta >= wanted * (1 - 1e-14));
  CHECK(tail.delta == Catch::Approx(wanted).epsilon(1e-11));
  const budget alone = amplify_by_sampling_with_replacement(
      0.5, 7, 1, neighbours::replace, [](std::uint64_t k) { return static_cast<double>(k) * 0.01; });
  CHECK(alone == budget{0.5, 7 * 0.01});
  const auto free = [](std::uint64_t) { return 0.0; };
  CHECK(amplify_by_sampling_with_replacement(1, 20, 1000, neighbours::replace, free).delta == 0);
}

TEST_CASE("amplification at the ends of its ranges, and refused arguments") {
  const auto poisson = [](const budget& base, double rate) {
    return amplify_by_poisson_sampling(base, rate, neighbours::add_remove);
  };
  CHECK(poisson({1, 1e-5}, 1) == budget{1, 1e-5});
  CHECK(poisson({1, 1e-5}, 0) == budget{0, 0});
  CHECK(poisson({0, 0}, 0.5) == budget{0, 0});
  CHECK(poisson({infinite, 1}, 0.5) == budget{infinite, 0.5 * (1 + 4 * std::numeric_limits<double>::epsilon())});
  CHECK(poisson({1e5, 0}, 1e-9).epsilon == Catch::Approx(1e5 + std::log(1e-9)).epsilon(1e-13));
  CHECK(poisson({1e-300, 0}, 1e-9).epsilon >= 1e-309);
  CHECK(amplify_by_sampling_without_replacement({1, 0}, 5, 5, neighbours::replace) == budget{1, 0});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.1, nan}) {
    CHECK_THROWS_AS(poisson({1, 0}, bad), std::invalid_argument);
    CHECK_THROWS_AS(poisson({1, bad}, 0.5), std::invalid_argument);
  }
  CHECK_THROWS_AS(poisson({-1, 0}, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(poisson({nan, 0}, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(amplify_by_sampling_without_replacement({1, 0}, 0, 5, neighbours::replace), std::invalid_argument);
  CHECK_THROWS_AS(amplify_by_sampling_without_replacement({1, 0}, 6, 5, neighbours::replace), std::invalid_argument);
  const auto with = [&](double epsilon, std::uint64_t draws, std::uint64_t population, double delta) {
    return amplify_by_sampling_with_replacement(epsilon, draws, population, neighbours::replace,
                                                [&](std::uint64_t) { return delta; });
  };
  CHECK_THROWS_AS(with(-1, 1, 10, 0), std::invalid_argument);
  CHECK_THROWS_AS(with(1, 0, 10, 0), std::invalid_argument);
  CHECK_THROWS_AS(with(1, 1, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(with(1, 1, 10, nan), std::invalid_argument);
  CHECK(with(1, 3, 10, 5).delta <= 1);
}

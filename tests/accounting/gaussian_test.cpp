// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/gaussian.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "accounting/precise.hpp"
#include "accounting/reference.hpp"
#include "support/catch.hpp"

using dplda::gaussian_delta;
using dplda::gaussian_epsilon;
using dplda::gaussian_log_delta;
using dplda::gaussian_multiplier;
using dplda_tests::log_uniform;
using dplda_tests::precise_gaussian_log_delta;
using dplda_tests::real;
using dplda_tests::reference_records;

namespace {

const double infinite = std::numeric_limits<double>::infinity();

bool meets(double multiplier, double epsilon, double delta) {
  return precise_gaussian_log_delta(multiplier, epsilon) <= log(real(delta));
}

}  // namespace

TEST_CASE("Gaussian delta agrees with the reference figures") {
  for (const auto& record : reference_records("agm_delta")) {
    CAPTURE(record.id());
    const double value = gaussian_log_delta(record.param("sigma"), record.param("eps"));
    CHECK(record.agrees("log_delta", value));
    CHECK(gaussian_delta(record.param("sigma"), record.param("eps")) ==
          Catch::Approx(std::exp(value)).epsilon(1e-12).margin(1e-300));
  }
}

TEST_CASE("Gaussian epsilon agrees with the reference figures") {
  for (const auto& record : reference_records("agm_eps")) {
    CAPTURE(record.id());
    CHECK(record.agrees("eps", gaussian_epsilon(record.param("sigma"), record.param("delta"))));
  }
}

TEST_CASE("Gaussian multiplier agrees with the reference figures") {
  for (const auto& record : reference_records("agm_sigma")) {
    CAPTURE(record.id());
    CHECK(record.agrees("sigma",
                        record.param("sensitivity") * gaussian_multiplier(record.param("eps"), record.param("delta"))));
  }
}

TEST_CASE("textbook Gaussian multiplier agrees with the reference figures") {
  for (const auto& record : reference_records("classic_gaussian_sigma")) {
    CAPTURE(record.id());
    const double epsilon = record.param("eps"), delta = record.param("delta");
    const double value = dplda::classic_gaussian_multiplier(epsilon, delta, dplda::basis::as_published);
    CHECK(record.agrees("sigma", record.param("sensitivity") * value));
    if (record.expected_flag("valid")) {
      CHECK(dplda::classic_gaussian_multiplier(epsilon, delta) == value);
    } else {
      CHECK_THROWS_AS(dplda::classic_gaussian_multiplier(epsilon, delta), std::invalid_argument);
    }
  }
}

TEST_CASE("trap 4: small deltas get all the noise they need") {
  struct demand {
    double epsilon, delta, multiplier;
  };
  for (const demand& d : {demand{0.5, 1e-30, 21.9995}, demand{0.001, 1e-12, 0}, demand{20, 1e-9, 0}}) {
    CAPTURE(d.epsilon, d.delta);
    const double multiplier = gaussian_multiplier(d.epsilon, d.delta);
    if (d.multiplier > 0) CHECK(multiplier == Catch::Approx(d.multiplier).epsilon(1e-5));
    CHECK(meets(multiplier, d.epsilon, d.delta));
    CHECK_FALSE(meets(multiplier * (1 - 1e-12), d.epsilon, d.delta));
  }
}

TEST_CASE("trap 12: epsilon is 0, never negative, where delta alone suffices") {
  for (const double multiplier : {0.5, 1.0, 100.0, 1e6}) {
    const double enough = gaussian_delta(multiplier, 0);
    CHECK(gaussian_epsilon(multiplier, enough * (1 + 1e-12)) == 0);
    CHECK(gaussian_epsilon(multiplier, 1) == 0);
    CHECK(gaussian_epsilon(multiplier, enough * 0.999) > 0);
  }
}

TEST_CASE("trap 16: the textbook multiplier is proven only for epsilon below 1") {
  CHECK_THROWS_WITH(dplda::classic_gaussian_multiplier(1, 1e-5),
                    Catch::Matchers::ContainsSubstring("use gaussian_multiplier"));
  const double published = dplda::classic_gaussian_multiplier(10, 1e-5, dplda::basis::as_published);
  CHECK_FALSE(meets(published, 10, 1e-5));
  CHECK(meets(gaussian_multiplier(10, 1e-5), 10, 1e-5));
  std::mt19937_64 bits(16);
  for (int i = 0; i < 2000; ++i) {
    const double epsilon = log_uniform(bits, 1e-6, 0.9999999), delta = log_uniform(bits, 1e-300, 0.999);
    CAPTURE(epsilon, delta);
    CHECK(dplda::classic_gaussian_multiplier(epsilon, delta) >= gaussian_multiplier(epsilon, delta));
  }
}

TEST_CASE("Gaussian log delta is never below the truth, and at most the stated bound above it") {
  std::mt19937_64 bits(1);
  double worst = 0;
  for (int i = 0; i < 3000; ++i) {
    const double multiplier = log_uniform(bits, 0.01, 1e6);
    double epsilon = i % 10 == 0 ? 0 : log_uniform(bits, 1e-9, 1e6);
    // Many points where the two terms are of one size.
    if (i % 3 == 0) epsilon = log_uniform(bits, 0.01, 40) / multiplier + 0.5 / (multiplier * multiplier);
    CAPTURE(multiplier, epsilon);
    const real truth = precise_gaussian_log_delta(multiplier, epsilon);
    const real excess = real(gaussian_log_delta(multiplier, epsilon)) - truth;
    CHECK(excess >= 0);
    const double u = epsilon * multiplier - 0.5 / multiplier, v = epsilon * multiplier + 0.5 / multiplier;
    double bound = std::numeric_limits<double>::epsilon() * (200 + 4 * v * (std::abs(u) + 2));
    // Near 1 the bound is relative to the complement.
    if (u <= 0 && 1 / multiplier > 0.5) {
      bound *= static_cast<double>(-expm1(truth) / exp(truth));
    } else {
      bound += 10 * std::numeric_limits<double>::epsilon() * std::abs(static_cast<double>(truth) + u * u / 2 + 0.919);
    }
    if (bound > 1e-300) worst = std::max(worst, static_cast<double>(excess) / (2 * bound));
  }
  CHECK(worst <= 1.05);
  CHECK(worst > 0.3);
}

TEST_CASE("Gaussian log delta is not below the truth where noise is so large that delta is tiny") {
  // Such a delta is the exponential of a large number, the logarithm of a difference, whose own rounding was once left
  // out: one in ten of these came out too small.
  std::mt19937_64 bits(3);
  for (int i = 0; i < 2000; ++i) {
    const double multiplier = i % 2 == 0 ? log_uniform(bits, 1e20, 1e200) : log_uniform(bits, 1e10, 1e30);
    const double epsilon = i % 2 == 0 ? 0 : log_uniform(bits, 1e-3, 30) / multiplier;
    CAPTURE(multiplier, epsilon);
    const real truth = precise_gaussian_log_delta(multiplier, epsilon);
    CHECK(real(gaussian_log_delta(multiplier, epsilon)) >= truth);
    CHECK(real(gaussian_log_delta(multiplier, epsilon)) <= truth + 3e-12);
  }
}

TEST_CASE("Gaussian inverses satisfy the inequality, and slightly smaller values do not") {
  std::mt19937_64 bits(2);
  for (int i = 0; i < 300; ++i) {
    const double delta = i % 4 == 0 ? 1 - log_uniform(bits, 1e-10, 0.9) : log_uniform(bits, 1e-300, 0.5);
    const double multiplier = log_uniform(bits, 0.01, 1e6), budget = i % 5 == 0 ? 0 : log_uniform(bits, 1e-8, 1e6);
    CAPTURE(multiplier, delta, budget);
    const double epsilon = gaussian_epsilon(multiplier, delta);
    CHECK(meets(multiplier, epsilon, delta));
    if (epsilon > 0 && delta < 0.5) CHECK_FALSE(meets(multiplier, epsilon * (1 - 1e-11) - 1e-14, delta));
    const double needed = gaussian_multiplier(budget, delta);
    CHECK(meets(needed, budget, delta));
    if (delta < 0.5) CHECK_FALSE(meets(needed * (1 - 1e-11), budget, delta));
  }
}

TEST_CASE("composed Gaussians are one Gaussian") {
  const std::vector<dplda::repeated_gaussian> parts = {{3, 9}, {0.5, 1}, {20, 400}};
  const double multiplier = dplda::composed_gaussian_multiplier(parts), truth = std::sqrt(1 / 6.0);
  CHECK(multiplier <= truth);
  CHECK(multiplier == Catch::Approx(truth).epsilon(1e-14));
  CHECK(dplda::composed_gaussian_multiplier({}) == infinite);
  CHECK(dplda::composed_gaussian_multiplier(std::vector<dplda::repeated_gaussian>{{1e-200, 4}}) ==
        Catch::Approx(5e-201).epsilon(1e-14));
  CHECK(dplda::composed_gaussian_multiplier(std::vector<dplda::repeated_gaussian>{{1e4, 100000000}}) ==
        Catch::Approx(1).epsilon(1e-14));
  CHECK_THROWS_AS(dplda::composed_gaussian_multiplier(std::vector<dplda::repeated_gaussian>{{0, 1}}),
                  std::invalid_argument);
}

TEST_CASE("Gaussian figures at the ends of their ranges") {
  CHECK(gaussian_log_delta(0, 5) == 0);
  CHECK(gaussian_log_delta(1e-320, 5) == 0);
  CHECK(gaussian_log_delta(infinite, 0) == -infinite);
  CHECK(gaussian_log_delta(1, infinite) == -infinite);
  CHECK(gaussian_log_delta(1e200, 1e200) == -5e307);
  CHECK(gaussian_delta(1e6, 1e6) > 0);
  CHECK(gaussian_delta(1e-6, 0) == 1);
  CHECK(gaussian_epsilon(1, 0) == infinite);
  CHECK(gaussian_epsilon(0, 0.5) == infinite);
  CHECK(gaussian_epsilon(0, 1) == 0);
  CHECK(gaussian_epsilon(infinite, 0) == 0);
  CHECK(gaussian_multiplier(1, 0) == infinite);
  CHECK(gaussian_multiplier(1, 1) == 0);
  CHECK(gaussian_multiplier(infinite, 0) == 0);
  CHECK(gaussian_multiplier(0, 5e-324) == infinite);
  CHECK(gaussian_multiplier(1e-300, 1e-300) > 1e290);
  for (const double multiplier : {1e-300, 1e-5, 1.0, 1e5, 1e300}) {
    for (const double epsilon : {0.0, 1e-300, 1.0, 1e5, 1e300}) {
      CAPTURE(multiplier, epsilon);
      const double value = gaussian_log_delta(multiplier, epsilon);
      CHECK(value <= 0);
      CHECK(std::isfinite(value));
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan}) {
    CHECK_THROWS_AS(gaussian_log_delta(bad, 1), std::invalid_argument);
    CHECK_THROWS_AS(gaussian_log_delta(1, bad), std::invalid_argument);
    CHECK_THROWS_AS(gaussian_epsilon(bad, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(gaussian_epsilon(1, bad), std::invalid_argument);
    CHECK_THROWS_AS(gaussian_multiplier(bad, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(gaussian_multiplier(1, bad), std::invalid_argument);
  }
  CHECK_THROWS_WITH(gaussian_multiplier(1, 1.5), "dplda::gaussian_multiplier: delta is 1.5, but must lie in [0, 1]");
}

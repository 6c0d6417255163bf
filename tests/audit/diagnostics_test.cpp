// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/diagnostics.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "support/catch.hpp"

using namespace dplda;
using Catch::Approx;

TEST_CASE("A NaN p-value is refused", "[audit]") {
  CHECK_THROWS_AS(dplda::false_discovery_rejections({0.1, std::nan(""), 0.2}), std::invalid_argument);
}

TEST_CASE("The Shapiro-Wilk test agrees with SciPy") {
  const std::vector<double> values{2.1, 3.4, 1.9, 5.6, 2.2, 8.1, 3.3, 2.7, 4.0, 3.1, 2.5, 9.9};
  struct row {
    std::size_t size;
    double w, p;
  };
  // scipy.stats.shapiro 1.10, whose weights are in single precision.
  for (const row& r :
       {row{3, 0.8479899764, 0.2350882292}, row{5, 0.8032968640, 0.0861825868}, row{8, 0.8070709109, 0.0340580009},
        row{11, 0.8015408516, 0.0098569198}, row{12, 0.7884836197, 0.0069508986}}) {
    const test_result result = shapiro_wilk(std::span(values).first(r.size));
    CHECK(result.statistic == Approx(r.w).epsilon(1e-6));
    CHECK(result.p_value == Approx(r.p).epsilon(2e-5));
  }
}

TEST_CASE("The Shapiro-Wilk test keeps its level and has power") {
  auto bits = seeded_random(3).stream("values");
  for (const std::size_t size : {7u, 64u, 500u}) {
    int normal_rejected = 0, uniform_rejected = 0, shifted = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> bell(size), flat(size), moved(size);
      for (std::size_t j = 0; j < size; ++j) {
        bell[j] = normal(bits);
        flat[j] = std::exp(2 * bell[j]);
        moved[j] = 1e6 - 1e-3 * bell[j];
      }
      const bool rejected = shapiro_wilk(bell).p_value < 0.05;
      normal_rejected += rejected;
      uniform_rejected += shapiro_wilk(flat).p_value < 0.05;
      shifted += rejected != (shapiro_wilk(moved).p_value < 0.05);
    }
    CHECK(std::abs(normal_rejected - 100) < 60);  // six standard deviations
    CHECK(uniform_rejected > (size > 10 ? 1900 : 900));
    CHECK(shifted < 10);  // location and scale do not matter, but for rounding
  }
}

TEST_CASE("The Shapiro-Wilk test of few, equal and invalid values") {
  CHECK(shapiro_wilk(std::vector<double>{1, 1, 1, 1}).p_value == 0);
  CHECK(shapiro_wilk(std::vector<double>{-1, 0, 1}).p_value == Approx(1));
  CHECK_THROWS_AS(shapiro_wilk(std::vector<double>{1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(shapiro_wilk(std::vector<double>(5001, 1)), std::invalid_argument);
  CHECK_THROWS_AS(shapiro_wilk(std::vector<double>{1, 2, NAN}), std::invalid_argument);
}

TEST_CASE("False discovery rate") {
  // Benjamini and Hochberg's own example (1995, section 3.1): 4 of 15 at 5 %.
  const std::vector<double> published{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                      0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  CHECK(false_discovery_rejections(published, 0.05) == 4);
  CHECK(false_discovery_rejections({0.9, 0.04, 0.03}, 0.06) == 2);  // a later one pulls an earlier one in
  CHECK(false_discovery_rejections({}, 0.05) == 0);
  CHECK_THROWS_AS(false_discovery_rejections({0.1}, 0), std::invalid_argument);
}

TEST_CASE("Normality of a table's documents") {
  auto bits = seeded_random(4).stream("table");
  Eigen::MatrixXd statistics(40, 2);
  membership members(40, 2);
  for (Eigen::Index s = 0; s < 40; ++s) {
    members(s, 0) = members(s, 1) = s < 20;
    statistics(s, 0) = normal(bits) + (s < 20 ? 100 : 0);  // normal on each side, not together
    statistics(s, 1) = std::exp(3 * normal(bits));
  }
  const auto p_values = normality_p_values(statistics, members);
  REQUIRE(p_values.size() == 4);
  CHECK(p_values[0] > 0.01);
  CHECK(p_values[1] > 0.01);
  CHECK(p_values[2] < 1e-3);
  CHECK(p_values[3] < 1e-3);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/output_perturbation/noisy_rows.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace dplda;
using matrix = topic_model<>::matrix;

namespace {

matrix random_matrix(Eigen::Index rows, Eigen::Index columns, double scale, std::uint64_t seed) {
  chacha20 bits = seeded_random(seed).stream("test");
  matrix values(rows, columns);
  for (double& x : values.reshaped()) x = scale * normal(bits) + 1 / static_cast<double>(columns);
  return values;
}

}  // namespace

TEST_CASE("noisy rows become distributions") {
  for (const row_repair repair : {row_repair::projection, row_repair::clamp}) {
    for (const double scale : {0.0, 1e-300, 1e-3, 1.0, 1e3, 1e17, 1e307}) {
      const matrix repaired = repaired_rows(random_matrix(4, 30, scale, 1), repair);
      CHECK(repaired.minCoeff() >= 0);
      for (Eigen::Index k = 0; k < 4; ++k) CHECK(repaired.row(k).sum() == Catch::Approx(1).epsilon(1e-12));
    }
    // A distribution does not change.
    matrix distribution(1, 3);
    distribution << 0.25, 0, 0.75;
    CHECK((repaired_rows(distribution, repair) - distribution).norm() < 1e-15);
  }
}

TEST_CASE("noisy rows: the projection is the nearest distribution") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const matrix noisy = random_matrix(1, 20, 0.05 * static_cast<double>(seed), seed);
    const matrix p = repaired_rows(noisy);
    // x - p is constant where p > 0, and not above that constant elsewhere: the condition for the nearest point.
    Eigen::Index top = 0;
    p.row(0).maxCoeff(&top);
    const double shift = noisy(0, top) - p(0, top);
    for (Eigen::Index v = 0; v < 20; ++v) {
      if (p(0, v) > 0) CHECK(noisy(0, v) - p(0, v) == Catch::Approx(shift).margin(1e-12));
      if (p(0, v) == 0) CHECK(noisy(0, v) <= shift + 1e-12);
    }
    CHECK((p - noisy).norm() <= (repaired_rows(noisy, row_repair::clamp) - noisy).norm() + 1e-12);
  }
}

TEST_CASE("noisy rows: extremes") {
  const matrix negative = matrix::Constant(2, 4, -3);
  CHECK(repaired_rows(negative, row_repair::clamp) == matrix::Constant(2, 4, 0.25));
  CHECK(repaired_rows(negative) == matrix::Constant(2, 4, 0.25));
  matrix one(1, 2);
  one << 5, -5;
  CHECK(repaired_rows(one)(0, 0) == 1);
  one << std::numeric_limits<double>::quiet_NaN(), 0;
  CHECK_THROWS_AS(repaired_rows(one), std::invalid_argument);
  one << std::numeric_limits<double>::infinity(), 0;
  CHECK_THROWS_AS(repaired_rows(one, row_repair::clamp), std::invalid_argument);
  CHECK_THROWS_AS(repaired_rows(matrix(3, 0)), std::invalid_argument);
  CHECK(repaired_rows(matrix(0, 3)).rows() == 0);
}

// SPDX-License-Identifier: Apache-2.0
// What equal noise in all steps costs where later tables weigh more.
#include <dplda/inference/private_topics/detail/noisy_topics.hpp>

#include "support/catch.hpp"

#include <cmath>

using namespace dplda;

namespace {

/// The noise on the mean of tables with weights 1, 2, .., steps, relative to one release for the same privacy. The
/// variance of step t is proportional to t^-power, and the precisions add up to that of the one release.
double noise_of_mean(int steps, double power) {
  double precision = 0, weight = 0, variance = 0;
  for (int t = 1; t <= steps; ++t) {
    precision += std::pow(t, power);
    weight += t;
    variance += t * t * std::pow(t, -power);
  }
  return std::sqrt(precision * variance) / weight;
}

}  // namespace

TEST_CASE("Uneven steps could take off at most an eighth of the noise", "[inference][private_topics]") {
  CHECK(std::abs(noise_of_mean(30, 0) - 1.145) < 5e-4);
  CHECK(std::abs(noise_of_mean(30, 0.5) - 1.031) < 2e-3);
  CHECK(std::abs(noise_of_mean(30, 1) - 1) < 1e-12);  // as much as one release, the least possible
  // The learners have equal noise: one release's, times the root of the number of steps.
  for (const int steps : {5, 30, 100})
    CHECK(std::abs(std::sqrt(steps) * detail::noisy_topics::noise_left(steps) / noise_of_mean(steps, 0) - 1) < 1e-9);
}

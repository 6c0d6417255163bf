// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/noisy_mean.hpp>

#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstddef>

using Catch::Approx;
using dplda::mean_interval;
using dplda::noisy_mean;

TEST_CASE("Intervals of noisy means have their reference values", "[analysis][score]") {
  // Nearly without noise: 0.3 and its 95 % interval for the variance 0.25 - 0.09 of 100 units.
  const noisy_mean exact{.sum = 30, .noise = 1e-12, .units = 100, .units_noise = 1e-12, .squares = 25};
  CHECK(exact.mean() == 0.3);
  CHECK(exact.variance() == Approx(0.16).epsilon(1e-12));
  CHECK(exact.interval().low == Approx(0.3 - 1.9599639845400542 * 0.04).epsilon(1e-9));
  CHECK(exact.interval().high == Approx(0.3 + 1.9599639845400542 * 0.04).epsilon(1e-9));
  // The roots m of (40 - 200 m)^2 = z^2 (5^2 + 10^2 m^2), where z^2 = 3.841458820694124: a = 40000 - 100 z^2, b = 8000,
  // c = 1600 - 25 z^2.
  const noisy_mean noisy{.sum = 40, .noise = 5, .units = 200, .units_noise = 10, .squares = 20};
  const double a = 39615.8541179305876, b = 8000, c = 1503.9635294826469;
  const double half = std::sqrt(b * b - a * c) / a;
  CHECK(noisy.noise_interval().low == Approx(b / a - half).epsilon(1e-9));
  CHECK(noisy.noise_interval().high == Approx(b / a + half).epsilon(1e-9));
  // The same with the variance 20 / 200 - 0.2^2 of each of 200 units.
  const double wider = std::sqrt(b * b - a * (c - 3.841458820694124 * 200 * 0.06)) / a;
  CHECK(noisy.interval().low == Approx(b / a - wider).epsilon(1e-9));
  CHECK(noisy.interval().high == Approx(b / a + wider).epsilon(1e-9));
  // A public number of units.
  const noisy_mean counted{.sum = 40, .noise = 5, .units = 200, .squares = 20};
  CHECK(counted.noise_interval().low == Approx(0.2 - 1.9599639845400542 * 5 / 200).epsilon(1e-9));
}

TEST_CASE("Noisy means stay within their bound", "[analysis][score]") {
  const noisy_mean little{.sum = 9, .noise = 5, .units = 9, .units_noise = 5, .squares = 9};
  CHECK_FALSE(little.tells());
  CHECK(little.mean() == 0);
  CHECK(little.variance() == 1);
  CHECK(little.noise_interval() == mean_interval{-1, 1});
  CHECK(little.interval() == mean_interval{-1, 1});
  // Noise beyond the bound leaves an interval of a standard deviation at the bound.
  const noisy_mean high{.sum = 300, .noise = 5, .units = 200, .units_noise = 10, .squares = 0};
  CHECK(high.mean() == 1);
  CHECK(high.noise_interval().high == 1);
  CHECK(high.noise_interval().low == Approx(1 - 5.0 / 200));
  const noisy_mean low{.sum = -300, .noise = 5, .units = 200, .units_noise = 10, .squares = 900};
  CHECK(low.noise_interval().low == -1);
  CHECK(low.noise_interval().high == Approx(-1 + 5.0 / 200));
  CHECK(low.variance() == 0);  // no numbers within [-1, 1] of the mean -1 differ
  // Fewer units, all public, than the noise on their sum.
  const noisy_mean few{.sum = 2, .noise = 50, .units = 4, .squares = 1};
  CHECK(few.noise_interval() == mean_interval{-1, 1});
  CHECK_FALSE(noisy_mean{.sum = 1, .noise = 1, .units = 0}.tells());
}

// Each coverage has a standard deviation of 0.0016: a false alarm beyond 5 of them has probability 6e-7.
TEST_CASE("Noise intervals of means cover in 95 of 100 cases", "[analysis][score]") {
  dplda::chacha20 bits = dplda::seeded_random(1).stream("means");
  for (const double units : {10.0, 30.0, 300.0}) {
    std::size_t covered = 0, with_wrong_noise = 0;
    for (int run = 0; run < 20000; ++run) {
      const double sum = 0.4 * units + 4 * dplda::normal(bits), count = units + 8 * dplda::normal(bits);
      noisy_mean drawn{.sum = sum, .noise = 4, .units = count, .units_noise = 8};
      covered += drawn.noise_interval().contains(0.4) ? 1 : 0;
      drawn.noise *= 0.9;
      drawn.units_noise *= 0.9;
      with_wrong_noise += drawn.noise_interval().contains(0.4) ? 1 : 0;
    }
    CAPTURE(units, covered, with_wrong_noise);
    CHECK(covered > 18840);
    if (units > 20) CHECK(covered < 19160);
    if (units > 20) CHECK(with_wrong_noise < 18840);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/gaussian.hpp>
#include <dplda/mechanisms/detail/sparse_threshold.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace {

using namespace dplda::detail;

double normal_tail(double x) { return std::erfc(x / std::sqrt(2.0)) / 2; }
double laplace_tail(double x) { return x > 0 ? std::exp(-x) / 2 : 1 - std::exp(x) / 2; }

}  // namespace

TEST_CASE("Thresholds of Gopi et al. to the printed digits", "[sparse_threshold]") {
  struct line {
    double epsilon, delta, laplace, sigma, gaussian;
  };
  for (const line& l : {line{3, 1e-5, 5.1516, 1.4381, 7.7602}, line{3, std::exp(-10.0), 4.6473, 1.3328, 6.8237},
                        line{1, 1e-5, 15.4349, 3.8841, 20.7897}}) {
    CAPTURE(l.epsilon, l.delta);
    CHECK(std::abs(laplace_equal_threshold(1 / l.epsilon, l.delta, 100) - l.laplace) < 1e-4);
    const double sigma = dplda::gaussian_multiplier(l.epsilon, l.delta / 2);
    CHECK(std::abs(sigma - l.sigma) < 1e-4);
    CHECK(std::abs(gaussian_equal_threshold(sigma, l.delta / 2, 100) - l.gaussian) < 1e-4);
  }
}

TEST_CASE("The corrected threshold of Carvalho et al. and the published one", "[sparse_threshold]") {
  CHECK(std::abs(laplace_any_threshold(1, 1e-5, 84) - 15.27) < 0.005);
  CHECK(std::abs(laplace_any_threshold(1, 1e-5, 1) - 11.82) < 0.005);
  CHECK(std::abs(laplace_any_threshold(1, 1e-5, 1) - (1 + std::log(1 / 2e-5))) < 1e-12);
}

TEST_CASE("The threshold of counts is that of Korolova and Wilson", "[sparse_threshold]") {
  // In units of a count, which is 1 / cells here: 1 - (cells / epsilon) ln(2 (1 - (1 - delta)^(1 / cells))).
  for (const double cells : {1.0, 10.0, 300.0}) {
    const double epsilon = 2, delta = 1e-6;
    const double printed = 1 - cells / epsilon * std::log(2 * (-std::expm1(std::log1p(-delta) / cells)));
    CHECK(laplace_equal_threshold_of(1 / epsilon, delta, cells) * cells == Catch::Approx(printed).epsilon(1e-12));
  }
}

TEST_CASE("At the threshold equal weights pass with probability at most, and nearly, delta", "[sparse_threshold]") {
  for (const double z : {0.05, 0.5, 1.5, 4.0, 40.0}) {
    for (const double delta : {0.3, 1e-3, 1e-8, 1e-30}) {
      for (const std::size_t cells : {1u, 7u, 256u}) {
        CAPTURE(z, delta, cells);
        const double gaussian = gaussian_equal_threshold(z, delta, cells);
        const double laplace = laplace_equal_threshold(z, delta, cells);
        double passes_g = 0, passes_l = 0;
        for (std::size_t t = 1; t <= cells; ++t) {
          const auto n = static_cast<double>(t);
          const double g = normal_tail((gaussian - 1 / std::sqrt(n)) / z), l = laplace_tail((laplace - 1 / n) / z);
          passes_g = std::max(passes_g, -std::expm1(n * std::log1p(-g)));
          passes_l = std::max(passes_l, -std::expm1(n * std::log1p(-l)));
        }
        CHECK(passes_g <= delta * (1 + 1e-12));
        CHECK(passes_l <= delta * (1 + 1e-12));
        CHECK((passes_g >= delta * (1 - 1e-8) || gaussian == 0));
        CHECK(passes_l >= delta * (1 - 1e-8));
      }
    }
  }
}

TEST_CASE("No weights within the norm pass more often than delta", "[sparse_threshold]") {
  std::mt19937_64 bits(1);
  std::exponential_distribution<double> exponential;
  for (const double z : {0.2, 0.5, 0.92, 1.44, 4.0}) {
    for (const double delta : {0.05, 5e-6, 1e-12}) {
      for (const std::size_t cells : {1u, 3u, 40u, 256u}) {
        CAPTURE(z, delta, cells);
        const double gaussian = gaussian_any_threshold(z, delta, cells);
        const double laplace = laplace_any_threshold(z, delta, cells);
        double most_g = 0, most_l = 0;
        const auto try_weights = [&](const std::vector<double>& x) {  // sums to 1
          double g = 0, l = 0;
          for (const double each : x) {
            g += normal_tail((gaussian - std::sqrt(each)) / z);
            l += laplace_tail((laplace - each) / z);
          }
          most_g = std::max(most_g, g);
          most_l = std::max(most_l, l);
        };
        // One large weight, and the rest equal or none: the extremes, between them any random ones.
        for (std::size_t equal = 0; equal < cells; ++equal) {
          for (int part = 0; part <= (equal == 0 ? 0 : 50); ++part) {
            std::vector<double> x(cells, 0);
            x[0] = 1 - part / 50.0;
            for (std::size_t i = 1; i <= equal; ++i) x[i] = part / 50.0 / static_cast<double>(equal);
            try_weights(x);
          }
        }
        for (int round = 0; round < 100; ++round) {
          std::vector<double> x(cells);
          double sum = 0;
          for (double& each : x) sum += each = std::pow(exponential(bits), 1 + round % 5);
          for (double& each : x) each /= sum;
          try_weights(x);
        }
        CHECK(most_g <= delta);
        CHECK(most_g >= 0.8 * delta);
        CHECK(most_l <= delta * (1 + 1e-12));
        CHECK(most_l >= 0.99 * delta);
        CHECK(gaussian >= gaussian_equal_threshold(z, delta, cells) * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("Thresholds of tiny deltas are finite and rise as delta falls", "[sparse_threshold]") {
  double last_equal = 0, last_any = 0;
  for (const double delta : {1e-3, 1e-30, 1e-100, 1e-300}) {
    const double equal = gaussian_equal_threshold(1, delta, 100), any = gaussian_any_threshold(1, delta, 100);
    CHECK(equal > last_equal);
    CHECK(any > last_any);
    CHECK(any < 45);
    last_equal = equal;
    last_any = any;
  }
}

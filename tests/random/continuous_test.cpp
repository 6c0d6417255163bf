// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/continuous.hpp>

#include "support/catch.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

// Kolmogorov's distance of a sample from a distribution, times sqrt(n). Below 1.95 with probability 0.999 for the right
// one.
template <class Cdf>
double kolmogorov(std::vector<double> sample, Cdf&& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

}  // namespace

TEST_CASE("normal follows the standard normal distribution", "[random][continuous]") {
  dplda::chacha20 bits({1}, 0);
  std::vector<double> sample(20000);
  for (double& x : sample) x = dplda::normal(bits);
  CHECK(kolmogorov(sample, [](double x) { return cdf(boost::math::normal(), x); }) < 1.95);
  // The test has the power to reject a scale that is off by a tenth.
  CHECK(kolmogorov(sample, [](double x) { return cdf(boost::math::normal(0, 1.1), x); }) > 1.95);
}

TEST_CASE("log_gamma_variate follows the gamma distribution", "[random][continuous]") {
  const double shape = GENERATE(0.05, 0.5, 1.0, 3.7, 200.0);
  CAPTURE(shape);
  dplda::chacha20 bits({2}, 0);
  std::vector<double> sample(20000);
  for (double& x : sample) x = std::exp(dplda::log_gamma_variate(bits, shape));
  const boost::math::gamma_distribution<> truth(shape), wrong(shape * 1.1);
  CHECK(kolmogorov(sample, [&](double x) { return cdf(truth, x); }) < 1.95);
  CHECK(kolmogorov(sample, [&](double x) { return cdf(wrong, x); }) > 1.95);
}

TEST_CASE("log_gamma_variate stays finite where the value itself underflows", "[random][continuous]") {
  dplda::chacha20 bits({3}, 0);
  for (int i = 0; i < 1000; ++i) CHECK(std::isfinite(dplda::log_gamma_variate(bits, 1e-4)));
}

TEST_CASE("dirichlet has beta marginals and sums to 1", "[random][continuous]") {
  dplda::chacha20 bits({4}, 0);
  const std::vector<double> parameters{0.3, 1.0, 2.2};
  std::vector<double> point(3), first(20000);
  for (double& x : first) {
    dplda::dirichlet(bits, parameters, point);
    REQUIRE(std::accumulate(point.begin(), point.end(), 0.0) == Catch::Approx(1).epsilon(1e-14));
    x = point[0];
  }
  CHECK(kolmogorov(first, [](double x) { return cdf(boost::math::beta_distribution<>(0.3, 3.2), x); }) < 1.95);
  CHECK(kolmogorov(first, [](double x) { return cdf(boost::math::beta_distribution<>(0.4, 3.2), x); }) > 1.95);
}

TEST_CASE("dirichlet of tiny parameters puts its mass on one entry, without NaN", "[random][continuous]") {
  dplda::chacha20 bits({5}, 0);
  const std::vector<double> parameters(10, 1e-5);
  std::vector<double> point(10);
  for (int i = 0; i < 1000; ++i) {
    dplda::dirichlet(bits, parameters, point);
    REQUIRE(*std::max_element(point.begin(), point.end()) > 0.999);
    REQUIRE(std::accumulate(point.begin(), point.end(), 0.0) == Catch::Approx(1));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/private_topics/detail/ratio_prior.hpp>

#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

using dplda::detail::noisy_numbers;
using dplda::detail::ratio_prior;

namespace {

struct drawn {
  noisy_numbers numbers;
  Eigen::VectorXd truth;
};

// Ratios of a discrete prior of mean 1, with noise.
drawn draw(const std::vector<std::pair<double, double>>& ratios, Eigen::Index n, double expected, double noise) {
  auto bits = dplda::seeded_random(3).stream("ratios");
  drawn all{{Eigen::VectorXd(n), Eigen::VectorXd::Constant(n, noise), Eigen::VectorXd::Constant(n, expected)},
            Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    double u = dplda::uniform_open(bits);
    std::size_t j = 0;
    while (j + 1 < ratios.size() && u >= ratios[j].second) u -= ratios[j++].second;
    all.truth[i] = expected * ratios[j].first;
    all.numbers.values[i] = all.truth[i] + noise * dplda::normal(bits);
  }
  return all;
}

double posterior_mean(const std::vector<std::pair<double, double>>& ratios, double y, double noise, double expected) {
  double sum = 0, first = 0;
  for (const auto& [ratio, weight] : ratios) {
    const double z = (y - ratio * expected) / noise, w = weight * std::exp(-z * z / 2);
    sum += w;
    first += w * ratio * expected;
  }
  return first / sum;
}

double error(const Eigen::VectorXd& estimate, const Eigen::VectorXd& truth) {
  return (estimate - truth).squaredNorm() / static_cast<double>(truth.size());
}

}  // namespace

TEST_CASE("A fitted prior of ratios loses little against the true one", "[inference][ratio_prior]") {
  // Mostly 0.25 and sometimes 8.5: no Gamma distribution looks like this. Where the noise is less than the width of the
  // components, half of it is left at most.
  const std::vector<std::pair<double, double>> ratios{{0.25, 10.0 / 11}, {8.5, 1.0 / 11}};
  for (const double noise : {0.5, 1.0, 2.0, 4.0}) {
    const drawn all = draw(ratios, 20000, 1, noise);
    Eigen::VectorXd exact(all.truth.size());
    for (Eigen::Index i = 0; i < exact.size(); ++i) exact[i] = posterior_mean(ratios, all.numbers.values[i], noise, 1);
    const double fitted = error(ratio_prior(all.numbers).means(all.numbers), all.truth);
    CAPTURE(noise, fitted, error(exact, all.truth));
    CHECK(fitted < (noise < 2 ? 0.5 * noise * noise : 1.25 * error(exact, all.truth)));
  }
}

TEST_CASE("The mean ratio is 1, whatever the values say", "[inference][ratio_prior]") {
  const drawn all = draw({{3, 1}}, 3000, 1, 1);  // three times as much as expected
  const ratio_prior prior(all.numbers);
  // With noise far beyond all ratios, in the class that holds no number and in that of the numbers, the value tells
  // nothing.
  CHECK(prior.mean(0, 1e6, 1) == Catch::Approx(1).epsilon(0.01));
  CHECK(prior.mean(5e5, 1e6, 1) == Catch::Approx(1).epsilon(0.01));
}

TEST_CASE("Values without noise stay, and values without signal give what was expected", "[inference][ratio_prior]") {
  const drawn clear = draw({{0.1, 0.9}, {9.1, 0.1}}, 2000, 1, 1e-4);
  const Eigen::VectorXd kept = ratio_prior(clear.numbers).means(clear.numbers);
  CHECK((kept - clear.truth).cwiseAbs().maxCoeff() < 1e-3);
  const drawn noise = draw({{1, 1}}, 5000, 1, 10);
  const Eigen::VectorXd expected = ratio_prior(noise.numbers).means(noise.numbers);
  CHECK(expected.mean() == Catch::Approx(1).epsilon(0.1));
  CHECK(error(expected, noise.truth) < 0.1);
}

TEST_CASE("Beyond the largest component, a clear value stays", "[inference][ratio_prior]") {
  noisy_numbers numbers{Eigen::VectorXd::Ones(500), Eigen::VectorXd::Constant(500, 0.5), Eigen::VectorXd::Ones(500)};
  numbers.values[7] = 5000;
  CHECK(ratio_prior(numbers).means(numbers)[7] == Catch::Approx(5000).epsilon(0.01));
}

TEST_CASE("Shrunk numbers are positive and finite for every value", "[inference][ratio_prior]") {
  noisy_numbers numbers{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Ones(6), Eigen::VectorXd::Ones(6)};
  numbers.values << 0, -1e5, 1e5, -3, 1e100, 1;
  numbers.noise << 1, 1, 1e-8, 1e50, 1e90, 1e-100;
  numbers.expected << 1e-50, 1, 1e9, 1e-9, 1e5, 1e-90;
  const Eigen::VectorXd shrunk = ratio_prior(numbers).means(numbers);
  CHECK(shrunk.allFinite());
  CHECK(shrunk.minCoeff() > 0);
  CHECK(ratio_prior({Eigen::VectorXd(), Eigen::VectorXd(), Eigen::VectorXd()}).mean(2, 1, 3) > 0);
}

// SPDX-License-Identifier: Apache-2.0
// False alarms: each coverage check allows six standard deviations of a binomial count above its level, a chance below
// 1e-9 for a right bound; seeds are fixed.
#include <dplda/accounting/gaussian.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace dplda;
using Catch::Approx;

namespace {

constexpr std::uint64_t repetitions = 400;

// Whether `count` of all repetitions is more than a share of `level` explains.
bool too_many(std::uint64_t count, double level, std::uint64_t of = repetitions) {
  const auto n = static_cast<double>(of);
  return static_cast<double>(count) > n * level + 6 * std::sqrt(n * level * (1 - level));
}

template <class Draw>
std::vector<double> sample(std::size_t n, Draw&& draw) {
  std::vector<double> values(n);
  for (double& value : values) value = draw();
  return values;
}

template <class Bits>
double laplace(Bits& bits) {
  return std::log(uniform_open(bits)) - std::log(uniform_open(bits));
}

}  // namespace

TEST_CASE("What a perfect attack can prove") {
  struct row {
    std::uint64_t trials;
    double epsilon;
  };
  for (const row& r : {row{64, 2.8246}, row{128, 3.5323}, row{500, 4.9056}, row{1000, 5.6006}, row{10000, 7.9048}}) {
    const double least = std::exp(std::log(0.025) / static_cast<double>(r.trials));
    CHECK(epsilon_lower_bound({r.trials, r.trials, 0, r.trials}, 0) == Approx(r.epsilon).margin(5e-5));
    CHECK(epsilon_lower_bound({r.trials, r.trials, 0, r.trials}, 0) ==
          Approx(std::log(least / (1 - least))).epsilon(1e-8));
  }
}

TEST_CASE("The bound from counts") {
  // 90 of 100 right, 5 of 100 wrong, delta 0.05, from the intervals themselves.
  const double tpr = clopper_pearson(90, 100).low, fpr = clopper_pearson(5, 100).high;
  CHECK(epsilon_lower_bound({90, 100, 5, 100}, 0.05) ==
        Approx(std::max(std::log((tpr - 0.05) / fpr), std::log((1 - fpr - 0.05) / (1 - tpr)))));
  // Exchanging the answers gives the same bound: DP covers both orders.
  CHECK(epsilon_lower_bound({95, 100, 10, 100}, 0.05) == Approx(epsilon_lower_bound({90, 100, 5, 100}, 0.05)));
  CHECK(epsilon_lower_bound({50, 100, 50, 100}, 0) == 0);
  CHECK(epsilon_lower_bound({0, 100, 100, 100}, 0) == 0);
  CHECK(epsilon_lower_bound({0, 0, 0, 0}, 0) == 0);
  CHECK(epsilon_lower_bound({100, 100, 0, 100}, 1) == 0);
  CHECK_THROWS_AS(epsilon_lower_bound({2, 1, 0, 1}, 0), std::invalid_argument);
  CHECK_THROWS_AS(epsilon_lower_bound({1, 1, 0, 1}, -1), std::invalid_argument);
}

TEST_CASE("The Gaussian bound from counts") {
  const attack_counts counts{800, 1000, 100, 1000};
  const double tpr = clopper_pearson(800, 1000).low, fpr = clopper_pearson(100, 1000).high;
  const double mu = gaussian_mu_lower_bound(counts);
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  // mu carries the threshold of one rate to the other.
  double t = -3;
  for (double step = 4; step > 1e-13; step /= 2) t += phi(t + step) <= fpr ? step : 0;
  CHECK(phi(t + mu) == Approx(tpr).epsilon(1e-8));
  CHECK(gaussian_epsilon_lower_bound(counts, 1e-5) == Approx(gaussian_epsilon(1 / mu, 1e-5)).epsilon(1e-8));
  CHECK(gaussian_epsilon_lower_bound(counts, 1e-5) > epsilon_lower_bound(counts, 1e-5));
  CHECK(gaussian_mu_lower_bound({10, 100, 60, 100}) == 0);
  CHECK(gaussian_epsilon_lower_bound({10, 100, 60, 100}, 1e-5) == 0);
}

TEST_CASE("One run: the bounds agree with SciPy") {
  // Computed with SciPy's binomial law from Theorem 5.2.
  CHECK(one_run_epsilon({1000, 1000, 1000}, 1e-5) == Approx(5.782283135394).epsilon(1e-9));
  CHECK(one_run_epsilon({1000, 100, 100}, 1e-5) == Approx(3.465376347811).epsilon(1e-9));
  CHECK(one_run_epsilon({1000, 100, 90}, 1e-5) == Approx(1.626143480696).epsilon(1e-9));
  CHECK(one_run_epsilon({5000, 100, 99}, 1e-5) == Approx(2.934259937919).epsilon(1e-9));
  // Without delta and all right: q^r = 0.05.
  const double q = std::exp(std::log(0.05) / 100);
  CHECK(one_run_epsilon({100, 100, 100}, 0) == Approx(std::log(q / (1 - q))).epsilon(1e-9));
  CHECK(one_run_epsilon({100, 100, 50}, 0) == 0);
  CHECK(one_run_epsilon({100, 0, 0}, 0) == 0);
  CHECK(one_run_epsilon({100, 100, 100}, 1) == 0);
}

TEST_CASE("One run: the p-value is the theorem's") {
  for (const std::uint64_t r : {1u, 7u, 40u}) {
    for (std::uint64_t v = 1; v <= r; v += 1 + r / 5) {
      for (const double epsilon : {0.0, 0.5, 3.0}) {
        const double q = std::exp(epsilon) / (1 + std::exp(epsilon)), n = static_cast<double>(r);
        std::vector<double> mass(r + 1);
        double choose = 1;
        for (std::uint64_t k = 0; k <= r; ++k) {
          mass[k] = choose * std::pow(q, k) * std::pow(1 - q, r - k);
          choose *= (n - static_cast<double>(k)) / static_cast<double>(k + 1);
        }
        double beta = 0, alpha = 0, sum = 0;
        for (std::uint64_t k = v; k <= r; ++k) beta += mass[k];
        for (std::uint64_t i = 1; i <= v; ++i) {
          sum += mass[v - i];
          alpha = std::max(alpha, sum / static_cast<double>(i));
        }
        CAPTURE(r, v, epsilon);
        CHECK(one_run_p_value({50, r, v}, epsilon, 1e-3) == Approx(std::min(1.0, beta + 0.1 * alpha)).epsilon(1e-10));
      }
    }
  }
  CHECK(one_run_p_value({50, 10, 0}, 1, 0) == 1);
  CHECK_THROWS_AS(one_run_p_value({5, 10, 1}, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(one_run_p_value({50, 10, 11}, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(one_run_p_value({50, 10, 1}, -1, 0), std::invalid_argument);
}

TEST_CASE("One run: the p-value if its first term underflows") {
  // Theorem 5.2 in 40 digits, by mpmath. At epsilon = 0 the first mass is below 2^-1180.
  CHECK(one_run_p_value({10000, 10000, 10000}, 0, 1e-3) == Approx(3.88175503882494e-3).epsilon(1e-10));
  CHECK(one_run_p_value({20000, 4000, 4000}, 0, 1e-4) == Approx(1.91259722929964e-3).epsilon(1e-10));
  CHECK(one_run_p_value({6000, 1200, 1200}, 0, 1e-4) == Approx(1.85687279374203e-3).epsilon(1e-10));
  CHECK(one_run_p_value({20000, 4000, 3900}, 0.5, 1e-4) == Approx(2.67440852399688e-3).epsilon(1e-10));
  CHECK(one_run_p_value({10000, 10000, 10000}, 2, 1e-7) == Approx(1.56218662537331e-6).epsilon(1e-10));
  CHECK(one_run_epsilon({10000, 10000, 10000}, 1e-3, 0.999) == 0);
  CHECK(one_run_epsilon({20000, 4000, 4000}, 1e-4, 0.999) == 0);
  CHECK(one_run_epsilon({6000, 1200, 1200}, 1e-4, 0.999) == 0);
}

TEST_CASE("Guesses use the highest and the lowest scores") {
  const std::vector<double> scores{5, 1, 4, 2, 3};
  const std::vector<bool> in{true, false, false, true, true};
  CHECK(guess_canaries(scores, in, 0).correct == 0);
  CHECK(guess_canaries(scores, in, 1).correct == 1);  // 5 in
  CHECK(guess_canaries(scores, in, 2).correct == 2);  // and 1 out
  CHECK(guess_canaries(scores, in, 3).correct == 2);  // 4 is not in
  CHECK(guess_canaries(scores, in, 4).correct == 2);  // 2 is not out
  CHECK(guess_canaries(scores, in, 5).correct == 3);
  CHECK_THROWS_AS(guess_canaries(scores, in, 6), std::invalid_argument);
  CHECK_THROWS_AS(guess_canaries(scores, {true}, 1), std::invalid_argument);
  CHECK(dplda_tests::refusal([&] {
          guess_canaries(std::vector<double>{1, NAN}, {true, false}, 1);
        }) == "dplda::guess_canaries: score is nan, but must be a number");
}

TEST_CASE("Repeated runs exceed the true epsilon no more often than their level") {
  auto bits = seeded_random(11).stream("runs");
  const double level = 0.2, delta = 0.01, z = 1.0;
  const double gaussian_truth = gaussian_epsilon(z, delta), laplace_truth = 1;
  for (const auto choice : {threshold_choice::bonferroni, threshold_choice::split}) {
    std::uint64_t gaussian = 0, as_gaussian = 0, with_laplace = 0;
    double most = 0;
    for (std::uint64_t i = 0; i < repetitions; ++i) {
      const auto out = sample(150, [&] { return z * normal(bits); });
      const auto in = sample(150, [&] { return 1 + z * normal(bits); });
      const score_audit_options options{.delta = delta, .confidence = 1 - level, .choice = choice};
      score_audit_options gaussian_options = options;
      gaussian_options.gaussian = true;
      gaussian += audited_epsilon(in, out, options) > gaussian_truth;
      const double bound = audited_epsilon(in, out, gaussian_options);
      as_gaussian += bound > gaussian_truth;
      most = std::max(most, bound);
      const auto laplace_out = sample(150, [&] { return laplace(bits); });
      const auto laplace_in = sample(150, [&] { return 1 + laplace(bits); });
      with_laplace += audited_epsilon(laplace_in, laplace_out,
                                      {.delta = 0, .confidence = 1 - level, .choice = choice}) > laplace_truth;
    }
    CHECK_FALSE(too_many(gaussian, level));
    CHECK_FALSE(too_many(as_gaussian, level));
    CHECK_FALSE(too_many(with_laplace, level));
    CHECK(most > gaussian_truth / 2);  // the audit has power
  }
}

TEST_CASE("The choice among many thresholds is corrected for") {
  // The rates with the unit are known to a percent, those without are not, so each threshold errs with nearly half of
  // its level. With Laplace noise every threshold beyond the shift can overstate the whole epsilon. The bound must keep
  // its level there. The same bound without its correction must not, otherwise this test would have no power.
  auto bits = seeded_random(16).stream("runs");
  const double level = 0.05, epsilon = 0.2;
  const std::uint64_t many = 2000;
  auto in = sample(40000, [&] { return epsilon + laplace(bits); });
  std::sort(in.begin(), in.end());
  std::uint64_t wrong = 0, uncorrected = 0;
  for (std::uint64_t i = 0; i < many; ++i) {
    auto out = sample(256, [&] { return laplace(bits); });
    wrong += audited_epsilon(in, out, {.delta = 0, .confidence = 1 - level}) > epsilon;
    std::sort(out.begin(), out.end(), std::greater<>());
    double best = 0;
    for (const std::size_t rank : detail::doubling_ranks(out.size())) {
      const auto beyond = in.end() - std::upper_bound(in.begin(), in.end(), out[rank]);
      const attack_counts counts{static_cast<std::uint64_t>(beyond), in.size(), rank, out.size()};
      best = std::max(best, epsilon_lower_bound(counts, 0, 1 - level));
    }
    uncorrected += best > epsilon;
  }
  CAPTURE(wrong, uncorrected);
  CHECK_FALSE(too_many(wrong, level, many));
  CHECK(wrong > 0);
  CHECK(too_many(uncorrected, level, many));
}

TEST_CASE("The correction is Bonferroni's") {
  auto bits = seeded_random(17).stream("runs");
  auto out = sample(100, [&] { return normal(bits); }), in = sample(70, [&] { return 1 + normal(bits); });
  const double bound = audited_epsilon(in, out, {.delta = 0.01, .confidence = 0.9});
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end(), std::greater<>());
  // Ranks 0, 1, 2, 4, ..., 64 on both sides: 16 thresholds.
  double best = 0;
  for (const std::size_t rank : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    const auto above = static_cast<std::uint64_t>(in.end() - std::upper_bound(in.begin(), in.end(), out[rank]));
    const auto from =
        static_cast<std::uint64_t>(std::upper_bound(out.begin(), out.end(), in[rank], std::greater<>()) - out.begin());
    best = std::max(best, epsilon_lower_bound({above, 70, rank, 100}, 0.01, 1 - 0.1 / 16));
    best = std::max(best, epsilon_lower_bound({70 - rank, 70, from, 100}, 0.01, 1 - 0.1 / 16));
  }
  CHECK(best > 0);
  CHECK(bound == Approx(best).epsilon(1e-12));
}

TEST_CASE("Repeated runs catch half the noise") {
  auto bits = seeded_random(12).stream("runs");
  const auto out = sample(2000, [&] { return 0.5 * normal(bits); });
  const auto in = sample(2000, [&] { return 1 + 0.5 * normal(bits); });
  const double claimed = gaussian_epsilon(1, 1e-5);
  CHECK(audited_epsilon(in, out, {.delta = 1e-5, .confidence = 0.999, .gaussian = true}) > claimed);
  CHECK(audited_epsilon(in, out, {.delta = 1e-5, .confidence = 0.999}) < gaussian_epsilon(0.5, 1e-5));
}

TEST_CASE("Ties and outliers in scores do not raise the bound") {
  // Uninformative scores with few distinct values: the bound still keeps its level.
  auto bits = seeded_random(13).stream("ties");
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    const auto coin = [&] {
      return uniform_below(bits, 50) == 0 ? 1e300 : static_cast<double>(uniform_below(bits, 2));
    };
    wrong += audited_epsilon(sample(60, coin), sample(60, coin), {.delta = 0, .confidence = 0.8}) > 0;
  }
  CHECK_FALSE(too_many(wrong, 0.2));
  CHECK(audited_epsilon({1, 1, 1}, {1, 1, 1}) == 0);
  CHECK_THROWS_AS(audited_epsilon({}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(audited_epsilon({1}, {1}, {.choice = threshold_choice::split}), std::invalid_argument);
  CHECK_THROWS_AS(audited_epsilon({NAN}, {1}), std::invalid_argument);
}

TEST_CASE("One run exceeds the true epsilon no more often than its level") {
  // Each canary's own cell of a sum, with Laplace noise (pure DP, epsilon = 1) or Gaussian noise: adding or removing
  // one moves one cell by 1. Half the Laplace noise is epsilon = 2, and must be seen to be more than 1.
  auto bits = seeded_random(14).stream("one run");
  const double level = 0.2;
  std::uint64_t with_laplace = 0, with_gaussian = 0, half_noise = 0;
  const double truth = gaussian_epsilon(1, 1e-3);
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    std::vector<bool> in(300);
    std::vector<double> of_laplace(300), of_gaussian(300), of_half(300);
    for (std::size_t c = 0; c < 300; ++c) {
      in[c] = (bits() & 1) != 0;
      const double noise = laplace(bits);
      of_laplace[c] = in[c] + noise;
      of_half[c] = in[c] + noise / 2;
      of_gaussian[c] = in[c] + normal(bits);
    }
    with_laplace += one_run_epsilon(guess_canaries(of_laplace, in, 60), 0, 1 - level) > 1;
    with_gaussian += one_run_epsilon(guess_canaries(of_gaussian, in, 60), 1e-3, 1 - level) > truth;
    half_noise += one_run_epsilon(guess_canaries(of_half, in, 60), 0, 1 - level) > 1;
  }
  CHECK_FALSE(too_many(with_laplace, level));
  CHECK_FALSE(too_many(with_gaussian, level));
  CHECK(half_noise > repetitions * 9 / 10);
}

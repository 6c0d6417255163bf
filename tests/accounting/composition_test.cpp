// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/composition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>

#include "accounting/precise.hpp"
#include "accounting/reference.hpp"
#include "support/catch.hpp"

using dplda::advanced_composition;
using dplda::advanced_composition_epsilon;
using dplda::advanced_mean;
using dplda::budget;
using dplda::heterogeneous_composition;
using dplda::linear_composition;
using dplda::optimal_composition_delta;
using dplda::optimal_composition_epsilon;
using dplda::repeated_budget;
using dplda_tests::log_uniform;
using dplda_tests::real;
using dplda_tests::reference_record;
using dplda_tests::reference_records;

namespace {

const double infinite = std::numeric_limits<double>::infinity();

budget part_of(const reference_record& record) { return {record.param("eps"), record.param("delta")}; }
std::uint64_t count_of(const reference_record& record) { return static_cast<std::uint64_t>(record.param("k")); }

/// The optimal delta of k equal parts, by summing Theorem 1.4 from the largest loss down until nothing is added.
real precise_delta(double epsilon, double delta, std::uint64_t count, double total) {
  const real e = epsilon, k = count;
  const real log_scale = -k * log(1 + exp(-e));
  real sum = 0, log_first = 0, weight = 1;
  // Of many parts the sum starts 20 deviations above the mean.
  const real top = k / (1 + exp(-e)) + 10 * sqrt(k);
  const std::uint64_t first = count < 5000 || top >= k ? count : static_cast<std::uint64_t>(top);
  if (first < count) {
    log_first = boost::math::lgamma(k + 1) - boost::math::lgamma(real(first) + 1) -
                boost::math::lgamma(k - real(first) + 1) - e * (count - first);
  }
  const real shrink = exp(-e), grow = exp(2 * e);
  real rest = exp(total - (real(2) * first - k) * e);
  for (std::uint64_t i = first; rest < 1; --i) {
    sum += weight * (1 - rest);
    if (i == 0) break;
    weight *= real(i) / (k - i + 1) * shrink;
    rest *= grow;
  }
  const real pure = sum * exp(log_scale + log_first);
  const real spent = -expm1(k * log1p(-real(delta)));
  // The sum of all masses may exceed 1 in its last digit.
  return spent + (1 - spent) * std::min(pure, real(1));
}

/// The same for different parts, by summing over all subsets.
double subset_delta(const std::vector<double>& epsilons, double total) {
  double sum = 0;
  for (std::size_t subset = 0; subset < std::size_t{1} << epsilons.size(); ++subset) {
    double loss = 0, mass = 1;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      const double sign = (subset >> i & 1) != 0 ? 1 : -1;
      loss += sign * epsilons[i];
      mass /= 1 + std::exp(-sign * epsilons[i]);
    }
    if (loss > total) sum -= mass * std::expm1(total - loss);
  }
  return sum;
}

std::vector<repeated_budget> singles(const std::vector<double>& epsilons) {
  std::vector<repeated_budget> parts;
  for (const double epsilon : epsilons) parts.push_back({{epsilon, 0}});
  return parts;
}

}  // namespace

TEST_CASE("linear and advanced composition agree with the reference figures") {
  for (const auto& record : reference_records("composition_closed_form")) {
    CAPTURE(record.id());
    const budget part = part_of(record), linear = linear_composition(part, count_of(record));
    CHECK(record.agrees("eps_linear", linear.epsilon));
    CHECK(record.agrees("delta_linear", linear.delta));
    const double slack = record.param("delta_prime");
    const budget book = advanced_composition(part, count_of(record), slack, advanced_mean::dwork_roth);
    CHECK(record.agrees("eps_advanced_dr320", book.epsilon));
    CHECK(record.agrees("delta_total_advanced", book.delta));
    CHECK(record.agrees("eps_advanced_drv_tanh", advanced_composition(part, count_of(record), slack).epsilon));
    CHECK(record.expected("delta_total_advanced") <= book.delta * (1 + 1e-15));
    CHECK(advanced_composition_epsilon(part, count_of(record), book.delta, advanced_mean::dwork_roth) ==
          Catch::Approx(book.epsilon).epsilon(1e-9));
  }
}

TEST_CASE("optimal composition agrees with the reference figures") {
  for (const auto& record : reference_records("optimal_composition_homogeneous")) {
    CAPTURE(record.id());
    const double epsilon = optimal_composition_epsilon(part_of(record), count_of(record), record.param("delta_total"));
    CHECK(record.agrees("eps_optimal", epsilon));
    CHECK(epsilon <= record.expected("eps_kov_grid") * (1 + 1e-12));
  }
  for (const auto& record : reference_records("optimal_composition_delta")) {
    CAPTURE(record.id());
    CHECK(record.agrees("delta_total",
                        optimal_composition_delta(part_of(record), count_of(record), record.param("eps_total"))));
  }
  for (const auto& record : reference_records("optimal_composition_heterogeneous")) {
    CAPTURE(record.id());
    const auto epsilons = record.param_list("eps"), deltas = record.param_list("delta");
    std::vector<repeated_budget> parts;
    for (std::size_t i = 0; i < epsilons.size(); ++i) parts.push_back({{epsilons[i], deltas[i]}});
    const heterogeneous_composition composition(parts);
    CHECK(composition.exact());
    CHECK(record.agrees("delta_total", composition.delta(record.param("eps_total"))));
  }
}

TEST_CASE("trap 13: optimal composition does not overflow, and is not restricted to a lattice") {
  // The root lies strictly between the multiples (k - 2i) epsilon.
  const double epsilon = optimal_composition_epsilon({0.1, 0}, 1000, 1e-6);
  CHECK(epsilon > 19.2);
  CHECK(epsilon < 19.4);
  CHECK(epsilon == Catch::Approx(19.344671447993044).epsilon(1e-9));
  for (const std::uint64_t count : {std::uint64_t{10000}, std::uint64_t{1000000}, std::uint64_t{100000000}}) {
    for (const double step : {1e-5, 1e-3, 0.1, 3.0}) {
      for (const double delta : {1e-300, 1e-50, 1e-6, 0.5}) {
        CAPTURE(count, step, delta);
        const double total = optimal_composition_epsilon({step, 0}, count, delta);
        CHECK(std::isfinite(total));
        CHECK(total >= 0);
        CHECK(total <= linear_composition({step, 0}, count).epsilon);
        CHECK(total <= advanced_composition_epsilon({step, 0}, count, delta));
        CHECK(optimal_composition_delta({step, 0}, count, total) <= delta * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("optimal composition of equal parts is never below the truth") {
  std::mt19937_64 bits(3);
  for (int i = 0; i < 200; ++i) {
    const auto count = static_cast<std::uint64_t>(log_uniform(bits, 1, 1500));
    const double epsilon = log_uniform(bits, 1e-6, 8);
    const double delta = i % 2 == 0 ? 0 : log_uniform(bits, 1e-20, 1e-4);
    const double most = static_cast<double>(count) * epsilon;
    const double total = std::uniform_real_distribution<double>(0, i % 3 == 0 ? most : most / 10)(bits);
    CAPTURE(count, epsilon, delta, total);
    const real truth = precise_delta(epsilon, delta, count, total);
    const double value = optimal_composition_delta({epsilon, delta}, count, total);
    CHECK(real(value) >= truth);
    CHECK(value <= static_cast<double>(truth) * (1 + 1e-9) + 1e-320);

    const double wanted = log_uniform(bits, 1e-250, 0.5);
    const double needed = optimal_composition_epsilon({epsilon, delta}, count, wanted);
    CAPTURE(wanted, needed);
    if (needed < infinite) {
      CHECK(precise_delta(epsilon, delta, count, needed) <= real(wanted));
      if (needed > 0 && needed < most) CHECK(precise_delta(epsilon, delta, count, needed * (1 - 1e-9)) > real(wanted));
    } else {
      CHECK(precise_delta(epsilon, delta, count, most) > real(wanted) * (1 - 1e-14));
    }
  }
}

TEST_CASE("optimal composition of a hundred million parts is correct") {
  const double total = optimal_composition_epsilon({1e-4, 1e-16}, 100000000, 1e-6);
  const real truth = precise_delta(1e-4, 1e-16, 100000000, total);
  CHECK(truth <= real(1e-6));
  CHECK(truth > real(1e-6) * (1 - 1e-9));
}

TEST_CASE("different parts: exact where sums are few, an upper bound otherwise") {
  std::mt19937_64 bits(4);
  std::uniform_real_distribution<double> uniform(0.01, 0.7);
  for (const std::size_t size : {1U, 2U, 5U, 12U, 18U}) {
    std::vector<double> epsilons(size);
    for (double& epsilon : epsilons) epsilon = uniform(bits);
    const heterogeneous_composition composition(singles(epsilons));
    CHECK(composition.exact() == (size <= 16));
    double most = 0;
    for (const double epsilon : epsilons) most += epsilon;
    for (const double share : {0.0, 0.1, 0.3, 0.6, 0.9, 0.999}) {
      CAPTURE(size, share);
      const double truth = subset_delta(epsilons, share * most), value = composition.delta(share * most);
      CHECK(value >= truth * (1 - 1e-12));
      CHECK(value <= (composition.exact() ? truth * (1 + 1e-9) : subset_delta(epsilons, share * most - 1e-3)));
    }
    for (const double delta : {0.1, 1e-3, 1e-5}) {
      const double total = composition.epsilon(delta);
      CHECK(total <= most * (1 + 1e-14));
      CHECK(subset_delta(epsilons, total) <= delta * (1 + 1e-12));
    }
    CHECK(composition.epsilon(0) == Catch::Approx(most).epsilon(1e-14));
    CHECK(composition.delta(most * (1 + 1e-12)) == 0);
  }
}

TEST_CASE("different parts: the law on a grid is close to the optimum of equal ones") {
  // Epsilons that differ by a hair lie between two optima that are known.
  std::vector<repeated_budget> few = {
      {{1e-3, 1e-12}, 400000}, {{1.000001e-3, 1e-12}, 300000}, {{1.000002e-3, 0}, 300000}};
  std::vector<double> many(600);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 0.1 * (1 + 1e-9 * static_cast<double>(i));
  const heterogeneous_composition large(few), wide(singles(many));
  CHECK_FALSE(large.exact());
  CHECK_FALSE(wide.exact());
  for (const double delta : {1e-2, 1e-6, 1e-50, 1e-290}) {
    CAPTURE(delta);
    const double wide_low = optimal_composition_epsilon({0.1, 0}, 600, delta);
    CHECK(wide.epsilon(delta) >= wide_low * (1 - 1e-11));
    CHECK(wide.epsilon(delta) <= wide_low * 1.01);
    if (delta < 1e-6) {
      CHECK(large.epsilon(delta) == infinite);
      continue;
    }
    const double low = optimal_composition_epsilon({1e-3, 7e-13}, 1000000, delta);
    CHECK(large.epsilon(delta) >= low);
    CHECK(large.epsilon(delta) <= low * 1.0005);
  }
}

TEST_CASE("Bug: an epsilon above 745 beside many small ones made the composition cost nothing") {
  using dplda::heterogeneous_composition;
  // One more part never lowers the cost, and a part of epsilon E raises it by at most E.
  for (const double large : {690.0, 800.0, 1e4}) {
    CAPTURE(large);
    const std::vector<repeated_budget> few = {{{0.01, 0}, 1000000}, {{0.02, 0}, 100000}};
    std::vector<repeated_budget> more = few;
    more.push_back({{large, 0}, 1});
    const heterogeneous_composition small(few), all(more);
    for (const double delta : {1e-30, 1e-6}) {
      CHECK(all.epsilon(delta) >= 0.9 * (large + 50));
      CHECK(all.epsilon(delta) <= 1.01 * (large + small.epsilon(delta)) + 20);
      CHECK(small.epsilon(delta) > 50);
    }
    CHECK(all.delta(large / 2) > 0.99);
  }
}

TEST_CASE("different parts: counts, zeros and equal epsilons") {
  const budget part{0.3, 1e-8};
  const std::vector<repeated_budget> split = {{part, 20}, {{0, 0}, 7}, {part, 30}, {{5, 0.5}, 0}};
  const heterogeneous_composition composition(split);
  CHECK(composition.exact());
  for (const double total : {0.0, 1.0, 4.0, 10.0}) {
    CHECK(composition.delta(total) == Catch::Approx(optimal_composition_delta(part, 50, total)).epsilon(1e-9));
  }
  CHECK(composition.epsilon(1e-5) == Catch::Approx(optimal_composition_epsilon(part, 50, 1e-5)).epsilon(1e-9));
  CHECK(composition.epsilon(1e-7) == infinite);
  const heterogeneous_composition nothing({});
  CHECK(nothing.epsilon(0) == 0);
  CHECK(nothing.delta(0) == 0);
  const heterogeneous_composition many_equal(std::vector<repeated_budget>{{{1e-3, 0}, 10000000}});
  CHECK(many_equal.exact());
  CHECK(many_equal.epsilon(1e-6) ==
        Catch::Approx(optimal_composition_epsilon({1e-3, 0}, 10000000, 1e-6)).epsilon(1e-9));
}

TEST_CASE("composition at the ends of its ranges, and refused arguments") {
  CHECK(linear_composition(std::vector<repeated_budget>{}).epsilon == 0);
  CHECK(linear_composition({1, 0.1}, 100).delta == 1);
  CHECK(linear_composition({0, 0}, 100) == budget{0, 0});
  CHECK(linear_composition({0.1, 1e-7}, 3).epsilon >= 0.3);
  CHECK(advanced_composition({0, 0}, 100, 1e-6) == budget{0, 1e-6});
  CHECK(advanced_composition({1000, 0}, 1, 1e-6, advanced_mean::dwork_roth).epsilon == infinite);
  CHECK(advanced_composition_epsilon({0.1, 1e-6}, 100, 1e-5) == infinite);
  CHECK(optimal_composition_epsilon({0.1, 1e-6}, 100, 1e-5) == infinite);
  CHECK(optimal_composition_epsilon({0.1, 1e-6}, 1, 1e-6) == 0.1);
  CHECK(optimal_composition_epsilon({0.1, 0}, 100, 1) == 0);
  CHECK(optimal_composition_epsilon({0.1, 0}, 100, 0) == Catch::Approx(10).epsilon(1e-14));
  CHECK(optimal_composition_epsilon({0, 0}, 100, 0) == 0);
  CHECK(optimal_composition_epsilon({1e-300, 0}, 100, 1e-6) == 0);
  CHECK(optimal_composition_delta({700, 0}, 100, 0) == 1);
  CHECK(optimal_composition_delta({1, 1}, 2, 5) == 1);
  CHECK(optimal_composition_delta({1, 0}, 2, infinite) == 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const budget& bad :
       {budget{-1, 0}, budget{nan, 0}, budget{infinite, 0}, budget{1, -1}, budget{1, 2}, budget{1, nan}}) {
    CHECK_THROWS_AS(linear_composition(bad, 2), std::invalid_argument);
    CHECK_THROWS_AS(advanced_composition(bad, 2, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(optimal_composition_delta(bad, 2, 1), std::invalid_argument);
    CHECK_THROWS_AS(optimal_composition_epsilon(bad, 2, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(heterogeneous_composition(std::vector<repeated_budget>{{bad, 1}}), std::invalid_argument);
  }
  CHECK_THROWS_AS(advanced_composition({1, 0}, 2, 0), std::invalid_argument);
  CHECK_THROWS_AS(optimal_composition_delta({1, 0}, 2, -1), std::invalid_argument);
  CHECK_THROWS_AS(optimal_composition_epsilon({1, 0}, 2, nan), std::invalid_argument);
  CHECK_THROWS_WITH(optimal_composition_epsilon({1, 0}, 0, 0.1),
                    "dplda::optimal_composition_epsilon: count is 0, but must be at least 1");
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/gdp.hpp>
#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/rdp.hpp>
#include <dplda/inference/spectral/detail/dense.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace dplda;

namespace {

const privacy_event step{.noise = gaussian_noise{1}, .sampling = poisson_sample{0.01}};
const privacy_event look{.noise = laplace_noise{20}};
const privacy_event claim{.noise = approximate_dp{0.05, 1e-7}};
const filter_options by_gaussians{.rule = filter_rule::gaussian};

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The delta of mu-GDP at an epsilon of either sign.
double delta_of_mu(double mu, double epsilon) {
  return normal_cdf(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal_cdf(-mu / 2 - epsilon / mu);
}
/// The delta of the worst (0, d) mechanism at an epsilon of either sign.
double delta_of_opaque(double d, double epsilon) { return d + (1 - d) * std::max(0.0, -std::expm1(epsilon)); }

/// What an analyst reaches who first sees a result of noise with this mu, and then chooses the second mechanism by the
/// loss so far: the mean, over the first result, of second(what is left of epsilon). By Simpson's rule.
template <class Second>
double delta_of_strategy(double mu, double epsilon, const Second& second) {
  constexpr int cells = 40000;
  constexpr double reach = 12, width = 2 * reach / cells;
  double sum = 0;
  for (int i = 0; i <= cells; ++i) {
    const double x = -reach + i * width, loss = mu * mu / 2 + mu * x;
    const double weight = (i == 0 || i == cells ? 1 : i % 2 == 1 ? 4 : 2) * width / 3;
    sum += weight * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)) * second(epsilon - loss);
  }
  return sum;
}

}  // namespace

TEST_CASE("an odometer agrees with the Renyi accountant on its ledger") {
  odometer spent;
  CHECK(spent.epsilon(0) == 0);
  ledger book;
  for (int i = 0; i < 300; ++i) {
    const privacy_event& event = i % 3 == 0 ? look : step;
    spent.spend(event, 1 + static_cast<std::uint64_t>(i % 2));
    book.record(event, 1 + static_cast<std::uint64_t>(i % 2));
    if (i % 60 != 59) continue;
    const rdp_accountant whole(book);
    for (const double delta : {1e-3, 1e-6, 1e-30}) {
      CAPTURE(i, delta);
      CHECK(spent.epsilon(delta) >= whole.epsilon(delta) * (1 - 1e-9));
      CHECK(spent.epsilon(delta) <= whole.epsilon(delta) * 1.04);
    }
    for (std::size_t j = 0; j < spent.orders().size(); ++j) {
      CHECK(spent.divergences()[j] >= whole.rdp(spent.orders()[j]) * (1 - 1e-12));
      CHECK(spent.divergences()[j] <= whole.rdp(spent.orders()[j]) * (1 + 1e-9));
    }
  }
  CHECK(spent.book() == book);
  CHECK(spent.epsilon(0) == std::numeric_limits<double>::infinity());
  CHECK(spent.epsilon(1) == 0);
}

TEST_CASE("spending an event many times costs the same as spending the count at once") {
  odometer one_by_one, at_once;
  for (int i = 0; i < 10000; ++i) one_by_one.spend(step);
  at_once.spend(step, 10000);
  CHECK(one_by_one.book() == at_once.book());
  CHECK(one_by_one.epsilon(1e-5) >= at_once.epsilon(1e-5) * (1 - 1e-12));
  CHECK(one_by_one.epsilon(1e-5) == Catch::Approx(at_once.epsilon(1e-5)).epsilon(1e-9));
}

TEST_CASE("an odometer sets the delta of opaque events aside") {
  odometer spent;
  spent.spend(claim, 10);
  CHECK(spent.epsilon(1e-6) == std::numeric_limits<double>::infinity());
  CHECK(spent.epsilon(1e-5) < 1);
  CHECK(spent.epsilon(1e-5) >= ledger_epsilon(spent.book(), 1e-5).lower);
  const guarantee so_far = spent.spent(1e-5);
  CHECK(so_far.epsilon == spent.epsilon(1e-5));
  CHECK(so_far.accountant == accountant::rdp);
}

TEST_CASE("an odometer that was used more than once says what its total assumes") {
  // Whoever looks at results in between may choose by them what to spend next, and then the total promises nothing.
  odometer spent;
  spent.spend(step, 10);
  CHECK_FALSE(spent.spent(1e-5).assumes_fixed_plans);
  spent.spend(step);
  CHECK(spent.spent(1e-5).assumes_fixed_plans);
}

TEST_CASE("a refused spend leaves an odometer unchanged") {
  odometer spent;
  spent.spend(step, 10);
  const double before = spent.epsilon(1e-5);
  CHECK_THROWS_AS(spent.spend({.noise = gaussian_noise{-1}}), std::invalid_argument);
  CHECK_THROWS_AS(spent.spend({.noise = gaussian_noise{1}, .unit = privacy_unit::user}), std::invalid_argument);
  CHECK_THROWS_AS(spent.spend({.noise = gaussian_noise{1}, .relation = neighbours::replace}), std::invalid_argument);
  CHECK_THROWS_AS(spent.spend(step, 0), std::invalid_argument);
  CHECK(spent.epsilon(1e-5) == before);
  CHECK(spent.book().entries().size() == 1);
  CHECK_THROWS_AS(odometer(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(odometer({2.0, 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(spent.epsilon(-1), std::invalid_argument);
}

TEST_CASE("a filter admits everything within the budget, and not one event more") {
  const budget total{1, 1e-5};
  privacy_filter filter(total);
  const privacy_event noise{.noise = gaussian_noise{50}};
  std::uint64_t admitted = 0;
  while (filter.spend(noise)) ++admitted;
  CHECK(filter.book().entries().front().count == admitted);
  CHECK(filter.spent() <= filter.allowed());
  CHECK(filter.spent() + rdp(noise, filter.order()) > filter.allowed());
  // What was admitted is within the budget under the certified accountant, and one more is not by RDP.
  CHECK(ledger_epsilon(filter.book(), total.delta).upper <= total.epsilon);
  ledger more = filter.book();
  more.record(noise);
  CHECK(ledger_epsilon(more, total.delta, accountant::rdp).upper > total.epsilon * (1 - 1e-3));
  // As good as a filter for zCDP: the sum of rho may reach what implies the budget.
  CHECK(static_cast<double>(admitted) >= std::floor(zcdp_budget(total.epsilon, total.delta) / gaussian_rho(50)));
}

TEST_CASE("a refused spend changes nothing, and something smaller may follow") {
  privacy_filter filter({1, 1e-5});
  REQUIRE(filter.spend({.noise = gaussian_noise{6}}));
  const double spent = filter.spent();
  const ledger book = filter.book();
  CHECK(!filter.spend({.noise = gaussian_noise{1}}));
  CHECK(!filter.spend({.noise = gaussian_noise{100}}, 1000000));
  CHECK_THROWS_AS((void)filter.spend({.noise = gaussian_noise{100}, .unit = privacy_unit::user}),
                  std::invalid_argument);
  CHECK_THROWS_AS((void)filter.spend({.noise = gaussian_noise{100}}, 0), std::invalid_argument);
  CHECK(filter.spent() == spent);
  CHECK(filter.book() == book);
  CHECK(filter.spend({.noise = gaussian_noise{100}}));
}

TEST_CASE("a planned order serves the plan better than the default") {
  ledger plan;
  plan.record(step, 10000);
  const budget total{2, 1e-5};
  const double order = filter_order(plan, total);
  const auto admitted = [&](const filter_options& options) {
    privacy_filter filter(total, options);
    std::uint64_t count = 0;
    while (filter.spend(step, 10)) count += 10;
    return count;
  };
  const std::uint64_t planned = admitted({.order = order}), by_default = admitted({});
  CHECK(planned > by_default);
  for (const double factor : {0.8, 1.25}) CHECK(planned >= admitted({.order = 1 + (order - 1) * factor}));
  ledger run;
  run.record(step, planned);
  CHECK(ledger_epsilon(run, total.delta, accountant::rdp).upper <= total.epsilon);
  CHECK(ledger_epsilon(run, total.delta, accountant::rdp).upper > total.epsilon * 0.98);
}

TEST_CASE("adaptively chosen events stay within the budget") {
  // The sum at the filter's order never exceeds what implies the budget, whatever the order of events.
  std::mt19937_64 bits(9);
  for (int trial = 0; trial < 50; ++trial) {
    const budget total{0.5 + trial * 0.1, 1e-6};
    privacy_filter filter(total, {.reserved_delta = 3e-7});
    for (int i = 0; i < 200; ++i) {
      const double z = std::exp(std::uniform_real_distribution<double>(0, 6)(bits));
      switch (bits() % 4) {
        case 0:
          (void)filter.spend({.noise = gaussian_noise{z}, .sampling = poisson_sample{0.01}}, 1 + bits() % 100);
          break;
        case 1:
          (void)filter.spend({.noise = laplace_noise{z}});
          break;
        case 2:
          (void)filter.spend(claim);
          break;
        default:
          (void)filter.spend({.noise = gaussian_noise{z}});
      }
    }
    CAPTURE(trial);
    double sum = 0, reserved = 0;
    for (const auto& [event, count] : filter.book().entries()) {
      sum += static_cast<double>(count) * rdp(event, filter.order());
      if (std::holds_alternative<approximate_dp>(event.noise)) reserved += static_cast<double>(count) * 1e-7;
    }
    CHECK(sum <= filter.allowed());
    CHECK(filter.allowed() <=
          rdp_budget(filter.order(), total.epsilon, (total.delta - 3e-7) / (1 - 3e-7), rdp_conversion::exact) *
              (1 + 1e-12));
    CHECK(reserved <= 3e-7 * (1 + 1e-12));
    CHECK(ledger_epsilon(filter.book(), total.delta, accountant::rdp).upper <= total.epsilon * (1 + 1e-9));
    CHECK(filter.promise().epsilon == total.epsilon);
    CHECK(filter.promise().delta == total.delta);
  }
}

TEST_CASE("opaque events with a delta need a reserve, which they may use up") {
  privacy_filter none({1, 1e-5});
  CHECK(!none.spend(claim));
  CHECK(none.spend({.noise = approximate_dp{0.05}}));
  privacy_filter reserve({1, 1e-5}, {.reserved_delta = 3e-7});
  CHECK(reserve.spend(claim));
  CHECK(reserve.spend(claim));
  CHECK(!reserve.spend(claim, 2));
  privacy_filter exact({1, 1e-5}, {.reserved_delta = 0x1p-30});
  CHECK(exact.spend({.noise = approximate_dp{0.05, 0x1p-30}}));
  CHECK(!exact.spend({.noise = approximate_dp{0.05, 0x1p-60}}));
}

TEST_CASE("invalid filters are refused") {
  CHECK_THROWS_AS(privacy_filter({0, 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1e-5}, {.order = 1}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1e-5}, {.reserved_delta = 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(filter_order({}, {1, 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1e-5}, {.rule = filter_rule::gaussian, .order = 2}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({0, 1e-5}, by_gaussians), std::invalid_argument);
}

TEST_CASE("the mu of a pure epsilon is the smallest whose trade-off curve lies below") {
  CHECK(detail::pure_dp_mu(0) == 0);
  CHECK(detail::pure_dp_mu(1) == Catch::Approx(1.2320353853).epsilon(1e-9));
  for (double epsilon = 1e-12; epsilon < 590; epsilon *= 1.7) {
    CAPTURE(epsilon);
    const long double x = static_cast<long double>(detail::pure_dp_mu(epsilon)) / std::sqrt(8.0L);
    // erfc(x) = 2 / (1 + e^epsilon), in the form that keeps its digits.
    const long double reached = epsilon < 1 ? std::erf(x) : epsilon - std::log(2 / std::erfc(x) - 1);
    const long double wanted = epsilon < 1 ? std::tanh(epsilon / 2.0L) : 0.0L;
    CHECK((epsilon < 1 ? reached >= wanted : reached <= wanted));
    CHECK(std::abs(reached - wanted) <= 1e-10L * (epsilon < 1 ? wanted : 1 + static_cast<long double>(epsilon)));
  }
  // Beyond that, a bound that is not far off: mu^2 / 8 is about epsilon.
  CHECK(detail::pure_dp_mu(1e4) == Catch::Approx(std::sqrt(8e4)).epsilon(1e-3));
  CHECK(detail::pure_dp_mu(std::numeric_limits<double>::max()) >= 1e154);
  // Below both chords of the curve of all pure mechanisms.
  for (const double epsilon : {0.01, 0.7, 3.0}) {
    const double mu = detail::pure_dp_mu(epsilon);
    for (double e = 0; e < 6; e += 0.05) {
      const double pure = std::max(0.0, -std::expm1(e - epsilon)) / (1 + std::exp(-epsilon));
      CHECK(delta_of_mu(mu, e) >= pure * (1 - 1e-9));
    }
  }
}

TEST_CASE("the Gaussian rule admits what the exact accountant allows, and the Renyi rule less") {
  for (const double epsilon : {0.1, 1.0, 2.0, 8.0}) {
    const budget total{epsilon, 1e-6};
    const double z = gaussian_multiplier(epsilon, total.delta) * (1 + 1e-12);
    CAPTURE(epsilon, z);
    CHECK(privacy_filter(total, by_gaussians).spend({.noise = gaussian_noise{z}}));
    CHECK(privacy_filter(total, by_gaussians).spend({.noise = gaussian_noise{10 * z}}, 99));
    CHECK(!privacy_filter(total, by_gaussians).spend({.noise = gaussian_noise{10 * z}}, 101));
    CHECK(!privacy_filter(total, by_gaussians).spend({.noise = gaussian_noise{z * (1 - 1e-9)}}));
    CHECK(!privacy_filter(total).spend({.noise = gaussian_noise{z}}));
    // With a reserve, noise and thresholds of a plan that uses up both.
    ledger plan;
    const double reserve = total.delta / 4;
    plan.record(
        {.noise = gaussian_noise{gaussian_multiplier(epsilon, (total.delta - reserve) / (1 - reserve)) * (1 + 1e-12)}});
    plan.record({.noise = approximate_dp{0, reserve}});
    privacy_filter filter(total, {.rule = filter_rule::gaussian, .reserved_delta = reserve});
    CHECK(filter.spend(plan));
    CHECK(filter.left().epsilon < 1e-3);
    CHECK(filter.left().opaque_delta == 0);
    CHECK(ledger_epsilon(plan, total.delta).upper <= epsilon * (1 + 1e-6));
    CHECK(ledger_epsilon(plan, total.delta).upper >= epsilon * (1 - 1e-6));
  }
}

TEST_CASE("mixed events that the Gaussian rule admits are within the budget by PLD") {
  std::mt19937_64 bits(11);
  for (int trial = 0; trial < 25; ++trial) {
    const budget total{0.5 + trial * 0.2, 1e-5};
    privacy_filter filter(total, {.rule = filter_rule::gaussian, .reserved_delta = 3e-6});
    double squares = 0, reserved = 0;
    for (int i = 0; i < 60; ++i) {
      const double z = std::exp(std::uniform_real_distribution<double>(0, 5)(bits));
      const double of_laplace = detail::pure_dp_mu(1 / z), of_claim = detail::pure_dp_mu(0.05);
      switch (bits() % 4) {
        case 0:
          if (filter.spend({.noise = gaussian_noise{z}, .sampling = poisson_sample{0.3}}, 2)) squares += 2 / (z * z);
          break;
        case 1:
          if (filter.spend({.noise = laplace_noise{z}})) squares += of_laplace * of_laplace;
          break;
        case 2:
          if (filter.spend(claim)) {
            squares += of_claim * of_claim;
            reserved += 1e-7;
          }
          break;
        default:
          if (filter.spend({.noise = gaussian_noise{z}})) squares += 1 / (z * z);
      }
    }
    CAPTURE(trial);
    CHECK(filter.spent() >= squares * (1 - 1e-12));
    CHECK(filter.spent() <= squares * (1 + 1e-9));
    CHECK(filter.spent() <= filter.allowed());
    CHECK(reserved <= 3e-6 * (1 + 1e-12));
    CHECK(ledger_epsilon(filter.book(), total.delta, accountant::pld).upper <= total.epsilon * (1 + 1e-6));
    CHECK(filter.promise().accountant == accountant::gaussian);
  }
}

TEST_CASE("a strategy exceeds a joint bound on noise and delta, but not separate bounds") {
  const budget total{1, 1e-3};
  // The wrong filter asks that d + (1 - d) delta(mu) <= delta for what was spent so far.
  const auto wrong_filter_admits = [&](double mu, double d) {
    return d + (1 - d) * delta_of_mu(mu, total.epsilon) <= total.delta * (1 + 1e-9);
  };
  const double first = 1 / gaussian_multiplier(total.epsilon, total.delta / 2);
  const double all = 1 / gaussian_multiplier(total.epsilon, total.delta);
  const double second = std::sqrt(all * all - first * first);
  const double used = delta_of_mu(first, total.epsilon), d = (total.delta - used) / (1 - used);
  REQUIRE(wrong_filter_admits(all, 0));
  REQUIRE(wrong_filter_admits(first, d));
  // Either choice alone keeps the budget, the better one of both for each first result does not.
  const auto noise = [&](double left) { return delta_of_mu(second, left); };
  const auto opaque = [&](double left) { return delta_of_opaque(d, left); };
  const auto better = [&](double left) { return std::max(noise(left), opaque(left)); };
  CHECK(delta_of_strategy(first, total.epsilon, noise) == Catch::Approx(total.delta).epsilon(1e-6));
  CHECK(delta_of_strategy(first, total.epsilon, opaque) == Catch::Approx(total.delta).epsilon(1e-6));
  CHECK(delta_of_strategy(first, total.epsilon, better) > 1.2 * total.delta);

  // The filter fixes the reserve beforehand. Whatever it admits after the first result, the budget is kept.
  for (const double share : {0.1, 0.5, 0.9}) {
    const double reserve = share * total.delta;
    privacy_filter filter(total, {.rule = filter_rule::gaussian, .reserved_delta = reserve});
    const double mu = std::sqrt(filter.allowed() / 2) * (1 - 1e-12);
    REQUIRE(filter.spend({.noise = gaussian_noise{1 / mu}}));
    ledger both;
    both.record({.noise = gaussian_noise{1 / mu}});
    both.record({.noise = approximate_dp{0, reserve}});
    REQUIRE(privacy_filter(filter).spend(both));
    REQUIRE(!privacy_filter(filter).spend({.noise = gaussian_noise{0.999 / mu}}));
    REQUIRE(!privacy_filter(filter).spend({.noise = approximate_dp{0, 1.001 * reserve}}));
    const auto any = [&](double left) {
      const double with_noise = delta_of_mu(mu, left);
      const double with_both = reserve + (1 - reserve) * with_noise;
      return std::max({with_noise, delta_of_opaque(reserve, left), with_both});
    };
    CAPTURE(share);
    CHECK(delta_of_strategy(mu, total.epsilon, any) <= total.delta * (1 + 1e-7));
    CHECK(delta_of_strategy(mu, total.epsilon, any) >= total.delta * (1 - 1e-7));
  }
}

TEST_CASE("the Gaussian rule ignores sampling and refuses discrete Gaussian noise") {
  privacy_filter filter({1, 1e-5}, by_gaussians);
  CHECK_THROWS_AS((void)filter.spend({.noise = discrete_gaussian_noise{100}}), std::invalid_argument);
  CHECK(filter.spent() == 0);
  privacy_filter sampled = filter;
  REQUIRE(filter.spend({.noise = gaussian_noise{10}}));
  REQUIRE(sampled.spend({.noise = gaussian_noise{10}, .sampling = poisson_sample{0.01}}));
  CHECK(sampled.spent() == filter.spent());
  REQUIRE(filter.spend({.noise = randomized_response{1, 2}}));  // reveals nothing
  CHECK(sampled.spent() == filter.spent());
  CHECK(!filter.spend({.noise = nothing_proven}));
}

TEST_CASE("a plan is admitted as a whole or not at all") {
  for (const filter_rule rule : {filter_rule::gaussian, filter_rule::renyi}) {
    privacy_filter filter({1, 1e-5}, {.rule = rule});
    ledger plan;
    plan.record({.noise = gaussian_noise{50}});
    plan.record({.noise = gaussian_noise{1}});
    CHECK(!filter.spend(plan));
    CHECK(filter.spent() == 0);
    CHECK(filter.book().empty());
    ledger small;
    small.record({.noise = gaussian_noise{50}}, 3);
    const double before = filter.left().epsilon;
    CHECK(before == Catch::Approx(1).epsilon(rule == filter_rule::gaussian ? 1e-9 : 1e-3));
    CHECK(filter.spend(small));
    CHECK(filter.book() == small);
    CHECK(filter.left().epsilon < before);
    // What is left is told as it is: so much Gaussian noise is admitted, and no less.
    const double z = gaussian_multiplier(filter.left().epsilon, filter.left().noise_delta);
    CHECK(!privacy_filter(filter).spend({.noise = gaussian_noise{z * 0.99}}));
    if (rule == filter_rule::gaussian) CHECK(privacy_filter(filter).spend({.noise = gaussian_noise{z * (1 + 1e-9)}}));
    // What was done already is counted even if it is too much, and then nothing more is admitted.
    filter.count(plan);
    CHECK(!filter.within());
    CHECK(filter.promise().epsilon == std::numeric_limits<double>::infinity());
    CHECK(filter.book().entries().size() == 2);
    CHECK(filter.left().epsilon == 0);
    CHECK(!filter.spend(small));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/filter.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace dplda;

namespace {

const privacy_event step{.noise = gaussian_noise{1}, .seen = poisson_sample{0.01}};
const privacy_event look{.noise = laplace_noise{20}};
const privacy_event claim{.noise = approximate_dp{0.05, 1e-7}};

}  // namespace

TEST_CASE("an odometer says what the Renyi accountant says of its ledger") {
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

TEST_CASE("many spends of one event cost as one spend of many") {
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
  CHECK(so_far.rule == accountant::rdp);
}

TEST_CASE("a spend that is refused leaves an odometer as it was") {
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

TEST_CASE("a filter admits all that keeps within the budget, and not one more") {
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

TEST_CASE("whatever is chosen adaptively stays within the budget") {
  // The sum at the filter's order never exceeds what implies the budget, whatever the order of events.
  std::mt19937_64 bits(9);
  for (int trial = 0; trial < 50; ++trial) {
    const budget total{0.5 + trial * 0.1, 1e-6};
    privacy_filter filter(total, {.reserved_delta = 3e-7});
    for (int i = 0; i < 200; ++i) {
      const double z = std::exp(std::uniform_real_distribution<double>(0, 6)(bits));
      switch (bits() % 4) {
        case 0:
          (void)filter.spend({.noise = gaussian_noise{z}, .seen = poisson_sample{0.01}}, 1 + bits() % 100);
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
          rdp_budget(filter.order(), total.epsilon, total.delta - 3e-7, rdp_conversion::exact) * (1 + 1e-12));
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

TEST_CASE("filters without meaning are refused") {
  CHECK_THROWS_AS(privacy_filter({0, 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1e-5}, {.order = 1}), std::invalid_argument);
  CHECK_THROWS_AS(privacy_filter({1, 1e-5}, {.reserved_delta = 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(filter_order({}, {1, 1e-5}), std::invalid_argument);
}

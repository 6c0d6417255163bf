// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/trade_off.hpp>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

namespace {

using dplda::composed_loss;
using dplda::ledger;
using dplda::trade_off_curve;

ledger book_of(double multiplier, double rate = 1, std::uint64_t uses = 1) {
  ledger book;
  book.record({.noise = dplda::gaussian_noise{multiplier}, .sampling = dplda::poisson_sample{rate}}, uses);
  return book;
}

double normal_cdf(double x) { return boost::math::cdf(boost::math::normal(), x); }
double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

TEST_CASE("The curve of Gaussian noise is the trade-off function of Gaussian privacy", "[trade_off]") {
  for (const double mu : {0.1, 0.5, 2.0}) {
    composed_loss loss(book_of(1 / mu));
    const trade_off_curve curve(loss);
    CHECK(curve.points().size() == 200);
    for (const double alarms : {1e-4, 0.01, 0.1, 0.3, 0.5, 0.9}) {
      const double truth = normal_cdf(normal_quantile(1 - alarms) - mu);
      const auto [lower, upper] = curve.missed(alarms);
      CHECK(lower <= truth);
      CHECK(truth <= upper);
      CHECK(upper - lower < 1e-3);
    }
    const auto fit = curve.gaussian();
    CHECK(fit.mu == Catch::Approx(mu).epsilon(1e-6));
    CHECK(fit.error < 1e-6 * mu);
    // At even odds the best guess is right with probability Phi(mu/2).
    const auto [least, most] = right_guess(loss, 0.5);
    CHECK(least <= normal_cdf(mu / 2));
    CHECK(normal_cdf(mu / 2) <= most);
    CHECK(most - least < 1e-6);
    // P(loss > x) = 1 - Phi(x/mu - mu/2), so the belief is exceeded no more often than allowed, and the bound is close.
    const double belief = curve.believed(0.01, 1e-3), x = std::log(belief / (1 - belief) * 99);
    CHECK(1 - normal_cdf(x / mu - mu / 2) <= 1e-3);
    CHECK(x < 2 * mu * (mu / 2 + 3.1));
  }
}

TEST_CASE("A pure epsilon has the trade-off function of randomised response", "[trade_off]") {
  ledger book;
  book.record({.noise = dplda::approximate_dp{1}});
  composed_loss loss(book);
  const trade_off_curve curve(loss, 400);
  for (const double alarms : {0.0, 0.05, 0.2, 0.5, 1.0}) {
    const double truth = std::max({0.0, 1 - std::exp(1.0) * alarms, std::exp(-1.0) * (1 - alarms)});
    const auto [lower, upper] = curve.missed(alarms);
    CHECK(lower <= truth);
    CHECK(truth <= upper);
    CHECK(upper - lower < 5e-3);
  }
  const auto [least, most] = right_guess(loss, 0.5);
  const double truth = std::exp(1.0) / (1 + std::exp(1.0));
  CHECK(least <= truth);
  CHECK(truth <= most);
  CHECK(most - least < 1e-3);
  CHECK(right_guess(loss, 0).upper == 1);
  // What is hardly ever there cannot be told from absent.
  CHECK(right_guess(loss, 0.01).upper == Catch::Approx(0.99).epsilon(1e-9));
}

TEST_CASE("Bounds of a sampled curve agree with separate questions", "[trade_off]") {
  const ledger book = book_of(1, 0.01, 1000);
  composed_loss loss(book);
  const trade_off_curve curve(loss);
  double before = 1;
  for (std::size_t i = 0; i < curve.points().size(); i += 20) {
    const auto& [epsilon, delta] = curve.points()[i];
    const auto separate = ledger_delta(book, epsilon);
    CHECK(delta.lower <= separate.upper);
    CHECK(separate.lower <= delta.upper);
    CHECK(delta.upper <= before);
    before = delta.upper;
  }
  double last = 1;
  for (const double alarms : {0.0, 0.01, 0.1, 0.2, 0.5, 0.8, 1.0}) {
    const auto [lower, upper] = curve.missed(alarms);
    CHECK(lower <= upper);
    CHECK(upper <= 1 - alarms);
    CHECK(lower <= last);
    last = upper;
  }
}

TEST_CASE("Later questions keep what earlier ones computed", "[trade_off]") {
  const ledger book = book_of(1, 0.01, 1000);
  composed_loss loss(book);
  for (const double delta : {1e-3, 1e-6, 1e-5, 1e-9, 1e-6}) {
    const auto found = loss.epsilon(delta), alone = ledger_epsilon(book, delta);
    CHECK(found.lower <= alone.upper);
    CHECK(alone.lower <= found.upper);
    CHECK(loss.accurate(found));
    const auto back = loss.delta(found.upper);
    CHECK(back.lower <= delta);
  }
}

TEST_CASE("A price tells both bounds and whether they are close", "[trade_off]") {
  const auto priced = price(book_of(1, 0.01, 1000), 1e-5);
  CHECK(priced.accurate);
  CHECK(priced.lower <= priced.epsilon);
  CHECK(priced.epsilon - priced.lower <= 1e-3 * priced.epsilon);
  const auto coarse = price(book_of(1, 0.01, 100000), 1e-5, dplda::accountant::pld, {.max_points = 1024});
  CHECK_FALSE(coarse.accurate);
  CHECK_FALSE(price(book_of(1, 0.01, 1000), 1e-5, dplda::accountant::rdp).accurate);
}

TEST_CASE("A curve refuses what has no meaning", "[trade_off]") {
  composed_loss loss(book_of(1));
  CHECK_THROWS_AS(trade_off_curve(loss, 1), std::invalid_argument);
  CHECK_THROWS_AS(trade_off_curve(loss, 10, 0), std::invalid_argument);
  const trade_off_curve curve(loss, 10);
  CHECK_THROWS_AS(curve.missed(1.5), std::invalid_argument);
  CHECK_THROWS_AS(curve.believed(0.5, 0), std::invalid_argument);
  CHECK_THROWS_AS(right_guess(loss, -1), std::invalid_argument);
}

}  // namespace

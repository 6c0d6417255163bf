// SPDX-License-Identifier: Apache-2.0
// Discrete Gaussian noise on one integer, and mechanisms with a pair of laws or a Renyi curve of the user's own. The
// reference values are printed by own_analysis.py.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/group.hpp>
#include <dplda/accounting/trade_off.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <variant>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

ledger uses_of(const mechanism& noise, double rate = 1, std::uint64_t count = 1,
               neighbours relation = neighbours::add_remove) {
  ledger book;
  book.record({.noise = noise,
               .sampling = rate < 1 ? sampling(poisson_sample{rate}) : sampling(all_units{}),
               .relation = relation},
              count);
  return book;
}

void check_near(const certified_bounds& found, double truth) {
  CAPTURE(found.lower, found.upper, truth);
  CHECK(found.lower <= truth * (1 + 1e-10));
  CHECK(found.upper >= truth * (1 - 1e-10));
  CHECK(found.upper - found.lower <= 2e-3 * truth);
}

/// Laws on finitely many outcomes, and the hockey-stick divergence of their k-fold product, by enumeration.
struct two_laws {
  std::vector<long double> p, q;

  two_laws times(const two_laws& other) const {
    two_laws product;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < other.p.size(); ++j) {
        product.p.push_back(p[i] * other.p[j]);
        product.q.push_back(q[i] * other.q[j]);
      }
    }
    return product;
  }
  long double delta(long double epsilon, bool exchanged) const {
    long double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      sum += std::max(0.0L, exchanged ? q[i] - std::exp(epsilon) * p[i] : p[i] - std::exp(epsilon) * q[i]);
    return sum;
  }
  double worst_delta(double epsilon) const {
    return static_cast<double>(std::max(delta(epsilon, false), delta(epsilon, true)));
  }
  /// The larger divergence of order alpha of both directions.
  double rdp(double alpha) const {
    long double there = 0, back = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] == 0 && q[i] == 0) continue;
      there += q[i] * std::pow(p[i] / q[i], static_cast<long double>(alpha));
      back += p[i] * std::pow(q[i] / p[i], static_cast<long double>(alpha));
    }
    return static_cast<double>(std::log(std::max(there, back)) / (alpha - 1));
  }
};

two_laws laws_of(const dominating_pair& pair, double rate) {
  two_laws laws;
  long double b = 0, a = 0;
  for (std::size_t i = 0; i < pair.with.size(); ++i) {
    b += pair.with[i];
    a += pair.without[i];
  }
  for (std::size_t i = 0; i < pair.with.size(); ++i) {
    laws.p.push_back((1 - rate) * static_cast<long double>(pair.without[i]) / a +
                     rate * static_cast<long double>(pair.with[i]) / b);
    laws.q.push_back(static_cast<long double>(pair.without[i]) / a);
  }
  return laws;
}

}  // namespace

TEST_CASE("Discrete Gaussian noise on one integer: reference figures", "[accounting][own]") {
  struct figure {
    integer_gaussian_noise noise;
    double rate, delta, epsilon;
  };
  for (const auto& [noise, rate, delta, epsilon] :
       {figure{{0.7, 1}, 1, 1e-5, 6.95633125381}, figure{{2.5, 1}, 1, 1e-6, 1.77753992444},
        figure{{4.5, 3}, 1, 1e-9, 3.96288678733}, figure{{2.5, 1}, 0.1, 1e-6, 0.313943180317},
        figure{{12, 5}, 0.02, 1e-7, 0.0852860776475}, figure{{0.4, 2}, 0.3, 1e-4, 23.7878251134}}) {
    CAPTURE(noise.sigma, noise.sensitivity, rate);
    const ledger book = uses_of(noise, rate);
    check_near(pld_epsilon(book, delta), epsilon);
    CHECK(ledger_epsilon(book, delta).upper <= ledger_epsilon(book, delta, accountant::zcdp).upper);
    CHECK(ledger_epsilon(book, delta, accountant::rdp).upper >= epsilon);
  }
}

TEST_CASE("Discrete Gaussian noise on one integer behaves as Gaussian noise where sigma is large",
          "[accounting][own]") {
  const double gaussian = gaussian_epsilon(40.0 / 3, 1e-6),
               found = pld_epsilon(uses_of(integer_gaussian_noise{40, 3}), 1e-6).upper;
  CHECK(std::abs(found / gaussian - 1) < 1e-3);
  // 400 uses: as one Gaussian mechanism of twenty times the shift.
  const certified_bounds many = pld_epsilon(uses_of(integer_gaussian_noise{300, 1}, 1, 400), 1e-6);
  CHECK(std::abs(many.lower / gaussian_epsilon(15, 1e-6) - 1) < 1e-3);
  CHECK(std::abs(many.upper / gaussian_epsilon(15, 1e-6) - 1) < 1e-3);
}

TEST_CASE("Discrete Gaussian noise has infinite losses at delta = 0, and no others", "[accounting][own]") {
  const ledger book = uses_of(integer_gaussian_noise{3, 2}, 1, 5);
  CHECK(pld_epsilon(book, 0).lower == no_limit);
  for (const double delta : {1e-320, 1e-300, 1e-280}) {
    const certified_bounds found = pld_epsilon(book, delta);
    // mu = sqrt(5) 2/3: epsilon is near mu^2/2 + mu sqrt(2 log(1/delta)).
    CHECK(found.lower < 70);
    CHECK(found.upper > 40);
  }
  CHECK(pld_delta(book, 1000).lower == 0);
  CHECK(pld_delta(book, 1000).upper < 1e-280);
}

TEST_CASE("Discrete Gaussian noise with too large a sigma for PLD has the other accountants' price",
          "[accounting][own]") {
  const ledger book = uses_of(integer_gaussian_noise{1e5, 1000});
  CHECK_FALSE(pld_supports(book));
  CHECK(pld_supports(uses_of(integer_gaussian_noise{400, 1000})));
  CHECK(ledger_epsilon(book, 1e-6).upper < 0.06);
}

TEST_CASE("A fixed-size sample of one use with discrete Gaussian noise has the published profile",
          "[accounting][own]") {
  const integer_gaussian_noise noise{2.5, 1};
  ledger book;
  book.record({.noise = noise, .sampling = fixed_size_sample{10, 100}, .relation = neighbours::replace});
  // The published profile at log(1 + q (e^e - 1)) is q times that of the whole at e.
  const double whole = pld_epsilon(uses_of(noise), 1e-5).upper, sampled = pld_epsilon(book, 1e-6).upper;
  CHECK(std::abs(sampled / std::log1p(0.1 * std::expm1(whole)) - 1) < 2e-3);
}

TEST_CASE("A dominating pair: reference figures", "[accounting][own]") {
  const dominating_pair pair{{0.5, 0.3, 0.15, 0.05}, {0.4, 0.2, 0.3, 0.1}};
  check_near(pld_epsilon(uses_of(pair), 1e-2), 0.667829372576);
  check_near(pld_epsilon(uses_of(pair, 1, 8), 1e-3), 4.51210153969);
  check_near(pld_epsilon(uses_of(pair, 0.25, 8), 1e-3), 0.744725248615);
  check_near(pld_epsilon(uses_of(pair, 0.05, 12), 1e-6), 0.26433092091);
}

TEST_CASE("Dominating pairs of randomised response and of an opaque event cost what these cost", "[accounting][own]") {
  const double e = 0.8, kept = 1 / (1 + std::exp(-e));
  const dominating_pair response{{kept, 1 - kept}, {1 - kept, kept}};
  for (const double rate : {1.0, 0.1}) {
    for (const accountant rule : {accountant::linear, accountant::optimal, accountant::rdp, accountant::pld}) {
      CAPTURE(rate, rule);
      const auto found = ledger_epsilon(uses_of(response, rate, 30), 1e-6, rule);
      const auto known = ledger_epsilon(uses_of(approximate_dp{e}, rate, 30), 1e-6, rule);
      CHECK(std::abs(found.upper / known.upper - 1) < 1e-6);
    }
  }
  const double d = 1e-3;
  const dominating_pair opaque{{d, 0, (1 - d) * kept, (1 - d) * (1 - kept)},
                               {0, d, (1 - d) * (1 - kept), (1 - d) * kept}};
  for (const accountant rule : {accountant::linear, accountant::rdp, accountant::pld}) {
    CAPTURE(rule);
    const auto found = ledger_epsilon(uses_of(opaque, 0.2, 10), 1e-2, rule);
    const auto known = ledger_epsilon(uses_of(approximate_dp{e, d}, 0.2, 10), 1e-2, rule);
    CHECK(std::abs(found.upper / known.upper - 1) < 1e-6);
  }
}

// Seeded, so the same every time. Every bound of every accountant is compared with an enumeration of all outcomes.
TEST_CASE("Random dominating pairs: bounds from both sides hold the enumerated truth", "[accounting][own]") {
  std::mt19937_64 bits(20261119);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(bits); };
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t outcomes = 2 + bits() % 4, uses = 1 + bits() % 5;
    const auto law = [&] {
      std::vector<double> masses(outcomes);
      double sum = 0;
      for (double& m : masses) sum += m = bits() % 12 == 0 ? 0 : std::exp(uniform(-4, 0));
      if (sum == 0) sum = masses[0] = 1;
      for (double& m : masses) m /= sum;
      return masses;
    };
    const dominating_pair pair{law(), law()};
    const double rate = bits() % 3 == 0 ? 1 : std::exp(uniform(-4, 0));
    const two_laws one = laws_of(pair, rate);
    two_laws all = one;
    for (std::size_t i = 1; i < uses; ++i) all = all.times(one);
    const ledger book = uses_of(pair, rate, uses);
    std::set<double> finite;
    for (std::size_t i = 0; i < outcomes; ++i)
      if (one.p[i] > 0 && one.q[i] > 0) finite.insert(static_cast<double>(one.p[i] / one.q[i]));
    const bool several = finite.size() > 1;
    CAPTURE(trial, outcomes, uses, rate);
    for (const double epsilon : {0.0, 0.1, 0.7, 2.0}) {
      const double truth = all.worst_delta(epsilon);
      CAPTURE(epsilon, truth);
      for (const accountant rule : {accountant::linear, accountant::optimal, accountant::rdp, accountant::zcdp,
                                    accountant::pld, accountant::best}) {
        CAPTURE(rule);
        const certified_bounds found = ledger_delta(book, epsilon, rule);
        CHECK(found.lower <= truth * (1 + 1e-12) + 1e-16);
        CHECK(found.upper >= truth * (1 - 1e-12) - 1e-16);
        // Where there is only one finite loss, or infinite ones decide, no lattice is chosen that is fine enough.
        if (rule == accountant::pld && several && epsilon > 0 && truth < 0.5)
          CHECK(found.upper - found.lower <= 2e-2 * truth + 1e-12);
      }
    }
    if (finite.size() > 0) {
      // At delta = 0, the largest loss of one direction, if none is infinite.
      double largest[2] = {0, 0};
      for (std::size_t i = 0; i < outcomes; ++i) {
        if (one.p[i] == 0 && one.q[i] == 0) continue;
        largest[0] = std::max(largest[0], static_cast<double>(std::log(one.p[i] / one.q[i])));
        largest[1] = std::max(largest[1], static_cast<double>(std::log(one.q[i] / one.p[i])));
      }
      const double truth = static_cast<double>(uses) * std::max(largest[0], largest[1]);
      for (const accountant rule : {accountant::linear, accountant::pld, accountant::best}) {
        const certified_bounds found = ledger_epsilon(book, 0, rule);
        CAPTURE(rule, truth, found.lower, found.upper);
        CHECK(found.lower <= truth * (1 + 1e-12) + 1e-15);
        CHECK(found.upper >= truth * (1 - 1e-12) - 1e-15);
        if (rule != accountant::linear && truth < no_limit) CHECK(found.upper <= truth * (1 + 1e-9) + 1e-12);
      }
    }
    rdp_curve curve({.noise = pair, .sampling = rate < 1 ? sampling(poisson_sample{rate}) : sampling(all_units{})});
    if (curve.reserved_delta() > 0) continue;  // the curve holds once that is set aside
    for (const double alpha : {1.001, 1.5, 3.0, 20.0}) {
      const double truth = one.rdp(alpha);
      CAPTURE(alpha, truth);
      CHECK(curve(alpha) >= truth * (1 - 1e-9));
      CHECK(curve(alpha) <= truth * (1 + 1e-9) + 3e-14 * alpha / (alpha - 1));
    }
  }
}

TEST_CASE("The two directions of a dominating pair are kept apart", "[accounting][own]") {
  // Only the corpus with the unit has the rare outcome: removing the unit tells, adding it does not.
  const dominating_pair tells{{0.01, 0.99}, {0, 1}}, told{{0, 1}, {0.01, 0.99}};
  CHECK(std::abs(pld_delta(uses_of(tells), 1).upper - 0.01) < 1e-12);
  CHECK(std::abs(pld_delta(uses_of(told), 1).upper - 0.01) < 1e-12);
  // On a sample, an outcome that only the corpus without the unit has is seldom impossible.
  CHECK(std::abs(pld_delta(uses_of(tells, 0.1), 1).upper - 0.001) < 1e-12);
  CHECK(pld_delta(uses_of(told, 0.1), 1).upper == 0);
  CHECK(pld_epsilon(uses_of(told, 0.1), 0).upper < -std::log(0.9) * (1 + 1e-9));
}

TEST_CASE("Laws without a common outcome cost everything, beside whatever else", "[accounting][own]") {
  const dominating_pair disjoint{{1, 0}, {0, 1}}, several{{0.5, 0.5, 0}, {0, 0, 1}};
  for (const mechanism& other :
       std::vector<mechanism>{disjoint, laplace_noise{1}, gaussian_noise{1}, integer_gaussian_noise{2, 1}}) {
    for (const dominating_pair& pair : {disjoint, several}) {
      ledger book = uses_of(pair);
      book.record({.noise = other});
      CAPTURE(other.index());
      for (const accountant rule : {accountant::pld, accountant::best}) {
        composed_loss loss(book, rule);
        for (const double epsilon : {0.0, 1.0, 1000.0}) {
          CHECK(loss.delta(epsilon).upper == 1);
          CHECK(loss.delta(epsilon).lower > 1 - 1e-12);
        }
        for (const double delta : {0.0, 1e-6, 0.999}) CHECK(loss.epsilon(delta).lower == no_limit);
        CHECK(loss.epsilon(1).upper == 0);
      }
      composed_loss loss(book);
      CHECK(trade_off_curve(loss).missed(0).lower == 0);
    }
  }
  // On a sample, or of two corpora one of which is exchanged, the pair is not disjoint.
  CHECK(std::abs(pld_delta(uses_of(disjoint, 0.1), 1).upper - 0.1) < 1e-12);
  for (const std::uint64_t size : {1u, 2u}) {
    ledger book;
    book.record({.noise = disjoint, .sampling = fixed_size_sample{size, 2}, .relation = neighbours::replace});
    book.record({.noise = laplace_noise{1}, .relation = neighbours::replace});
    CHECK(std::abs(pld_delta(book, 1).upper - static_cast<double>(size) / 2) < 1e-12);
  }
  // Nearly disjoint, in one direction or in both.
  const double rest = 1e-9;
  for (const auto& [pair, truth] :
       std::vector<std::pair<dominating_pair, double>>{{{{1, 1e-200, 0}, {0, 1e-200, 1}}, 1},
                                                       {{{1 - rest, rest}, {0, 1}}, 1 - rest},
                                                       {{{0, 1}, {1 - rest, rest}}, 1 - rest},
                                                       {{{1, 1e-300}, {rest, 1 - rest}}, 1 - rest}}) {
    CAPTURE(truth);
    const certified_bounds found = pld_delta(uses_of(pair), 1);
    CHECK(found.lower <= truth);
    CHECK(found.upper >= truth);
    CHECK(found.upper - found.lower < 0.1);
    ledger book = uses_of(pair);
    book.record({.noise = gaussian_noise{1}});
    CHECK(pld_delta(book, 1).upper >= truth);
  }
}

TEST_CASE("Laws that were cut off are refused until the rest has outcomes of its own", "[accounting][own]") {
  // One integer with discrete Gaussian noise, sigma 1, as 14 outcomes: 9e-12 and 1e-9 of the laws are missing.
  std::vector<double> with, without;
  double with_rest = 0, without_rest = 0, all = 0;
  const auto mass = [](int x) { return std::exp(-0.5 * x * x); };
  for (int x = -40; x <= 40; ++x) all += mass(x);
  for (int x = -40; x <= 40; ++x) {
    if (x >= -6 && x <= 7) {
      without.push_back(mass(x) / all);
      with.push_back(mass(x - 1) / all);
    } else {
      without_rest += mass(x) / all;
      with_rest += mass(x - 1) / all;
    }
  }
  CHECK(refusal([&] {
          uses_of(dominating_pair{with, without});
        }).find("outcome that only this law has") != std::string::npos);
  with.insert(with.end(), {with_rest, 0});
  without.insert(without.end(), {0, without_rest});
  const ledger book = uses_of(dominating_pair{with, without}), whole = uses_of(integer_gaussian_noise{1, 1});
  CHECK(pld_epsilon(book, 0).lower == no_limit);
  for (const double delta : {1e-14, 1e-12, 1e-10, 1e-6}) {
    CAPTURE(delta);
    CHECK(pld_epsilon(book, delta).upper >= pld_epsilon(whole, delta).lower);
  }
  CHECK(pld_epsilon(book, 1e-6).upper < 1.01 * pld_epsilon(whole, 1e-6).upper);
  // What rounding leaves is no such rest: many numbers, divided by a sum that was rounded at every step.
  std::mt19937_64 bits(5);
  std::vector<double> many(100'000);
  double sum = 0;
  for (double& p : many) sum += p = std::uniform_real_distribution<double>(0.1, 1)(bits);
  for (double& p : many) p /= sum;
  CHECK(ledger_epsilon(uses_of(dominating_pair{many, many}), 0).upper == 0);
}

TEST_CASE("Under replace a dominating pair is its own mirror image", "[accounting][own]") {
  const dominating_pair crooked{{0.5, 0.3, 0.2}, {0.4, 0.2, 0.4}}, mirrored{{0.6, 0.3, 0.1}, {0.1, 0.3, 0.6}};
  CHECK(refusal([&] { uses_of(crooked, 1, 1, neighbours::replace); }).find("mirror") != std::string::npos);
  const ledger book = uses_of(mirrored, 1, 3, neighbours::replace);
  CHECK(std::abs(pld_epsilon(book, 0).upper - 3 * std::log(6.0)) < 1e-9);
  ledger sampled;
  sampled.record({.noise = mirrored, .sampling = fixed_size_sample{1, 10}, .relation = neighbours::replace});
  CHECK(std::abs(pld_epsilon(sampled, 0).upper - std::log1p(0.1 * 5)) < 1e-9);
}

TEST_CASE("A Renyi curve of one's own is convex between its points and ends with the last", "[accounting][own]") {
  // A Gaussian mechanism's points give its curve back, and prices near its own.
  std::vector<double> orders, divergences;
  for (double order = 1.25; order < 300; order *= 1.07) {
    orders.push_back(order);
    divergences.push_back(gaussian_rdp(2, order));
  }
  const renyi_curve points{orders, divergences};
  rdp_curve curve({.noise = points});
  for (const double alpha : {1.01, 1.25, 1.3, 7.77, 250.0}) {
    CAPTURE(alpha);
    CHECK(curve(alpha) >= gaussian_rdp(2, alpha) * (1 - 1e-12));
    // A chord between orders a and 1.07 a is above the parabola by at most 0.035^2 a^2 / 8 relative to alpha (alpha - 1).
    if (alpha >= 1.25) CHECK(curve(alpha) <= gaussian_rdp(2, alpha) * 1.02);
  }
  CHECK(curve(301) == no_limit);
  for (const std::uint64_t uses : {1u, 20u}) {
    const double known = ledger_epsilon(uses_of(gaussian_noise{2}, 1, uses), 1e-6, accountant::rdp).upper;
    const double found = ledger_epsilon(uses_of(points, 1, uses), 1e-6, accountant::rdp).upper;
    CHECK(found >= known * (1 - 1e-9));
    CHECK(found <= known * 1.01);
  }
  CHECK(ledger_epsilon(uses_of(points), 1e-6, accountant::pld).upper == no_limit);
  CHECK(ledger_epsilon(uses_of(points), 1e-6, accountant::zcdp).upper == no_limit);
  CHECK(ledger_epsilon(uses_of(points), 0).upper == no_limit);
}

TEST_CASE("A sampled Renyi curve costs at least what the mechanism costs, and less than unsampled",
          "[accounting][own]") {
  std::vector<double> orders, divergences;
  for (double order = 2; order <= 64; ++order) {
    orders.push_back(order);
    divergences.push_back(gaussian_rdp(2, order));
  }
  const renyi_curve points{orders, divergences};
  const double known = ledger_epsilon(uses_of(gaussian_noise{2}, 0.01, 500), 1e-6, accountant::rdp).upper;
  const double found = ledger_epsilon(uses_of(points, 0.01, 500), 1e-6).upper;
  CHECK(found >= known);
  CHECK(found < 2 * known);
}

TEST_CASE("The events of one's own for a group of units", "[accounting][own]") {
  const ledger integers = group_ledger(uses_of(integer_gaussian_noise{9, 2}, 1, 4), 3);
  CHECK(integers.entries()[0].event.noise == mechanism(integer_gaussian_noise{9, 6}));
  const ledger points = group_ledger(uses_of(renyi_curve{{2, 4, 16}, {0.1, 0.2, 0.5}}), 3);
  // Mironov 2017, Proposition 2, for 4 = 2^2 units: only orders of at least 8.
  const auto& curve = std::get<renyi_curve>(points.entries()[0].event.noise);
  REQUIRE(curve.orders.size() == 1);
  CHECK(curve.orders[0] == 4);
  CHECK(std::abs(curve.divergences[0] - 4.5) < 1e-12);
  CHECK(group_ledger(uses_of(renyi_curve{{2}, {0.1}}), 3).entries()[0].event.noise == mechanism(nothing_proven));
  const ledger pair = group_ledger(uses_of(dominating_pair{{0.6, 0.4}, {0.4, 0.6}}), 2);
  CHECK(std::abs(ledger_epsilon(pair, 0).upper - 2 * std::log(1.5)) < 1e-9);
}

TEST_CASE("The filter's rules on events of one's own", "[accounting][own]") {
  privacy_filter renyi({.epsilon = 2, .delta = 1e-6}, {.rule = filter_rule::renyi});
  CHECK(renyi.spend({.noise = renyi_curve{{2, 64}, {1e-4, 2e-3}}}));
  privacy_filter gaussian({.epsilon = 2, .delta = 1e-6}, {.rule = filter_rule::gaussian});
  CHECK(gaussian.spend({.noise = dominating_pair{{0.51, 0.49}, {0.49, 0.51}}}));
  CHECK_FALSE(refusal([&] { static_cast<void>(gaussian.spend({.noise = renyi_curve{{2}, {0.1}}})); }).empty());
}

TEST_CASE("Events of one's own without a meaning are refused", "[accounting][own]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const mechanism& bad : std::vector<mechanism>{
           integer_gaussian_noise{0, 1}, integer_gaussian_noise{nan, 1}, integer_gaussian_noise{1, 0},
           dominating_pair{}, dominating_pair{{1}, {0.5, 0.5}}, dominating_pair{{0.5, 0.4}, {0.5, 0.5}},
           dominating_pair{{1.5, -0.5}, {0.5, 0.5}}, dominating_pair{{nan, 1}, {0.5, 0.5}},
           dominating_pair{{1 - 1e-305, 1e-305}, {0.5, 0.5}}, renyi_curve{}, renyi_curve{{2}, {}},
           renyi_curve{{1}, {0.1}}, renyi_curve{{3, 2}, {0.1, 0.1}}, renyi_curve{{2}, {-0.1}}, renyi_curve{{2}, {nan}},
           renyi_curve{{nan}, {0.1}}, renyi_curve{{2}, {no_limit}}}) {
    CAPTURE(bad.index());
    CHECK_FALSE(refusal([&] { uses_of(bad); }).empty());
  }
  // A pair of equal laws reveals nothing.
  CHECK(ledger_epsilon(uses_of(dominating_pair{{0.3, 0.7}, {0.3, 0.7}}, 1, 1000), 0).upper == 0);
}

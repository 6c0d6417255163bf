// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/bounded_output.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

using values_of = std::vector<double>;

bounded_output_options plan(noise_kind noise = noise_kind::gaussian) {
  return {.rows = 3, .row_size = 2, .norm = 3, .noise_multiplier = 2, .noise = noise};
}

// The release of these outputs by a known seed.
values_of released(const bounded_output_options& options, const std::vector<values_of>& outputs,
                   std::uint64_t seed = 1) {
  bounded_output sums(options);
  for (const values_of& output : outputs) sums.add(output);
  random_source random = seeded_random(seed);
  ledger spent;
  return sums.publish(random, spent);
}

// The distance of the sums of two outputs without their noise, which is the same in both.
double apart(const bounded_output_options& options, const values_of& a, const values_of& b, bool l1) {
  const values_of x = released(options, {a}), y = released(options, {b});
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += l1 ? std::abs(x[i] - y[i]) : (x[i] - y[i]) * (x[i] - y[i]);
  return l1 ? sum : std::sqrt(sum);
}

const double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("bounded output: no two outputs are further apart than the sensitivity") {
  const std::vector<values_of> nasty{{0, 0, 0, 0, 0, 0},
                                     {3, 0, 0, 0, 0, 0},
                                     {0, 3, 0, 0, 0, 0},
                                     {1e300, 0, 0, 0, 0, 1e300},
                                     {0, 0, 0, 0, 0, infinity},
                                     {nan_value, 1, 1, 1, 1, 1},
                                     {-3, 0, 0, 0, 0, 0},
                                     {-1e300, 1e-300, 5, 5, 5, -5},
                                     {3, 3, 3, 3, 3, 3},
                                     {0, 0, 1.5, 1.5, 0, 0},
                                     {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  for (const bool l1 : {false, true}) {
    const bounded_output_options options = plan(l1 ? noise_kind::laplace : noise_kind::gaussian);
    const double sensitivity = (l1 ? 2 : std::sqrt(2.0)) * options.norm;
    CHECK(bounded_output(options).noise() == Catch::Approx(2 * sensitivity).epsilon(1e-9));
    double widest = 0;
    for (const values_of& a : nasty) {
      for (const values_of& b : nasty) widest = std::max(widest, apart(options, a, b, l1));
    }
    // The noise over the distance is at least the multiplier, and hardly more: the bound is reached.
    CHECK(bounded_output(options).noise() / widest >= options.noise_multiplier);
    CHECK(bounded_output(options).noise() / widest < options.noise_multiplier * 1.00001);
    // Outputs within the norm are not changed.
    CHECK(apart(options, nasty.front(), nasty.back(), l1) == Catch::Approx(l1 ? 2.1 : std::sqrt(0.91)).epsilon(1e-9));
  }
}

TEST_CASE("bounded output: one exchanged part moves the sum as one exchanged output does") {
  bounded_output_options options = plan();
  options.parts = 3;
  const values_of a{3, 0, 0, 0, 0, 0}, b{0, 3, 0, 0, 0, 0}, c{0, 0, 1, 1, 0, 0};
  const values_of x = released(options, {a, c, c}), y = released(options, {c, b, c}), z = released(options, {c, a, c});
  CHECK(x == z);  // the order does not matter
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (y[i] - z[i]) * (y[i] - z[i]);
  CHECK(std::sqrt(sum) <= bounded_output(options).noise() / options.noise_multiplier);
  CHECK(std::sqrt(sum) == Catch::Approx(3 * std::sqrt(2.0)).epsilon(1e-5));
}

TEST_CASE("bounded output: the noise has the scale that the ledger says, and no other") {
  for (const bool laplace : {false, true}) {
    bounded_output_options options = plan(laplace ? noise_kind::laplace : noise_kind::gaussian);
    options.rows = 50'000;
    const double scale = 2 * (laplace ? 2 : std::sqrt(2.0)) * options.norm;
    const values_of noise = released(options, {}, 11);
    double sum = 0;
    for (const double x : noise) sum += std::abs(x);
    // E |Z| and Var |Z| of the standard laws.
    const double mean = laplace ? 1 : std::sqrt(2 / std::acos(-1.0)), variance = laplace ? 1 : 1 - mean * mean;
    const double n = static_cast<double>(noise.size());
    const auto p_value = [&](double assumed) {
      return normal_p_value((sum / (n * assumed) - mean) / std::sqrt(variance / n));
    };
    CHECK(p_value(scale) > suite_level);
    CHECK(p_value(scale * 1.04) < suite_level);
    CHECK(p_value(scale * 0.96) < suite_level);
  }
}

TEST_CASE("bounded output: the event is of the data's unit and neighbours, and is written first") {
  for (const neighbours relation : {neighbours::replace, neighbours::add_remove}) {
    bounded_output_options options = plan();
    options.unit = privacy_unit::user;
    options.relation = relation;
    options.label = "something";
    bounded_output sums(options);
    // The sensitivity is that of an exchange whatever the neighbours are.
    CHECK(sums.noise() == Catch::Approx(6 * std::sqrt(2.0)).epsilon(1e-9));
    ledger spent;
    random_source random = seeded_random(1);
    sums.publish(random, spent);
    REQUIRE(spent.entries().size() == 1);
    const privacy_event expected{gaussian_noise{2}, all_units{}, privacy_unit::user, relation, "something"};
    CHECK(spent.entries().front().event == expected);
    CHECK(spent.seeded());

    ledger other;
    other.record({gaussian_noise{2}, all_units{}, privacy_unit::document, relation});
    const ledger before = other;
    CHECK_THROWS_AS(sums.publish(random, other), std::invalid_argument);
    CHECK(other == before);
    values_of small(5);
    CHECK_THROWS_AS(sums.publish(random, spent, std::span(small)), std::invalid_argument);
    CHECK(spent.entries().front().count == 1);
  }
  ledger secret;
  random_source random = secure_random();
  bounded_output(plan()).publish(random, secret);
  CHECK_FALSE(secret.seeded());
}

TEST_CASE("bounded output: threads change nothing, and bad options are refused") {
  bounded_output_options options = plan();
  options.rows = 10'000;
  std::vector<values_of> results;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    bounded_output sums(options);
    random_source random = seeded_random(3);
    ledger spent;
    results.push_back(sums.publish(random, spent, threads));
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);

  const auto refused = [](auto change) {
    bounded_output_options o = plan();
    change(o);
    return !refusal([&] { bounded_output{o}; }).empty();
  };
  CHECK_FALSE(refused([](auto&) {}));
  CHECK(refused([](auto& o) { o.rows = 0; }));
  CHECK(refused([](auto& o) { o.norm = 0; }));
  CHECK(refused([](auto& o) { o.norm = nan_value; }));
  CHECK(refused([](auto& o) { o.noise_multiplier = 0; }));
  CHECK(refused([](auto& o) { o.noise_multiplier = infinity; }));
  CHECK(refused([](auto& o) { o.parts = 0; }));
  bounded_output sums(plan());
  CHECK_THROWS_AS(sums.add(values_of(5)), std::logic_error);
  for (std::uint64_t part = 0; part < sums.options().parts; ++part) sums.add(values_of(sums.cells()));
  CHECK_THROWS_AS(sums.add(values_of(sums.cells())), std::logic_error);  // one output for each part, no more
}

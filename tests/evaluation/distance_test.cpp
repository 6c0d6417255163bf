// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/distance.hpp>

#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using dplda::compare_models;
using dplda::distance_per_topic;
using dplda::kendall_tau_b;
using dplda::topic_distance;
using dplda_tests::make_model;

namespace {

// By its definition, over all pairs.
double slow_tau_b(const std::vector<double>& x, const std::vector<double>& y) {
  double difference = 0, untied_x = 0, untied_y = 0;
  const auto sign = [](double a, double b) { return (a > b) - (a < b); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int sx = sign(x[i], x[j]), sy = sign(y[i], y[j]);
      difference += sx * sy;
      untied_x += sx * sx;
      untied_y += sy * sy;
    }
  }
  return untied_x * untied_y == 0 ? 0 : difference / std::sqrt(untied_x * untied_y);
}

}  // namespace

TEST_CASE("Distances of topics agree with hand calculation", "[evaluation][distance]") {
  const auto a = make_model({{1, 0, 0}, {0.5, 0.5, 0}}), b = make_model({{0, 0, 1}, {0.5, 0.25, 0.25}});
  CHECK(distance_per_topic(a, b, topic_distance::l1) == std::vector<double>{2, 0.5});
  const auto l2 = distance_per_topic(a, b, topic_distance::l2);
  CHECK(l2[0] == Catch::Approx(std::sqrt(2.0)));
  CHECK(l2[1] == Catch::Approx(std::sqrt(0.125)));
  const auto hellinger = distance_per_topic(a, b, topic_distance::hellinger);
  CHECK(hellinger[0] == Catch::Approx(1));
  CHECK(hellinger[1] == Catch::Approx(std::sqrt((std::pow(std::sqrt(0.5) - 0.5, 2) + 0.25) / 2)));
}

TEST_CASE("compare_models returns the sums and means that its fields name", "[evaluation][distance]") {
  const auto a = make_model({{1, 0, 0}, {0.5, 0.5, 0}}), b = make_model({{0, 0, 1}, {0.5, 0.25, 0.25}});
  const auto c = compare_models(a, b);
  CHECK(c.l1_sum == Catch::Approx(2.5));
  CHECK(c.l1_mean == Catch::Approx(1.25));
  CHECK(c.l2_sum == Catch::Approx(std::sqrt(2.0) + std::sqrt(0.125)));
  CHECK(c.l2_mean == Catch::Approx(c.l2_sum / 2));
  CHECK(c.rmse == Catch::Approx(std::sqrt(2.125 / 6)));
  CHECK(c.rmse * std::sqrt(6.0) == Catch::Approx((a.phi() - b.phi()).norm()));
  CHECK(c.kendall_tau_b_mean ==
        Catch::Approx((slow_tau_b({1, 0, 0}, {0, 0, 1}) + slow_tau_b({2, 2, 0}, {2, 1, 1})) / 2));
  CHECK(c.hellinger_mean > 0.5);
  const auto same = compare_models(a, a);
  CHECK(same.l1_sum == 0);
  CHECK(same.l2_sum == 0);
  CHECK(same.rmse == 0);
  CHECK(same.hellinger_mean == 0);
  CHECK(same.kendall_tau_b_mean == 1);
}

TEST_CASE("Models of float and double can be compared", "[evaluation][distance]") {
  const auto a = make_model({{0.5, 0.5}});
  const auto b = make_model<float>({{0.25, 0.75}});
  CHECK(compare_models(a, b).l1_sum == 0.5);
  CHECK(compare_models(b, a).kendall_tau_b_mean == 0);
}

TEST_CASE("Kendall's tau-b has its reference values", "[evaluation][distance]") {
  CHECK(kendall_tau_b(std::vector<double>{1, 2, 3, 4}, std::vector<double>{10, 20, 30, 40}) == 1);
  CHECK(kendall_tau_b(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 3, 2, 1}) == -1);
  // 3 discordant of 10 pairs.
  CHECK(kendall_tau_b(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{3, 1, 4, 2, 5}) == Catch::Approx(0.4));
  // Of 6 pairs 1 is tied in x, 1 in y, and 4 are concordant: 4 / sqrt(5 * 5).
  CHECK(kendall_tau_b(std::vector<double>{1, 1, 2, 3}, std::vector<double>{1, 2, 2, 3}) == Catch::Approx(0.8));
}

TEST_CASE("Kendall's tau-b agrees with counting pairs", "[evaluation][distance]") {
  auto bits = dplda::seeded_random(1).stream("test");
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = dplda::uniform_below(bits, 40);
    const std::uint64_t levels = 1 + dplda::uniform_below(bits, 50);  // few levels: many ties
    std::vector<double> x(n), y(n);
    for (double& value : x) value = static_cast<double>(dplda::uniform_below(bits, levels));
    for (double& value : y) value = static_cast<double>(dplda::uniform_below(bits, levels));
    CHECK(kendall_tau_b(x, y) == Catch::Approx(slow_tau_b(x, y)).margin(1e-14));
  }
}

TEST_CASE("Kendall's tau-b is defined for ties and short lists, and refuses NaN", "[evaluation][distance]") {
  const std::vector<double> none, one{1}, tied{2, 2, 2}, rising{1, 2, 3}, zeros{0.0, -0.0, 0.0};
  const std::vector<double> bad{1, std::numeric_limits<double>::quiet_NaN(), 2};
  CHECK(kendall_tau_b(none, none) == 0);
  CHECK(kendall_tau_b(one, one) == 0);
  CHECK(kendall_tau_b(tied, rising) == 0);
  CHECK(kendall_tau_b(tied, tied) == 0);
  CHECK(kendall_tau_b(zeros, rising) == 0);
  CHECK_THROWS_AS(kendall_tau_b(bad, rising), std::invalid_argument);
  CHECK_THROWS_AS(kendall_tau_b(rising, bad), std::invalid_argument);
  CHECK_THROWS_AS(kendall_tau_b(one, rising), std::invalid_argument);
}

TEST_CASE("Models that do not match are refused", "[evaluation][distance]") {
  const auto model = make_model({{0.5, 0.5}});
  CHECK_THROWS_AS(compare_models(model, make_model({{0.5, 0.5}, {1, 0}})), std::invalid_argument);
  CHECK_THROWS_AS(compare_models(model, make_model({{0.5, 0.5, 0}})), std::invalid_argument);
  CHECK_THROWS_AS(distance_per_topic(model, make_model({{1}}), topic_distance::l1), std::invalid_argument);
  CHECK_THROWS_AS(dplda::kendall_tau_b_per_topic(model, make_model({{1}})), std::invalid_argument);
}

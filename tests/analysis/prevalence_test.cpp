// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/prevalence.hpp>

#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

using namespace dplda;
using namespace dplda_tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

prevalence::parts two_groups() {
  return {.groups = {"spring", "summer"},
          .ordered = true,
          .sums = (Eigen::MatrixXd(2, 3) << 50, 30, 20, 4, -3, 1).finished(),
          .noise = 4};
}

}  // namespace

TEST_CASE("Shares of a group are not negative and add up to 1", "[analysis][prevalence]") {
  prevalence::parts parts = two_groups();
  parts.sums(0, 2) = -5;
  const prevalence found(parts);
  CHECK(found.share(0, 0) == Approx(50.0 / 80));
  CHECK(found.share(0, 2) == 0);
  CHECK(found.units(0) == 75);
  CHECK(found.units_noise() == Approx(4 * std::sqrt(3.0)));
  CHECK(found.noise_interval(0, 2).low == 0);
}

TEST_CASE("A group that tells nothing has the shares of all groups, and the widest interval",
          "[analysis][prevalence]") {
  const prevalence found(two_groups());
  CHECK(found.tells(0));
  CHECK_FALSE(found.tells(1));
  CHECK(found.share(1, 0) == Approx(54.0 / 102));
  CHECK(found.overall()[0] == Approx(54.0 / 102));
  CHECK(found.interval(1, 0) == share_interval{0, 1});
  prevalence::parts little = two_groups();
  little.sums /= 100;
  CHECK(prevalence(little).share(0, 1) == Approx(1.0 / 3));
}

TEST_CASE("Without measured squares, the largest spread between units is assumed", "[analysis][prevalence]") {
  const prevalence found(two_groups());
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(found.spread(k) == 1);
    CHECK(found.interval(0, k).low <= found.noise_interval(0, k).low);
    CHECK(found.interval(0, k).high > found.noise_interval(0, k).high);
  }
}

TEST_CASE("The spread between units is found: by topic if noise is small, jointly if it is not",
          "[analysis][prevalence]") {
  prevalence::parts parts{
      .groups = {"all"}, .sums = (Eigen::MatrixXd(1, 4) << 4000, 3000, 2000, 1000).finished(), .noise = 1};
  const Eigen::ArrayXd share = parts.sums.row(0).transpose().array() / 10000;
  const Eigen::ArrayXd most = 10000 * share * (1 - share);
  const Eigen::ArrayXd truth = (Eigen::ArrayXd(4) << 0.1, 0.2, 0.4, 0.6).finished();
  parts.squares = (most * truth).matrix();
  parts.squares_noise = 1;
  const prevalence clear(parts);
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(clear.spread(k) == Approx(truth[static_cast<Eigen::Index>(k)]).epsilon(0.01));
  parts.squares_noise = 2000;  // more than the topics differ
  const prevalence blurred(parts);
  for (std::size_t k = 0; k < 4; ++k) CHECK(blurred.spread(k) == Approx(parts.squares.sum() / most.sum()));
  parts.squares *= 100;
  CHECK(prevalence(parts).spread(0) == 1);  // no variance is larger than p (1 - p)
  parts.squares *= -1;
  CHECK(prevalence(parts).spread(0) > 0);
}

TEST_CASE("Impossible measurements are refused", "[analysis][prevalence]") {
  const auto message = [](auto change) {
    prevalence::parts parts = two_groups();
    change(parts);
    return refusal([&] { prevalence{parts}; });
  };
  CHECK(message([](auto&) {}).empty());
  CHECK_THAT(message([](auto& p) { p.groups.pop_back(); }), ContainsSubstring("number of rows"));
  CHECK_THAT(message([](auto& p) { p.groups.clear(); }), ContainsSubstring("number of groups"));
  CHECK_THAT(message([](auto& p) { p.noise = 0; }), ContainsSubstring("noise"));
  CHECK_THAT(message([](auto& p) { p.sums(0, 0) = std::numeric_limits<double>::quiet_NaN(); }),
             ContainsSubstring("not finite"));
  CHECK_THAT(message([](auto& p) { p.squares_noise = 1; }), ContainsSubstring("number of squares"));
  CHECK_THAT(message([](auto& p) { p.squares = Eigen::VectorXd::Ones(3); }), ContainsSubstring("number of squares"));
  CHECK_THAT(refusal([] { (void)prevalence(two_groups()).share(2, 0); }), ContainsSubstring("group"));
  CHECK_THAT(refusal([] { (void)prevalence(two_groups()).share(0, 3); }), ContainsSubstring("topic"));
}

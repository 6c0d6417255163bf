// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/lira.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::refusal;

namespace {

// Two documents, six shadows. Document 0 is IN for shadows 0-2, document 1 for 3-5.
const Eigen::MatrixXd values = (Eigen::MatrixXd(6, 2) << 3, 0, 4, 1, 8, 5, 0, 9, 1, 12, 2, 9).finished();

membership masks() {
  membership members(6, 2);
  for (Eigen::Index s = 0; s < 6; ++s) {
    members(s, 0) = s < 3;
    members(s, 1) = s >= 3;
  }
  return members;
}

double log_density(double x, double mean, double deviation) {
  const double z = (x - mean) / deviation;
  return -z * z / 2 - std::log(deviation);
}

}  // namespace

TEST_CASE("Laws of each document") {
  const auto laws = fit_laws(values, masks());
  CHECK(laws[0].in.mean == Approx(5));
  CHECK(laws[0].in.deviation == Approx(std::sqrt(7.0)));
  CHECK(laws[0].out.mean == Approx(1));
  CHECK(laws[0].out.deviation == Approx(1));
  CHECK(laws[1].in.mean == Approx(10));
  CHECK(laws[1].in.deviation == Approx(std::sqrt(3.0)));
  CHECK(laws[1].out.deviation == Approx(std::sqrt(7.0)));
  const auto shared = fit_laws(values, masks(), {.spread = spread_rule::shared});
  CHECK(shared[0].in.deviation == Approx(2));
  CHECK(shared[0].out.deviation == Approx(2));
  const auto pooled = fit_laws(values, masks(), {.spread = spread_rule::pooled, .center = center_rule::median});
  CHECK(pooled[0].in.mean == 4);
  CHECK(pooled[1].in.mean == 9);
  CHECK(pooled[0].in.deviation == Approx(std::sqrt(5.0)));
  CHECK(pooled[1].out.deviation == Approx(2));
}

TEST_CASE("Medians of an even number of values") {
  const Eigen::MatrixXd column = (Eigen::MatrixXd(8, 1) << 1, 2, 10, 4, 0, 0, 1, 7).finished();
  membership members(8, 1);
  for (Eigen::Index s = 0; s < 8; ++s) members(s, 0) = s < 4;
  const auto laws = fit_laws(column, members, {.center = center_rule::median});
  CHECK(laws[0].in.mean == 3);
  CHECK(laws[0].out.mean == 0.5);
}

TEST_CASE("Scores are log ratios") {
  const auto laws = fit_laws(values, masks());
  const Eigen::VectorXd target = Eigen::Vector2d(4, 2);
  const auto online = online_lira(laws, target), offline = offline_lira(laws, target);
  CHECK(online[0] == Approx(log_density(4, 5, std::sqrt(7.0)) - log_density(4, 1, 1)));
  CHECK(online[1] == Approx(log_density(2, 10, std::sqrt(3.0)) - log_density(2, 2, std::sqrt(7.0))));
  CHECK(offline[0] == Approx(3));
  CHECK(offline[1] == Approx(0).margin(1e-12));
  // Where densities underflow, scores still differ.
  const auto far = online_lira(laws, Eigen::Vector2d(1e6, 1e7));
  CHECK(std::isfinite(far[0]));
  CHECK(far[0] > online[0]);
}

TEST_CASE("Zero variance is defined") {
  const Eigen::MatrixXd constant = Eigen::MatrixXd::Constant(6, 2, -3);
  const auto laws = fit_laws(constant, masks());
  CHECK(laws[0].in.deviation == 1e-6);
  CHECK(online_lira(laws, Eigen::Vector2d(-3, -2))[0] == 0);
  CHECK(online_lira(laws, Eigen::Vector2d(-3, -2))[1] == 0);  // equally unlikely in and out
  Eigen::MatrixXd apart = constant;
  for (Eigen::Index s = 0; s < 3; ++s) apart(s, 0) = -1;
  const auto sure = online_lira(fit_laws(apart, masks()), Eigen::Vector2d(-1, -3));
  CHECK(sure[0] == Approx(2e12));
}

TEST_CASE("Too few shadows and invalid statistics are refused") {
  membership members = masks();
  members(1, 0) = members(2, 0) = false;  // one IN
  CHECK(refusal([&] { fit_laws(values, members); }) ==
        "dplda::fit_laws: the number of shadows with document 0 is 1, but must be 0 or at least 2");
  CHECK_NOTHROW(fit_laws(values, members, {.spread = spread_rule::shared}));
  members(0, 0) = false;  // none IN: offline only
  const auto laws = fit_laws(values, members);
  CHECK(laws[0].out.mean == Approx(3));
  CHECK(offline_lira(laws, Eigen::Vector2d(3, 0))[0] == Approx(0).margin(1e-12));
  CHECK(refusal([&] { online_lira(laws, Eigen::Vector2d(3, 0)); }) ==
        "dplda::online_lira: number of shadows with a document is 0, but must be positive (offline_lira needs none)");
  members.setConstant(true);
  CHECK_THROWS_AS(fit_laws(values, members), std::invalid_argument);  // none OUT
  CHECK_THROWS_AS(fit_laws(values, membership(5, 2)), std::invalid_argument);
  Eigen::MatrixXd broken = values;
  broken(1, 1) = -std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { fit_laws(broken, masks()); }) == "dplda::fit_laws: statistic (1, 1) is -inf, but must be finite");
  CHECK_THROWS_AS(fit_laws(values, masks(), {.least_spread = 0}), std::invalid_argument);
  CHECK_THROWS_AS(online_lira(fit_laws(values, masks()), Eigen::Vector3d(1, 2, 3)), std::invalid_argument);
  CHECK_THROWS_AS(offline_lira(fit_laws(values, masks()), Eigen::Vector2d(1, NAN)), std::invalid_argument);
}

TEST_CASE("A pooled spread needs a degree of freedom") {
  const lira_options pooled{.spread = spread_rule::pooled};
  const Eigen::MatrixXd few = values.topRows(3);
  membership members = membership::Constant(3, 2, false);
  members(0, 0) = members(1, 1) = true;  // one IN, two OUT, for each
  CHECK(refusal([&] { fit_laws(few, members, pooled); }) ==
        "dplda::fit_laws: degrees of freedom of the pooled spread IN is 0, but must be positive: some document needs 2 "
        "shadows with it");
  const membership swapped = !members;
  CHECK(refusal([&] { fit_laws(few, swapped, pooled); }) ==
        "dplda::fit_laws: degrees of freedom of the pooled spread OUT is 0, but must be positive: some document needs "
        "2 shadows without it");
  members.setConstant(false);  // offline
  CHECK(fit_laws(few, members, pooled)[0].out.deviation == Approx(std::sqrt(7.0)));
  members(0, 0) = members(1, 0) = members(1, 1) = true;  // two IN for one document are enough
  members(2, 1) = false;
  CHECK(fit_laws(few, members, pooled)[1].in.deviation == Approx(std::sqrt(0.5)));
  CHECK(fit_laws(Eigen::MatrixXd(3, 0), membership(3, 0), pooled).empty());
}

TEST_CASE("Identical documents get identical scores") {
  Eigen::MatrixXd twins(6, 2);
  twins << values.col(0), values.col(0);
  membership members(6, 2);
  members << masks().col(0), masks().col(0);
  const auto scores = online_lira(fit_laws(twins, members), Eigen::Vector2d(2.5, 2.5));
  CHECK(scores[0] == scores[1]);
}

TEST_CASE("Users' statistics are sums over their documents") {
  const corpus docs = dplda_tests::make_corpus({{0}, {1}, {0, 1}}, 2, {2, 0, 2}, 4);
  Eigen::MatrixXd statistics(2, 3);
  statistics << 1, 2, 3, 4, 5, 6;
  membership members(2, 3);
  members << true, false, true, false, true, false;
  const user_statistics sums = sum_by_user(statistics, members, docs);
  REQUIRE(sums.users == std::vector<user_id>{0, 2});
  CHECK(sums.statistics(0, 0) == 2);
  CHECK(sums.statistics(0, 1) == 4);
  CHECK(sums.statistics(1, 1) == 10);
  CHECK(sums.members(0, 1));
  CHECK_FALSE(sums.members(0, 0));
  const Eigen::VectorXd target = sum_by_user(Eigen::Vector3d(4, 5, 6), docs);
  REQUIRE(target.size() == 2);
  CHECK(target[0] == 5);
  CHECK(target[1] == 10);
  CHECK(refusal([&] { sum_by_user(Eigen::Vector2d(4, 5), docs); }) ==
        "dplda::sum_by_user: number of the target's statistics is 2, but must be the number of documents, 3");
  members(0, 2) = false;
  CHECK(refusal([&] { sum_by_user(statistics, members, docs); }) ==
        "dplda::sum_by_user: user is 2, but must be in or out with all documents (shadow_options::unit)");
}

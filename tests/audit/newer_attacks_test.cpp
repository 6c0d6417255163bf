// SPDX-License-Identifier: Apache-2.0
// RMIA and the attack by quantile regression.
#include <dplda/audit/quantile_attack.hpp>
#include <dplda/audit/rmia.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::refusal;

namespace {

// Two documents, six shadows. Document 0 is IN for shadows 0-2, document 1 for 3-5.
const Eigen::MatrixXd values =
    (Eigen::MatrixXd(6, 2) << -3, -20, -4, -21, -5, -22, -8, -11, -9, -12, -7, -13).finished();

membership masks() {
  membership members(6, 2);
  for (Eigen::Index s = 0; s < 6; ++s) {
    members(s, 0) = s < 3;
    members(s, 1) = s >= 3;
  }
  return members;
}

double pinball(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const Eigen::VectorXd& b, double level) {
  double sum = 0;
  for (const double r : y - x * b) sum += r * (level - (r < 0 ? 1 : 0));
  return sum;
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rmia compares with the mean likelihood under shadows") {
  const Eigen::Vector2d target(-4.5, -19);
  const auto online = rmia(values, masks(), target), offline = rmia(values, masks(), target, rmia_reference::offline);
  const double in = (std::exp(-3) + std::exp(-4) + std::exp(-5)) / 3;
  const double out = (std::exp(-8) + std::exp(-9) + std::exp(-7)) / 3;
  CHECK(online[0] == Approx(-4.5 - std::log((in + out) / 2)).epsilon(1e-12));
  CHECK(offline[0] == Approx(-4.5 - std::log(out)).epsilon(1e-12));
  CHECK(offline[1] == Approx(-19 - std::log((std::exp(-20) + std::exp(-21) + std::exp(-22)) / 3)).epsilon(1e-12));
  // Likelihoods of long documents underflow; their logarithms do not.
  const Eigen::MatrixXd far = (values.array() - 5000).matrix();
  CHECK(rmia(far, masks(), (target.array() - 5000).matrix())[0] == Approx(online[0]).epsilon(1e-9));
  // The share of the population that a ratio exceeds by a factor, by its definition.
  const std::vector<double> population{-1, 0, 0.5, 2, 3}, ratios{-2, 0.7, 1.2, 9};
  const auto shares = rmia_shares(ratios, population, 2);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto below = std::count_if(population.begin(), population.end(),
                                     [&](double z) { return std::exp(ratios[i]) / std::exp(z) >= 2; });
    CHECK(shares[i] == Approx(static_cast<double>(below) / 5));
  }
  CHECK(std::is_sorted(shares.begin(), shares.end()));
}

TEST_CASE("rmia refuses what it cannot use") {
  CHECK(says(refusal([] { rmia(values, masks(), Eigen::Vector3d(0, 0, 0)); }), "number of the target's"));
  CHECK(says(refusal([] { rmia(values, membership(2, 2), Eigen::Vector2d(0, 0)); }), "shape"));
  CHECK(says(refusal([] { rmia(values, membership::Constant(6, 2, true), Eigen::Vector2d(0, 0)); }), "without"));
  CHECK(says(refusal([] { rmia(values, membership::Constant(6, 2, false), Eigen::Vector2d(0, 0)); }), "with document"));
  Eigen::MatrixXd broken = values;
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(says(refusal([&] { rmia(broken, masks(), Eigen::Vector2d(0, 0)); }), "finite"));
  CHECK(says(refusal([] { rmia_shares({1}, {}); }), "population"));
  CHECK(says(refusal([] { rmia_shares({1}, {1}, 0); }), "gamma"));
}

TEST_CASE("quantile regression minimises the pinball loss") {
  auto bits = seeded_random(3).stream("chain");
  constexpr Eigen::Index n = 400;
  Eigen::MatrixXd x(n, 3);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    x.row(i) << 1, 1000 * normal(bits), normal(bits);
    y[i] = 2 + 0.003 * x(i, 1) - x(i, 2) + std::exp(0.5 * x(i, 2)) * normal(bits);
  }
  for (const double level : {0.05, 0.5, 0.9, 0.99}) {
    CAPTURE(level);
    const Eigen::VectorXd b = quantile_regression(x, y, level);
    // As many below as the level says, but for the three that the plane passes through.
    const auto below = ((y - x * b).array() < 0).count();
    CHECK(std::abs(static_cast<double>(below) - level * n) <= 4);
    // No direction is better.
    const double best = pinball(x, y, b, level);
    for (int trial = 0; trial < 200; ++trial) {
      const Eigen::Vector3d step(normal(bits) * 0.01, normal(bits) * 1e-5, normal(bits) * 0.01);
      CHECK(pinball(x, y, b + step, level) > best - 1e-5 * best);
    }
    // Other units of features and values give the same plane.
    Eigen::MatrixXd scaled = x;
    scaled.col(1) *= 1e-6;
    CHECK((scaled * quantile_regression(scaled, 7 * y, level) - 7 * x * b).cwiseAbs().maxCoeff() < 1e-3);
  }
  // Of a constant alone it is the quantile.
  const Eigen::VectorXd ten = Eigen::VectorXd::LinSpaced(11, 0, 10);
  CHECK(quantile_regression(Eigen::MatrixXd::Ones(11, 1), ten, 0.75)[0] == Approx(8).margin(1e-3));
  CHECK(says(refusal([&] { quantile_regression(x, y, 1); }), "level"));
  CHECK(says(refusal([&] { quantile_regression(x, ten, 0.5); }), "number of values"));
  CHECK(says(refusal([&] { quantile_regression(x.topRows(2), y.head(2), 0.5); }), "number of rows"));
}

TEST_CASE("quantile_attack calls the planned share of non-members members") {
  auto bits = seeded_random(4).stream("chain");
  const auto draw = [&](Eigen::Index n, Eigen::MatrixXd& x, Eigen::VectorXd& y, double shift) {
    x.resize(n, 2);
    y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      x.row(i) << 1, 5 + std::abs(normal(bits));
      y[i] = -3 * x(i, 1) + 0.2 * x(i, 1) * normal(bits) + shift;
    }
  };
  Eigen::MatrixXd known_x, x, member_x;
  Eigen::VectorXd known, others, members;
  draw(4000, known_x, known, 0);
  draw(20000, x, others, 0);
  draw(2000, member_x, members, 4);
  const auto called = [&](const Eigen::MatrixXd& of, const Eigen::VectorXd& statistics) {
    return (quantile_attack(known_x, known, of, statistics, 0.99).array() > 0).cast<double>().mean();
  };
  // Of 4000 known documents the quantile errs by 0.0016 (standard deviation); five of these.
  CHECK(called(x, others) == Approx(0.01).margin(0.009));
  CHECK(called(member_x, members) > 0.6);
}

TEST_CASE("document_features are of the document and the background") {
  const corpus docs = dplda_tests::make_corpus({{0, 0, 1}, {}}, 3),
               background = dplda_tests::make_corpus({{0, 0, 0, 1}}, 3);
  const Eigen::MatrixXd features = document_features(docs, background);
  const double p0 = std::log(4.0 / 7), p1 = std::log(2.0 / 7);
  CHECK(features.row(0).isApprox(Eigen::RowVectorXd{{1, 3, 2, 2 * p0 + p1, p0 + p1}}, 1e-12));
  CHECK(features.row(1).isApprox(Eigen::RowVectorXd{{1, 0, 0, 0, 0}}, 1e-12));
  CHECK(says(refusal([&] { document_features(docs, dplda_tests::make_corpus({{0}}, 2)); }), "background"));
}

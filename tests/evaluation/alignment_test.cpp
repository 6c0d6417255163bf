// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/alignment.hpp>

#include <dplda/corpora/synthetic.hpp>
#include <dplda/random/uniform.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

using dplda::align_topics;
using dplda::minimum_cost_assignment;
using dplda::select_topics;
using dplda_tests::make_model;

namespace {

double cost_of(const Eigen::MatrixXd& cost, const std::vector<std::size_t>& assignment) {
  double sum = 0;
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    sum += cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(assignment[i]));
  }
  return sum;
}

// The least cost over all ways to give each row a column of its own.
double brute_force(const Eigen::MatrixXd& cost) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(cost.cols()));
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  double least = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (Eigen::Index i = 0; i < cost.rows(); ++i)
      sum += cost(i, static_cast<Eigen::Index>(columns[static_cast<std::size_t>(i)]));
    least = std::min(least, sum);
  } while (std::next_permutation(columns.begin(), columns.end()));
  return least;
}

}  // namespace

TEST_CASE("The assignment has the least cost of all", "[evaluation][alignment]") {
  auto bits = dplda::seeded_random(1).stream("test");
  for (int round = 0; round < 200; ++round) {
    const auto columns = static_cast<Eigen::Index>(1 + dplda::uniform_below(bits, round < 190 ? 6 : 7));
    const auto rows = static_cast<Eigen::Index>(1 + dplda::uniform_below(bits, static_cast<std::uint64_t>(columns)));
    Eigen::MatrixXd cost(rows, columns);
    const std::uint64_t levels = round % 2 == 0 ? 4 : 1000000;  // few levels: many ties
    for (double& c : cost.reshaped()) c = static_cast<double>(dplda::uniform_below(bits, levels)) - 2;
    const auto assignment = minimum_cost_assignment(cost);
    REQUIRE(assignment.size() == static_cast<std::size_t>(rows));
    CHECK(std::set<std::size_t>(assignment.begin(), assignment.end()).size() == assignment.size());
    CHECK(*std::max_element(assignment.begin(), assignment.end()) < static_cast<std::size_t>(columns));
    CHECK(cost_of(cost, assignment) == brute_force(cost));
  }
}

TEST_CASE("The assignment finds a hidden permutation of many rows", "[evaluation][alignment]") {
  auto bits = dplda::seeded_random(2).stream("test");
  std::vector<std::size_t> hidden(150);
  std::iota(hidden.begin(), hidden.end(), std::size_t{0});
  dplda::shuffle(std::span<std::size_t>(hidden), bits);
  Eigen::MatrixXd cost(150, 150);
  for (double& c : cost.reshaped()) c = 1 + dplda::uniform_open(bits);
  for (std::size_t i = 0; i < 150; ++i) cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(hidden[i])) = 0;
  CHECK(minimum_cost_assignment(cost) == hidden);
}

TEST_CASE("Empty cost matrices give empty assignments, impossible ones are refused", "[evaluation][alignment]") {
  CHECK(minimum_cost_assignment(Eigen::MatrixXd(0, 0)).empty());
  CHECK(minimum_cost_assignment(Eigen::MatrixXd(0, 3)).empty());
  CHECK_THROWS_AS(minimum_cost_assignment(Eigen::MatrixXd::Zero(3, 2)), std::invalid_argument);
  CHECK_THROWS_AS(minimum_cost_assignment(Eigen::MatrixXd::Constant(1, 1, std::numeric_limits<double>::quiet_NaN())),
                  std::invalid_argument);
  CHECK_THROWS_AS(minimum_cost_assignment(Eigen::MatrixXd::Constant(1, 2, std::numeric_limits<double>::infinity())),
                  std::invalid_argument);
}

TEST_CASE("Alignment undoes a permutation of the topics", "[evaluation][alignment]") {
  const auto data = dplda::synthetic_lda({.documents = 0, .words = 60, .topics = 12}, dplda::seeded_random(3));
  std::vector<std::size_t> order(12);
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto bits = dplda::seeded_random(3).stream("test");
  dplda::shuffle(std::span<std::size_t>(order), bits);
  const auto shuffled = select_topics(data.model, order);
  for (const auto distance : {dplda::topic_distance::l1, dplda::topic_distance::l2, dplda::topic_distance::hellinger}) {
    const auto back = align_topics(shuffled, data.model, distance);
    for (std::size_t k = 0; k < 12; ++k) CHECK(order[back[k]] == k);
    CHECK(select_topics(shuffled, back).phi() == data.model.phi());
  }
}

TEST_CASE("Alignment pairs all topics at the least total, not each with its nearest", "[evaluation][alignment]") {
  // Distances from the reference's topics: {0.2, 0.4} and {0.4, 1.0}. Both are nearest to topic 0; together 0.4 + 0.4
  // is less than 0.2 + 1.0.
  const auto model = make_model({{0.5, 0.5}, {0.8, 0.2}}), reference = make_model({{0.6, 0.4}, {0.3, 0.7}});
  CHECK(align_topics(model, reference) == std::vector<std::size_t>{1, 0});
}

TEST_CASE("A larger model is matched by its best topics", "[evaluation][alignment]") {
  const auto model = make_model<float>({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}),
             big = make_model<float>({{0, 1, 0}, {1, 0, 0}});
  const auto reference = make_model({{0.9, 0.1, 0}, {0, 0.1, 0.9}});
  CHECK(align_topics(model, reference) == std::vector<std::size_t>{2, 1});
  CHECK_THROWS_AS(align_topics(reference, model), std::invalid_argument);
  CHECK_THROWS_AS(align_topics(big, make_model({{1, 0}})), std::invalid_argument);
}

TEST_CASE("select_topics moves alpha with its topics", "[evaluation][alignment]") {
  const auto model = make_model({{0, 1}, {1, 0}}, {0.1, 0.2});
  const auto swapped = select_topics(model, std::vector<std::size_t>{1, 0});
  CHECK(swapped.alpha()[0] == 0.2);
  CHECK(swapped.phi()(0, 0) == 1);
  CHECK(swapped.vocab() == model.vocab());
  CHECK_THROWS_AS(select_topics(model, std::vector<std::size_t>{2}), std::invalid_argument);
  CHECK_THROWS_AS(select_topics(model, std::vector<std::size_t>{}), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/ldavis.hpp>

#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace {

using dplda::json_value;
using dplda::topic_model;

topic_model<> model_of(const Eigen::MatrixXd& phi, const Eigen::VectorXd& alpha = {}) {
  return {phi, dplda::numbered_vocabulary(static_cast<std::size_t>(phi.cols())), alpha};
}

topic_model<> random_model(Eigen::Index topics, Eigen::Index words, bool prior = true) {
  const auto source = dplda::seeded_random(11);
  auto bits = source.stream("phi");
  Eigen::MatrixXd phi(topics, words);
  for (Eigen::Index k = 0; k < topics; ++k) {
    for (Eigen::Index v = 0; v < words; ++v)
      phi(k, v) = std::pow(static_cast<double>(dplda::uniform_below(bits, 1000)) / 1000, 6);  // some are 0
    phi.row(k) /= phi.row(k).sum();
  }
  Eigen::VectorXd alpha(prior ? topics : 0);
  for (Eigen::Index k = 0; k < alpha.size(); ++k) alpha[k] = 0.1 * static_cast<double>(1 + k % 3);
  return model_of(phi, alpha);
}

const json_value& at(const json_value& value, const char* key) {
  const json_value* const found = value.find(key);
  REQUIRE(found != nullptr);
  return *found;
}
const json_value::array& list(const json_value& value, const char* table, const char* column) {
  const auto* const found = at(at(value, table), column).get_if<json_value::array>();
  REQUIRE(found != nullptr);
  return *found;
}
double number(const json_value& value) { return *value.get_if<double>(); }
const std::string& word(const json_value& value) { return *value.get_if<std::string>(); }

}  // namespace

TEST_CASE("shares come from the prior where there is one", "[ldavis]") {
  Eigen::MatrixXd phi(2, 2);
  phi << 0.5, 0.5, 0.1, 0.9;
  const auto known = model_of(phi, Eigen::Vector2d(3, 1));
  CHECK(topic_shares(known)[0] == Approx(0.75));
  CHECK(word_shares(known)[0] == Approx(0.75 * 0.5 + 0.25 * 0.1));
  CHECK(word_shares(known).sum() == Approx(1));
  const auto unknown = model_of(phi);
  CHECK(topic_shares(unknown)[1] == 0.5);
  CHECK(word_shares(unknown)[1] == Approx(0.7));
}

TEST_CASE("Jensen-Shannon distances of topics", "[ldavis]") {
  Eigen::MatrixXd phi(4, 4);
  phi << 0.5, 0.3, 0.2, 0, 0.1, 0.2, 0.3, 0.4, 0, 0, 0, 1, 0.5, 0.3, 0.2, 0;
  const Eigen::MatrixXd distances = topic_distances(model_of(phi));
  CHECK(distances(0, 1) == Approx(0.4706091631018522).epsilon(1e-12));
  CHECK(distances(1, 0) == distances(0, 1));
  CHECK(distances(0, 2) == Approx(std::sqrt(std::log(2.0))).epsilon(1e-12));  // no word in common
  CHECK(distances(0, 3) < 1e-7);
  CHECK(distances(2, 2) == 0);
  CHECK(topic_distances(model_of(phi), 1) == topic_distances(model_of(phi), 3));
}

TEST_CASE("a plane holds all distances of three topics, and a part of those of more topics", "[ldavis]") {
  const auto three = random_model(3, 50);
  const auto plane = topic_map(three);
  const Eigen::MatrixXd distances = topic_distances(three);
  for (Eigen::Index a = 0; a < 3; ++a) {
    for (Eigen::Index b = 0; b < a; ++b)
      CHECK((plane.points.row(a) - plane.points.row(b)).norm() == Approx(distances(a, b)).epsilon(1e-9));
  }
  CHECK(plane.held == Approx(1));
  CHECK(plane.points.colwise().sum().norm() < 1e-9);
  CHECK(plane.points.col(0).squaredNorm() >= plane.points.col(1).squaredNorm());
  for (Eigen::Index axis = 0; axis < 2; ++axis)
    CHECK(plane.points.col(axis).maxCoeff() >= -plane.points.col(axis).minCoeff());

  // Topics without a word in common are corners of a regular simplex, with three equal axes for four of them.
  CHECK(topic_map(model_of(Eigen::MatrixXd::Identity(4, 4))).held == Approx(2.0 / 3));
}

TEST_CASE("maps of one topic, and of equal ones", "[ldavis]") {
  CHECK(topic_map(model_of(Eigen::MatrixXd::Constant(1, 2, 0.5))).points.norm() == 0);
  const auto equal = topic_map(model_of(Eigen::MatrixXd::Constant(3, 2, 0.5)));
  CHECK(equal.points.norm() < 1e-6);
  CHECK(equal.points.allFinite());
  const auto two = topic_map(model_of(Eigen::MatrixXd::Identity(2, 2)));
  CHECK(std::abs(two.points(0, 0) - two.points(1, 0)) == Approx(std::sqrt(std::log(2.0))));
  CHECK(two.held == Approx(1));
}

TEST_CASE("relevant words are those of a full sort", "[ldavis]") {
  const auto model = random_model(4, 60);
  const std::vector<double> lambdas = {0, 0.25, 1};
  const auto chosen = relevant_words(model, 7, lambdas);
  const Eigen::VectorXd shares = word_shares(model);
  REQUIRE(chosen.size() == 4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    std::set<dplda::word_id> expected;
    for (const double lambda : lambdas) {
      std::vector<std::pair<double, dplda::word_id>> ranked;
      for (dplda::word_id v = 0; v < 60; ++v) {
        const double p = model.phi()(k, v);
        if (p > 0) ranked.emplace_back(-(lambda * std::log(p) + (1 - lambda) * std::log(p / shares[v])), v);
      }
      std::sort(ranked.begin(), ranked.end());
      for (std::size_t i = 0; i < 7; ++i) expected.insert(ranked[i].second);
    }
    CHECK(chosen[static_cast<std::size_t>(k)] == std::vector<dplda::word_id>(expected.begin(), expected.end()));
  }
  // At lambda = 1 they are the most probable ones.
  const auto top = relevant_words(model, 3, std::vector<double>{1});
  for (const auto& w : dplda::top_words(model, 2, 3)) CHECK(std::count(top[2].begin(), top[2].end(), w.word) == 1);

  CHECK(relevant_words(model_of(Eigen::MatrixXd::Identity(2, 2)), 5, std::vector<double>{0.5})[0].size() == 1);
  CHECK_THROWS_AS(relevant_words(model, 3, std::vector<double>{1.5}), std::invalid_argument);
}

TEST_CASE("LDAvis finds its tables", "[ldavis]") {
  const auto model = random_model(5, 80);
  const json_value made =
      json_value::parse(ldavis_json(model, {.terms = 10, .lambda_step = 0.1, .least_share = 0}), "ldavis");
  REQUIRE(made.get_if<json_value::object>() != nullptr);
  std::vector<std::string> keys;
  for (const auto& [key, value] : *made.get_if<json_value::object>()) keys.push_back(key);
  CHECK(keys ==
        std::vector<std::string>{"mdsDat", "tinfo", "token.table", "R", "lambda.step", "plot.opts", "topic.order"});
  CHECK(number(at(made, "R")) == 10);
  CHECK(number(at(made, "lambda.step")) == 0.1);
  CHECK(word(at(at(made, "plot.opts"), "xlab")) == "PC1");

  double percents = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(number(list(made, "mdsDat", "topics")[k]) == static_cast<double>(k + 1));  // never sorted by share
    CHECK(number((*at(made, "topic.order").get_if<json_value::array>())[k]) == static_cast<double>(k + 1));
    CHECK(number(list(made, "mdsDat", "Freq")[k]) == Approx(100 * topic_shares(model)[static_cast<Eigen::Index>(k)]));
    percents += number(list(made, "mdsDat", "Freq")[k]);
  }
  CHECK(percents == Approx(100));
  for (const char* const column : {"x", "y", "cluster"}) CHECK(list(made, "mdsDat", column).size() == 5);

  const auto& terms = list(made, "tinfo", "Term");
  std::set<std::string> mentioned;
  std::map<std::string, std::size_t> of_category;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    mentioned.insert(word(terms[i]));
    const std::string& category = word(list(made, "tinfo", "Category")[i]);
    ++of_category[category];
    const dplda::word_id v = model.vocab()->find(word(terms[i])).value();
    const double total = number(list(made, "tinfo", "Total")[i]), freq = number(list(made, "tinfo", "Freq")[i]);
    CHECK(total == Approx(1e6 * word_shares(model)[v]));
    if (category == "Default") {
      CHECK(i < 10);
      CHECK(freq == total);
      CHECK(number(list(made, "tinfo", "logprob")[i]) == static_cast<double>(10 - i));
    } else {
      const auto k = static_cast<Eigen::Index>(category.back() - '1');
      CHECK(freq == Approx(1e6 * topic_shares(model)[k] * model.phi()(k, v)));
      CHECK(freq <= total * (1 + 1e-12));
      CHECK(number(list(made, "tinfo", "logprob")[i]) == Approx(std::log(model.phi()(k, v))).margin(6e-5));
      CHECK(number(list(made, "tinfo", "loglift")[i]) ==
            Approx(std::log(model.phi()(k, v) / word_shares(model)[v])).margin(6e-5));
    }
  }
  CHECK(of_category.size() == 6);
  CHECK(of_category["Default"] == 10);
  CHECK(of_category["Topic1"] >= 10);

  std::map<std::string, double> sums;
  const auto& table = list(made, "token.table", "Term");
  for (std::size_t i = 0; i < table.size(); ++i) {
    sums[word(table[i])] += number(list(made, "token.table", "Freq")[i]);
    if (i > 0) CHECK(word(table[i - 1]) <= word(table[i]));
  }
  CHECK(sums.size() == mentioned.size());
  for (const auto& [term, sum] : sums) CHECK(sum == Approx(1).margin(3e-4));
}

TEST_CASE("the salient words tell most about their topics", "[ldavis]") {
  // The first word is as frequent in both topics; each of the others is in one alone.
  Eigen::MatrixXd phi(2, 3);
  phi << 0.6, 0.4, 0, 0.6, 0, 0.4;
  const json_value made = json_value::parse(ldavis_json(model_of(phi), {.terms = 3}), "ldavis");
  CHECK(word(list(made, "tinfo", "Term")[0]) == "w1");
  CHECK(word(list(made, "tinfo", "Term")[1]) == "w2");
  CHECK(word(list(made, "tinfo", "Term")[2]) == "w0");
}

TEST_CASE("LDAvis of small models, from 0, to a file", "[ldavis]") {
  const auto one = model_of(Eigen::MatrixXd::Ones(1, 1));
  const json_value made = json_value::parse(ldavis_json(one, {.first_topic = 0}), "ldavis");
  CHECK(number(at(made, "R")) == 1);
  CHECK(number((*at(made, "topic.order").get_if<json_value::array>())[0]) == 0);
  CHECK(word(list(made, "tinfo", "Category").back()) == "Topic0");

  const dplda_tests::temporary_folder folder;
  const auto path = folder.path() / "vis.json";
  write_ldavis(path, one);
  CHECK(dplda::read_bytes(path) == ldavis_json(one));
  CHECK_THROWS_AS(write_ldavis(path / "nowhere" / "x.json", one), std::runtime_error);
}

TEST_CASE("LDAvis refuses invalid options and words", "[ldavis]") {
  const auto model = random_model(2, 5);
  CHECK_THROWS_AS(ldavis_json(model, {.terms = 0}), std::invalid_argument);
  CHECK_THROWS_AS(ldavis_json(model, {.lambda_step = 0}), std::invalid_argument);
  CHECK_THROWS_AS(ldavis_json(model, {.lambda_step = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS(ldavis_json(model, {.tokens = 0}), std::invalid_argument);
  CHECK_THROWS_AS(ldavis_json(model, {.first_topic = 2}), std::invalid_argument);
  const topic_model<> bad(Eigen::MatrixXd::Ones(1, 1),
                          std::make_shared<const dplda::vocabulary>(std::vector<std::string>{"\xFF"}));
  CHECK_THROWS_AS(ldavis_json(bad), std::invalid_argument);
}

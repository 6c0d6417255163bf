// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/query_statistics.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::make_corpus;
using dplda_tests::make_model;

namespace {

double likelihood(const topic_model<>& model, const document& doc, const Eigen::VectorXd& theta) {
  double sum = 0;
  for (std::size_t n = 0; n < doc.size(); ++n) {
    sum += doc.counts[n] * std::log(theta.dot(model.phi().col(static_cast<Eigen::Index>(doc.words[n]))));
  }
  return sum;
}

// n log(max_k g_k / n), from the definition.
double duality_gap(const topic_model<>& model, const document& doc, const Eigen::VectorXd& theta) {
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(theta.size());
  double tokens = 0;
  for (std::size_t n = 0; n < doc.size(); ++n) {
    const Eigen::VectorXd row = model.phi().col(static_cast<Eigen::Index>(doc.words[n]));
    gradient += doc.counts[n] * row / theta.dot(row);
    tokens += doc.counts[n];
  }
  return tokens * std::log(gradient.maxCoeff() / tokens);
}

Eigen::VectorXd expectation_maximisation(const topic_model<>& model, const document& doc, int steps) {
  Eigen::VectorXd theta = Eigen::VectorXd::Constant(model.phi().rows(), 1 / static_cast<double>(model.topics()));
  for (int i = 0; i < steps; ++i) {
    Eigen::VectorXd next = Eigen::VectorXd::Zero(theta.size());
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const Eigen::VectorXd part = theta.cwiseProduct(model.phi().col(static_cast<Eigen::Index>(doc.words[n])));
      next += doc.counts[n] * part / part.sum();
    }
    theta = next / next.sum();
  }
  return theta;
}

topic_model<> random_model(std::size_t topics, std::size_t words, double concentration, std::uint64_t seed) {
  auto bits = seeded_random(seed).stream("model");
  topic_model<>::matrix phi(static_cast<Eigen::Index>(topics), static_cast<Eigen::Index>(words));
  const std::vector<double> prior(words, concentration);
  std::vector<double> row(words);
  for (Eigen::Index k = 0; k < phi.rows(); ++k) {
    dirichlet(bits, prior, row);
    for (Eigen::Index v = 0; v < phi.cols(); ++v) phi(k, v) = row[static_cast<std::size_t>(v)];
  }
  return topic_model<>(phi, numbered_vocabulary(words));
}

corpus random_corpus(std::size_t documents, std::size_t words, std::size_t most, std::uint64_t seed) {
  auto bits = seeded_random(seed).stream("corpus");
  corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    const std::uint64_t tokens = 1 + uniform_below(bits, most);
    for (std::uint64_t i = 0; i < tokens; ++i) {
      // Squares of uniform values: some words are frequent.
      const double u = uniform_open(bits);
      builder.add(static_cast<word_id>(u * u * static_cast<double>(words)),
                  1 + static_cast<std::uint32_t>(uniform_below(bits, 3)));
    }
    builder.end_document();
  }
  return builder.build(numbered_vocabulary(words));
}

}  // namespace

TEST_CASE("zeta by hand") {
  // Two words, each in one topic: theta is the words' shares.
  const auto model = make_model({{1, 0, 0}, {0, 1, 0}});
  const corpus docs = make_corpus({{0, 0, 0, 1}}, 3);
  const topic_fit fit = document_likelihood<>(model)(docs[0]);
  CHECK(fit.theta[0] == Approx(0.75).epsilon(1e-9));
  CHECK(zeta(fit) == Approx(3 * std::log(0.75) + std::log(0.25)).epsilon(1e-13));
  CHECK(fit.impossible_tokens == 0);
  // One word: only the topic in which it is most probable.
  const auto mixed = make_model({{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}, {0.1, 0.1, 0.8}});
  const topic_fit single = document_likelihood<>(mixed)(make_corpus({{0, 0}}, 3)[0]);
  CHECK(zeta(single) == Approx(2 * std::log(0.6)).epsilon(1e-13));
  CHECK(single.theta[1] == Approx(1));
  // One topic.
  const topic_fit only = document_likelihood<>(make_model({{0.5, 0.25, 0.25}}))(make_corpus({{0, 1}}, 3)[0]);
  CHECK(zeta(only) == Approx(std::log(0.125)).epsilon(1e-13));
  CHECK(only.theta[0] == 1);
}

TEST_CASE("zeta is certified, and no worse than long expectation maximisation") {
  for (const std::size_t topics : {2u, 5u, 13u, 50u}) {
    for (const double concentration : {0.02, 0.3, 3.0}) {
      const auto model = random_model(topics, 60, concentration, topics);
      const corpus docs = random_corpus(12, 60, 150, topics + 1);
      const document_likelihood<> fits(model);
      fits(docs, [&](std::size_t d, const topic_fit& fit) {
        CAPTURE(topics, concentration, d);
        CHECK(fit.gap <= 1e-8);
        CHECK(fit.theta.minCoeff() >= 0);
        CHECK(fit.theta.sum() == Approx(1).epsilon(1e-12));
        CHECK(zeta(fit) == Approx(likelihood(model, docs[d], fit.theta)).epsilon(1e-12));
        CHECK(duality_gap(model, docs[d], fit.theta) <= 2e-8);
        const Eigen::VectorXd rough = expectation_maximisation(model, docs[d], 300);
        const double below = zeta(fit) - likelihood(model, docs[d], rough);
        CHECK(below >= -2e-8);
        CHECK(below <= duality_gap(model, docs[d], rough) + 1e-9);  // the bound holds at any theta
        // The same alone as with other documents.
        const topic_fit alone = fits(docs[d]);
        CHECK(zeta(alone) == zeta(fit));
        CHECK(alone.theta == fit.theta);
      });
    }
  }
}

TEST_CASE("zeta of degenerate models") {
  SECTION("topics that are alike") {
    const auto base = random_model(4, 30, 0.2, 3);
    topic_model<>::matrix phi(200, 30);
    for (Eigen::Index k = 0; k < 200; ++k) phi.row(k) = base.phi().row(k % 4);
    const topic_model<> model(phi, numbered_vocabulary(30));
    const corpus docs = random_corpus(20, 30, 100, 4);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const topic_fit fit = document_likelihood<>(model)(docs[d]);
      CHECK(fit.gap <= 1e-8);
      CHECK(zeta(fit) == Approx(zeta(document_likelihood<>(base)(docs[d]))).epsilon(1e-10));
    }
  }
  SECTION("all topics the same") {
    topic_model<>::matrix phi = topic_model<>::matrix::Constant(300, 4, 0.25);
    const topic_fit fit =
        document_likelihood<>(topic_model<>(phi, numbered_vocabulary(4)))(make_corpus({{0, 1, 2}}, 4)[0]);
    CHECK(zeta(fit) == Approx(3 * std::log(0.25)));
    CHECK(fit.gap <= 1e-8);
  }
  SECTION("probabilities that nearly vanish") {
    const auto model = make_model({{1 - 1e-290, 1e-290, 0}, {1e-200, 0, 1}});
    const topic_fit fit = document_likelihood<>(model)(make_corpus({{0, 1, 1, 2}}, 3)[0]);
    CHECK(fit.gap <= 1e-8);
    // log(a) + 2 log(1e-290 a) + log(1 - a) is largest at a = 3/4.
    CHECK(zeta(fit) == Approx(3 * std::log(0.75) + std::log(0.25) + 2 * std::log(1e-290)).epsilon(1e-12));
  }
  SECTION("words of disjoint topics and large counts") {
    corpus_builder builder;
    builder.add(0, 4'000'000'000u);
    builder.add(1, 1);
    builder.end_document();
    const corpus docs = builder.build(numbered_vocabulary(2));
    const topic_fit fit = document_likelihood<>(make_model({{1, 0}, {0, 1}}))(docs[0]);
    CHECK(zeta(fit) == Approx(4e9 * std::log1p(-1 / 4000000001.0) - std::log(4000000001.0)).epsilon(1e-7));
  }
}

TEST_CASE("Impossible words and empty documents") {
  const auto model = make_model({{0.5, 0.5, 0}, {0.25, 0.75, 0}});
  const corpus docs = make_corpus({{}, {2, 2}, {0, 2}, {0, 3}}, 4);
  const document_likelihood<> fits(model, {.impossible = 1e-6});
  const topic_fit empty = fits(docs[0]);
  CHECK(zeta(empty) == 0);
  CHECK(empty.gap == 0);
  CHECK(empty.theta[0] == 0.5);
  const topic_fit nothing = fits(docs[1]);
  CHECK(zeta(nothing) == Approx(2 * std::log(1e-6)));
  CHECK(nothing.impossible_tokens == 2);
  CHECK(nothing.theta[1] == 0.5);
  CHECK(zeta(fits(docs[2])) == Approx(std::log(0.5) + std::log(1e-6)));
  CHECK(zeta(fits(docs[3])) == Approx(std::log(0.5) + std::log(1e-6)));  // word 3 is beyond the model's vocabulary
  CHECK(zeta(document_likelihood<>(model, {.impossible = 0})(docs[2])) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("Words are matched by spelling") {
  const auto model = make_model({{0.1, 0.2, 0.7}, {0.6, 0.3, 0.1}});
  corpus_builder builder;
  for (const word_id word : {0u, 1u, 1u, 2u}) builder.add(word);
  builder.end_document();
  const corpus docs = builder.build(std::make_shared<const vocabulary>(std::vector<std::string>{"w2", "w0", "other"}));
  const Eigen::MatrixXd values = fit_query({zeta}, {.impossible = 1e-3})(model, docs);
  const double known = zeta(document_likelihood<>(model)(make_corpus({{2, 0, 0}}, 3)[0]));
  CHECK(values(0, 0) == Approx(known + std::log(1e-3)));
}

TEST_CASE("Statistics of theta") {
  topic_fit fit;
  fit.theta = Eigen::Vector4d(0.5, 0.25, 0.25, 0);
  CHECK(negative_entropy(fit) == Approx(-1.5 * std::log(2)));
  CHECK(logit_maximum(fit) == Approx(0).margin(1e-15));
  CHECK(standard_deviation(fit) == Approx(std::sqrt((0.0625 + 0.0625) / 4)));
  fit.theta = Eigen::Vector2d(1, 0);
  CHECK(negative_entropy(fit) == 0);
  CHECK(logit_maximum(fit) == Approx(std::log(1e9)));
  CHECK(standard_deviation(fit) == Approx(0.5));
}

TEST_CASE("Queries take any statistic and float models") {
  const auto model = make_model<float>({{0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}});
  const corpus docs = make_corpus({{0, 1}, {2}}, 3);
  const Eigen::MatrixXd values = fit_query{zeta, [](const topic_fit& fit) { return fit.theta[0]; }}(model, docs);
  REQUIRE(values.rows() == 2);
  REQUIRE(values.cols() == 2);
  CHECK(values(0, 0) == Approx(std::log(0.125)));
  CHECK(values(0, 1) == Approx(1));
  CHECK(values(1, 1) == Approx(0).margin(1e-9));
}

TEST_CASE("Refusals of the query") {
  using dplda_tests::refusal;
  const auto model = make_model({{0.5, 0.5}});
  CHECK(refusal([&] { document_likelihood<>(model, {.tolerance = 0}); }) ==
        "dplda::document_likelihood: tolerance is 0, but must be positive");
  CHECK(refusal([&] { document_likelihood<>(model, {.impossible = 2}); }) ==
        "dplda::document_likelihood: impossible is 2, but must lie in [0, 1]");
  CHECK_THROWS_AS(fit_query(std::initializer_list<fit_statistic>{}), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::document;
using dplda_tests::make_corpus;
using dplda_tests::make_model;

namespace {

// The fixed point gamma = alpha + sum_n c_n p_n with p_nk ∝ phi_kn exp(digamma(gamma_k)), by plain iteration.
Eigen::VectorXd textbook_gamma(const dplda::topic_model<double>& model, const Eigen::VectorXd& alpha,
                               const document& doc) {
  Eigen::VectorXd gamma = alpha.array() + static_cast<double>(doc.length()) / static_cast<double>(alpha.size());
  for (int i = 0; i < 20000; ++i) {
    const Eigen::VectorXd t = gamma.unaryExpr([](double g) { return std::exp(dplda::detail::digamma(g)); });
    Eigen::VectorXd next = alpha;
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const Eigen::VectorXd p = model.phi().col(doc.words[n]).cwiseProduct(t);
      next += doc.counts[n] * p / p.sum();
    }
    const double moved = (next - gamma).cwiseAbs().maxCoeff();
    gamma = next;
    if (moved < 1e-13) break;
  }
  return gamma;
}

}  // namespace

TEST_CASE("gamma is the fixed point of the textbook update", "[topic_inference]") {
  for (const std::size_t topics : {1u, 2u, 3u, 7u, 20u, 33u, 100u}) {
    const auto data = dplda::synthetic_lda(
        {.documents = 20, .words = 300, .topics = topics, .topic_concentration = 0.3, .mean_length = 80},
        dplda::seeded_random(topics));
    const dplda::topic_inference<> infer(data.model, {.iterations = 20000, .tolerance = 1e-12});
    for (std::size_t d = 0; d < data.docs.size(); ++d) {
      const Eigen::VectorXd expected = textbook_gamma(data.model, infer.alpha(), data.docs[d]);
      REQUIRE((infer.gamma(data.docs[d]) - expected).cwiseAbs().maxCoeff() < 1e-7);
    }
  }
}

TEST_CASE("expectation maximisation ends at its fixed point, whose likelihood is no lower nearby",
          "[topic_inference]") {
  const auto data =
      dplda::synthetic_lda({.documents = 20, .words = 300, .topics = 12, .mean_length = 80}, dplda::seeded_random(21));
  const dplda::topic_inference<> infer(
      data.model, {.estimator = dplda::theta_estimator::em, .alpha = 0.2, .iterations = 100000, .tolerance = 1e-12});
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    const document doc = data.docs[d];
    // theta maximises sum_n c_n log(phi_n . theta) + 0.2 sum_k log(theta_k) on the simplex.
    const auto objective = [&](const Eigen::VectorXd& theta) {
      double sum = 0.2 * theta.array().log().sum();
      for (std::size_t n = 0; n < doc.size(); ++n)
        sum += doc.counts[n] * std::log(data.model.phi().col(doc.words[n]).dot(theta));
      return sum;
    };
    const Eigen::VectorXd theta = infer(doc);
    for (Eigen::Index k = 0; k < theta.size(); ++k) {
      Eigen::VectorXd moved = 0.999 * theta;
      moved[k] += 0.001;
      REQUIRE(objective(moved) <= objective(theta));
    }
  }
}

TEST_CASE("working on busy topics alone ends where working on all does", "[topic_inference]") {
  // A loose tolerance lets most topics rest; the answer must still be a point that one more update of all moves by
  // less.
  const auto data = dplda::synthetic_lda({.documents = 50, .words = 500, .topics = 60, .topic_concentration = 0.05},
                                         dplda::seeded_random(5));
  const double tolerance = 1e-3;
  const dplda::topic_inference<> infer(data.model, {.iterations = 20000, .tolerance = tolerance});
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    const document doc = data.docs[d];
    const Eigen::VectorXd gamma = infer.gamma(doc);
    CHECK(gamma.sum() == Catch::Approx(infer.alpha().sum() + static_cast<double>(doc.length())).epsilon(1e-12));
    const Eigen::VectorXd t = gamma.unaryExpr([](double g) { return std::exp(dplda::detail::digamma(g)); });
    Eigen::VectorXd next = infer.alpha();
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const Eigen::VectorXd p = data.model.phi().col(doc.words[n]).cwiseProduct(t);
      next += doc.counts[n] * p / p.sum();
    }
    CHECK((next - gamma).cwiseAbs().mean() < 2 * tolerance);
  }
}

TEMPLATE_TEST_CASE("proportions sum to one and are the same for any number of threads", "[topic_inference]", float,
                   double) {
  const auto data = dplda::synthetic_lda({.documents = 100, .words = 200, .topics = 9}, dplda::seeded_random(3));
  const dplda::topic_model<TestType> model(data.model.phi().cast<TestType>(), data.model.vocab(), data.model.alpha());
  const dplda::topic_inference<TestType> infer(model);
  const Eigen::MatrixXd one = infer(data.docs, 1);
  CHECK((one.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-12);
  for (const std::size_t threads : {2u, 3u, 8u}) CHECK(infer(data.docs, threads) == one);
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    CHECK(infer(data.docs[d]).transpose() == one.row(static_cast<Eigen::Index>(d)));
  }
}

TEST_CASE("single precision follows double precision", "[topic_inference]") {
  const auto data =
      dplda::synthetic_lda({.documents = 50, .words = 400, .topics = 30, .alpha = 0.01}, dplda::seeded_random(8));
  const dplda::topic_model<float> single(data.model.phi().cast<float>(), data.model.vocab(), data.model.alpha());
  const Eigen::MatrixXd a = dplda::topic_inference<float>(single)(data.docs),
                        b = dplda::topic_inference<>(data.model)(data.docs);
  CHECK((a - b).cwiseAbs().maxCoeff() < 0.01);
}

TEST_CASE("inference handles corner cases", "[topic_inference]") {
  const auto model = make_model({{0.5, 0.5, 0.0, 0.0}, {0.0, 0.5, 0.5, 0.0}}, {0.2, 0.6});
  const dplda::topic_inference<> infer(model);
  Eigen::VectorXd prior_mean(2);
  prior_mean << 0.25, 0.75;

  SECTION("an empty document has the prior mean") { CHECK(infer(document{}).isApprox(prior_mean)); }
  SECTION("words that no topic has are ignored") {
    const corpus docs = make_corpus({{3, 3, 3}, {0, 0, 3}, {0, 0}}, 4);
    CHECK(infer(docs[0]).isApprox(prior_mean));
    CHECK(infer(docs[1]) == infer(docs[2]));
  }
  SECTION("a word of one topic only is that topic's") {
    const corpus docs = make_corpus({{0, 0, 0}}, 4);
    Eigen::VectorXd gamma(2);
    gamma << 3.2, 0.6;
    CHECK(infer.gamma(docs[0]).isApprox(gamma, 1e-12));
  }
  SECTION("a million copies of a word") {
    dplda::corpus_builder builder;
    builder.add(2, 1'000'000'000);
    builder.end_document();
    const corpus docs = builder.build(dplda::numbered_vocabulary(4));
    CHECK(infer.gamma(docs[0])[1] == Catch::Approx(1e9 + 0.6));
  }
  SECTION("a word beyond the vocabulary is refused") {
    const corpus docs = make_corpus({{7}}, 8);
    CHECK_THROWS_WITH(infer(docs[0]),
                      "dplda::topic_inference: word is 7, but must be below the size of the model's vocabulary");
  }
  SECTION("a corpus in other words is refused, also if it has as many") {
    const std::vector<std::string> other{"a", "b", "c", "d"};
    dplda::corpus_builder builder;
    builder.add(0);
    builder.end_document();
    const corpus docs = builder.build(std::make_shared<dplda::vocabulary>(other));
    CHECK_THROWS_AS(infer(docs), std::invalid_argument);
    CHECK(infer(docs.restrict_to(model.vocab())).row(0).transpose().isApprox(prior_mean));
  }
  SECTION("tiny priors do not underflow") {
    const dplda::topic_inference<> sparse(model, {.alpha = 1e-6});
    const corpus docs = make_corpus({{0, 1, 1}, {2}}, 4);
    CHECK(sparse(docs[0])[0] == Catch::Approx(1).epsilon(1e-5));
    CHECK(sparse(docs[1])[1] == Catch::Approx(1).epsilon(1e-5));
  }
  SECTION("options out of range are refused") {
    CHECK_THROWS_AS(dplda::topic_inference<>(model, {.alpha = -1}), std::invalid_argument);
    CHECK_THROWS_AS(dplda::topic_inference<>(model, {.iterations = 0}), std::invalid_argument);
    CHECK_THROWS_AS(dplda::topic_inference<>(model, {.tolerance = -1}), std::invalid_argument);
  }
}

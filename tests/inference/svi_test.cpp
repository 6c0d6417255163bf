// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/svi/bound.hpp>
#include <dplda/inference/svi/svi.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::document;
using dplda::seeded_random;
using dplda::svi;
using dplda_tests::make_corpus;

namespace {

template <class Real>
Eigen::MatrixXd lambda_of(const dplda::svi_state<Real>& state) {
  Eigen::MatrixXd lambda(static_cast<Eigen::Index>(state.topics()), static_cast<Eigen::Index>(state.words()));
  for (dplda::word_id v = 0; v < state.words(); ++v) lambda.col(v) = state.lambda(v);
  return lambda;
}

// One step of online LDA as the paper writes it, in plain double arithmetic.
void textbook_step(Eigen::MatrixXd& lambda, const corpus& docs, double alpha, double eta, double rho, double share) {
  const auto digamma = [](double x) { return dplda::detail::digamma(x); };
  const Eigen::VectorXd totals = lambda.rowwise().sum().unaryExpr(digamma);
  const Eigen::MatrixXd beta = (lambda.unaryExpr(digamma).colwise() - totals).array().exp();
  Eigen::MatrixXd statistic = Eigen::MatrixXd::Zero(lambda.rows(), lambda.cols());
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    Eigen::VectorXd gamma = Eigen::VectorXd::Constant(
        lambda.rows(), alpha + static_cast<double>(doc.length()) / static_cast<double>(lambda.rows()));
    Eigen::MatrixXd p(lambda.rows(), static_cast<Eigen::Index>(doc.size()));
    for (int i = 0; i < 20000; ++i) {
      const Eigen::VectorXd t = gamma.unaryExpr([&](double g) { return std::exp(digamma(g)); });
      Eigen::VectorXd next = Eigen::VectorXd::Constant(lambda.rows(), alpha);
      for (std::size_t n = 0; n < doc.size(); ++n) {
        Eigen::VectorXd q = beta.col(doc.words[n]).cwiseProduct(t);
        q *= doc.counts[n] / q.sum();
        p.col(static_cast<Eigen::Index>(n)) = q;
        next += q;
      }
      const double moved = (next - gamma).cwiseAbs().maxCoeff();
      gamma = next;
      if (moved < 1e-13) break;
    }
    for (std::size_t n = 0; n < doc.size(); ++n) statistic.col(doc.words[n]) += p.col(static_cast<Eigen::Index>(n));
  }
  lambda = (1 - rho) * lambda + rho * (eta + share * statistic.array()).matrix();
}

}  // namespace

TEST_CASE("steps are those of online LDA", "[svi]") {
  for (const std::size_t topics : {1u, 3u, 8u, 25u}) {
    const auto data =
        dplda::synthetic_lda({.documents = 60, .words = 90, .topics = 5, .mean_length = 30}, seeded_random(topics));
    const svi<> learner({.topics = topics,
                         .alpha = 0.3,
                         .eta = 0.2,
                         .tau0 = 3,
                         .kappa = 0.8,
                         .document_iterations = 100000,
                         .document_tolerance = 1e-12,
                         .threads = 2});
    auto random = seeded_random(1);
    auto state = learner.start(data.docs.vocab(), random);
    Eigen::MatrixXd lambda = lambda_of(state);
    CHECK(lambda.minCoeff() > 0.4);
    CHECK(lambda.mean() == Catch::Approx(1.2).epsilon(0.02));
    for (std::size_t t = 0; t < 4; ++t) {
      const corpus batch = data.docs.slice(15 * t, 15 * (t + 1));
      textbook_step(lambda, batch, 0.3, 0.2, std::pow(3.0 + static_cast<double>(t), -0.8), 4);
      learner.partial_fit(state, batch, 60);
      REQUIRE((lambda_of(state) - lambda).cwiseAbs().maxCoeff() < 1e-6 * lambda.maxCoeff());
      REQUIRE((state.lambda_totals() - lambda.rowwise().sum()).cwiseAbs().maxCoeff() < 1e-8 * lambda.sum());
    }
  }
}

TEMPLATE_TEST_CASE("the number of threads changes no bit", "[svi]", float, double) {
  const auto data = dplda::synthetic_lda(
      {.documents = 700, .words = 400, .topics = 6, .length = dplda::length_law::log_normal}, seeded_random(2));
  for (const std::size_t batch : {0u, 100u}) {
    dplda::svi_options options{
        .topics = 11, .passes = 3, .batch_size = batch, .learn_alpha = true, .learn_eta = true, .threads = 1};
    auto random = seeded_random(9);
    const auto one = svi<TestType>(options).fit(data.docs, random);
    for (const std::size_t threads : {2u, 3u, 8u}) {
      options.threads = threads;
      auto again = seeded_random(9);
      const auto many = svi<TestType>(options).fit(data.docs, again);
      CHECK(many.phi() == one.phi());
      CHECK(many.alpha() == one.alpha());
    }
    auto other = seeded_random(10);
    CHECK(svi<TestType>(options).fit(data.docs, other).phi() != one.phi());
    // A second fit from the same source draws anew.
    CHECK(svi<TestType>(options).fit(data.docs, random).phi() != one.phi());
  }
}

TEMPLATE_TEST_CASE("topics of a synthetic corpus are found again", "[svi]", float, double) {
  const auto data =
      dplda::synthetic_lda({.documents = 3000, .words = 200, .topics = 5, .zipf_exponent = 0.5}, seeded_random(4));
  for (const std::size_t batch : {0u, 200u}) {
    const svi<TestType> learner({.topics = 5, .passes = 30, .batch_size = batch});
    auto random = seeded_random(3);
    const auto model = learner.fit(data.docs, random);
    const auto order = dplda::align_topics(model, data.model);
    const auto aligned = dplda::select_topics(model, order);
    for (const double l1 : dplda::distance_per_topic(aligned, data.model, dplda::topic_distance::l1)) CHECK(l1 < 0.1);
    CHECK((model.phi().rowwise().sum().array() - 1).abs().maxCoeff() < (sizeof(TestType) == 4 ? 1e-4 : 1e-12));
  }
}

TEST_CASE("batch inference never lowers its bound", "[svi]") {
  const auto data =
      dplda::synthetic_lda({.documents = 200, .words = 150, .topics = 4, .mean_length = 40}, seeded_random(6));
  for (const bool learn : {false, true}) {
    double last = -std::numeric_limits<double>::infinity();
    for (const std::size_t passes : {1u, 2u, 3u, 5u, 10u, 20u}) {
      const svi<> learner({.topics = 6,
                           .passes = passes,
                           .batch_size = 0,
                           .learn_alpha = learn,
                           .document_iterations = 10000,
                           .document_tolerance = 1e-9});
      auto random = seeded_random(1);
      const auto state = learner.fit_state(data.docs, random);
      const auto bound = dplda::online_lda_bound(state, data.docs, data.docs.size());
      CHECK(bound.per_word >= last - 1e-9);
      CHECK(bound.perplexity == Catch::Approx(std::exp(-bound.per_word)));
      last = bound.per_word;
    }
  }
}

TEST_CASE("alpha and eta are learned", "[svi]") {
  const auto data = dplda::synthetic_lda(
      {.documents = 3000, .words = 300, .topics = 4, .alpha = 0.5, .topic_concentration = 0.05, .zipf_exponent = 0},
      seeded_random(12));
  const svi<> learner(
      {.topics = 4, .passes = 30, .batch_size = 0, .alpha = 0.05, .eta = 1.0, .learn_alpha = true, .learn_eta = true});
  auto random = seeded_random(2);
  const auto state = learner.fit_state(data.docs, random);
  for (const double a : state.alpha()) CHECK(a == Catch::Approx(0.5).margin(0.2));
  CHECK(state.eta()[0] == Catch::Approx(0.05).margin(0.02));
}

TEST_CASE("without data, topics follow an asymmetric eta", "[svi]") {
  Eigen::VectorXd eta(4);
  eta << 0.4, 0.3, 0.2, 0.1;
  const svi<> learner(
      {.topics = 3, .passes = 400, .batch_size = 1, .alpha = {0.1, 0.2, 0.3}, .eta = eta, .kappa = 0.6});
  auto random = seeded_random(1);
  const auto model = learner.fit(make_corpus({{}, {}}, 4), random);
  for (Eigen::Index k = 0; k < 3; ++k) CHECK(model.phi().row(k).transpose().isApprox(eta, 1e-6));
  CHECK(model.alpha()[2] == 0.3);
}

TEMPLATE_TEST_CASE("odd shapes are fitted without NaN", "[svi]", float, double) {
  const auto fit = [](const corpus& docs, dplda::svi_options options) {
    auto random = seeded_random(1);
    return svi<TestType>(std::move(options))
        .fit(docs, random);  // topic_model refuses NaN and rows that do not sum to 1
  };
  SECTION("one topic is the word distribution") {
    const auto model = fit(make_corpus({{0, 0, 1}, {1, 2}}, 3), {.topics = 1, .batch_size = 0, .eta = 1e-6});
    CHECK(model.phi()(0, 0) == Catch::Approx(0.4).epsilon(1e-4));
  }
  SECTION("more topics than words") { CHECK(fit(make_corpus({{0, 1}, {1}}, 2), {.topics = 50}).topics() == 50); }
  SECTION("one word") { CHECK(fit(make_corpus({{0, 0}}, 1), {.topics = 3}).phi()(2, 0) == TestType(1)); }
  SECTION("empty documents among others") {
    fit(make_corpus({{}, {0}, {}, {1, 1}}, 2), {.topics = 2, .batch_size = 1});
  }
  SECTION("priors whose exp(digamma) underflows") {
    const corpus docs = make_corpus({{0, 1, 1}, {2, 3}, {0, 3}}, 5);
    for (const double tiny : {1e-3, 1e-8})
      fit(docs, {.topics = 7, .passes = 50, .batch_size = 2, .alpha = tiny, .eta = tiny});
  }
  SECTION("very long documents") {
    dplda::corpus_builder builder;
    for (int d = 0; d < 3; ++d) {
      builder.add(0, 4'000'000'000u);
      builder.add(1, 1);
      builder.end_document();
    }
    fit(builder.build(dplda::numbered_vocabulary(2)), {.topics = 4, .batch_size = 1});
  }
  SECTION("learned priors of one topic or one word") {
    fit(make_corpus({{0, 1}, {1}}, 2), {.topics = 1, .learn_alpha = true, .learn_eta = true});
    fit(make_corpus({{0, 0}, {0}}, 1), {.topics = 2, .learn_alpha = true, .learn_eta = true});
  }
  SECTION("learned priors of empty documents") {
    fit(make_corpus({{}, {}}, 3), {.topics = 2, .learn_alpha = true, .learn_eta = true});
  }
  SECTION("large priors") { fit(make_corpus({{0, 1}}, 2), {.topics = 2, .alpha = 1e6, .eta = 1e6}); }
}

TEST_CASE("fit_priors learns priors between partial fits", "[svi]") {
  const auto data = dplda::synthetic_lda({.documents = 600, .words = 100, .topics = 3, .alpha = 1}, seeded_random(5));
  const svi<> learner({.topics = 3, .alpha = 0.1, .learn_alpha = true});
  auto random = seeded_random(1);
  auto state = learner.start(data.docs.vocab(), random, dplda::word_counts(data.docs));
  for (std::size_t t = 0; t < 20; ++t) learner.partial_fit(state, data.docs.slice(30 * t, 30 * (t + 1)), 600);
  CHECK(state.alpha() == Eigen::VectorXd::Constant(3, 0.1));
  learner.fit_priors(state);
  CHECK(state.alpha() != Eigen::VectorXd::Constant(3, 0.1));
  const Eigen::VectorXd fitted = state.alpha();
  learner.fit_priors(state);  // nothing new was seen
  CHECK(state.alpha() == fitted);
}

TEST_CASE("an observer with access to the state can stop when the topics are good", "[svi]") {
  const auto data = dplda::synthetic_lda({.documents = 300, .words = 100, .topics = 3}, seeded_random(1));
  const svi<> learner({.topics = 3, .passes = 50, .batch_size = 0});
  auto random = seeded_random(1);
  double last = 0;
  std::size_t passes = 0;
  const auto state = learner.fit_state(data.docs, random, [&](const dplda::progress& p, const dplda::svi_state<>& now) {
    const double bound = dplda::online_lda_bound(now, data.docs, data.docs.size()).per_word;
    const bool done = p.step > 1 && bound - last < 1e-3;
    last = bound;
    passes = p.step;
    return done;
  });
  CHECK(passes > 2);
  CHECK(passes < 50);
  CHECK(state.steps() == passes);
}

TEST_CASE("the observer sees step numbers and can stop", "[svi]") {
  const auto data = dplda::synthetic_lda({.documents = 100, .words = 50, .topics = 3}, seeded_random(1));
  const svi<> learner({.topics = 3, .passes = 5, .batch_size = 30});
  std::size_t calls = 0;
  auto random = seeded_random(1);
  learner.fit(data.docs, random, [&](const dplda::progress& p) {
    CHECK(p.step == ++calls);
    CHECK(p.steps == 20);
    return false;
  });
  CHECK(calls == 20);
  learner.fit(data.docs, random, [&](const dplda::progress& p) { return calls = p.step, p.step == 7; });
  CHECK(calls == 7);
}

TEST_CASE("svi refuses options out of range and names them", "[svi]") {
  CHECK_THROWS_WITH(svi<>({.topics = 0}), "dplda::svi: topics is 0, but must be at least 1");
  CHECK_THROWS_WITH(svi<>({.passes = 0}), "dplda::svi: passes is 0, but must be at least 1");
  CHECK_THROWS_WITH(svi<>({.alpha = -0.5}), "dplda::svi: alpha is -0.5, but must be positive and finite");
  CHECK_THROWS_WITH(svi<>({.topics = 3, .alpha = {1, 2}}), "dplda::svi: size of alpha is 2, but must be 1 or 3");
  CHECK_THROWS_WITH(svi<>({.kappa = 0.5}),
                    "dplda::svi: kappa is 0.5, but must lie in (0.5, 1], or the steps do not converge");
  CHECK_THROWS_AS(svi<>({.tau0 = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(svi<>({.document_iterations = 0}), std::invalid_argument);
  CHECK_THROWS_AS(svi<>({.document_tolerance = -1}), std::invalid_argument);
  CHECK_THROWS_WITH(svi<>({.eta = {1, 2}, .learn_eta = true}),
                    "dplda::svi: learn_eta is true, but needs a symmetric eta");

  auto random = seeded_random(1);
  const svi<> learner({.topics = 2, .eta = {0.1, 0.2, 0.3}});
  CHECK_THROWS_WITH(learner.fit(make_corpus({{0}}, 2), random), "dplda::svi: size of eta is 3, but must be 1 or 2");
  CHECK_THROWS_WITH(svi<>().fit(corpus(), random), "dplda::svi: vocabulary is empty, but must have at least 1 word");
  CHECK_THROWS_WITH(svi<>().fit(make_corpus({}, 2), random),
                    "dplda::svi::fit: number of documents is 0, but must be at least 1");

  CHECK_THROWS_AS(svi<>().start(dplda::numbered_vocabulary(3), random, std::vector<std::uint64_t>{1, 2}),
                  std::invalid_argument);
  auto state = svi<>().start(dplda::numbered_vocabulary(3), random);
  CHECK_THROWS_AS(svi<>().partial_fit(state, make_corpus({{0}}, 2), 10), std::invalid_argument);
  const std::vector<std::string> others{"a", "b", "c"};
  dplda::corpus_builder builder;
  builder.add(0);
  builder.end_document();
  CHECK_THROWS_AS(svi<>().partial_fit(state, builder.build(std::make_shared<dplda::vocabulary>(others)), 10),
                  std::invalid_argument);
  CHECK_THROWS_AS(svi<>().partial_fit(state, make_corpus({{0}, {1}}, 3), 1), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/svi/bound.hpp>
#include <dplda/inference/svi/svi.hpp>

#include <cmath>

#include "support/catch.hpp"
#include "support/exact_lda.hpp"
#include "support/tiny.hpp"

using dplda_tests::make_corpus;

TEST_CASE("the divergence of Dirichlet distributions is that of Beta distributions for two components", "[bound]") {
  // KL(Beta(2, 3) || Beta(1, 1)) = log 12 + digamma(2) + 2 digamma(3) - 3 digamma(5) = 0.234906649788...
  Eigen::VectorXd prior(2), posterior(2);
  prior << 1, 1;
  posterior << 2, 3;
  CHECK(dplda::detail::minus_divergence(prior, posterior) == Catch::Approx(-0.2349066497880008).epsilon(1e-12));
  CHECK(dplda::detail::minus_divergence(posterior, posterior) == Catch::Approx(0).margin(1e-14));
}

TEST_CASE("the bound is the exact likelihood where nothing is uncertain", "[bound]") {
  // One topic leaves theta and z no choice, and eta far above the counts leaves beta none.
  Eigen::VectorXd eta(3);
  eta << 5e8, 3e8, 2e8;
  const dplda::svi<> learner({.topics = 1, .passes = 2, .batch_size = 0, .alpha = 0.7, .eta = eta});
  const dplda::corpus docs = make_corpus({{0, 0, 1, 2}, {1, 1}}, 3);
  auto random = dplda::seeded_random(1);
  const auto state = learner.fit_state(docs, random);
  const auto bound = dplda::online_lda_bound(state, docs, docs.size());
  double exact = 0;
  for (const auto& tokens : dplda_tests::tokens_of(docs))
    exact += dplda_tests::exact_log_likelihood(state.model(), tokens);
  CHECK(bound.documents == Catch::Approx(exact).epsilon(1e-6));
  CHECK(bound.topics == Catch::Approx(0).margin(1e-4));
  CHECK(bound.tokens == 6);
}

TEST_CASE("the bound of distinct topics stays below the exact likelihood", "[bound]") {
  const dplda::corpus docs = make_corpus({{0, 0, 1}, {2, 3, 3}, {0, 3}, {1, 2, 2}}, 4);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const dplda::svi<> learner({.topics = 2, .passes = 30, .batch_size = 0, .alpha = 0.2, .eta = 0.1});
    auto random = dplda::seeded_random(seed);
    const auto state = learner.fit_state(docs, random);
    // Given the topics' posterior mean, each document's exact likelihood is at least exp of its part of the bound
    // with log beta replaced by its (smaller) expectation.
    double exact = 0;
    for (const auto& tokens : dplda_tests::tokens_of(docs))
      exact += dplda_tests::exact_log_likelihood(state.model(), tokens);
    const auto bound = dplda::online_lda_bound(state, docs, docs.size());
    CHECK(bound.documents < exact);
    CHECK(bound.topics < 0);
    // A sample counts as its share of the collection.
    const auto doubled = dplda::online_lda_bound(state, docs, 2 * docs.size());
    CHECK(doubled.per_word ==
          Catch::Approx((2 * bound.documents + bound.topics) / (2.0 * static_cast<double>(bound.tokens))));
  }
}

TEST_CASE("the bound of an empty corpus is defined", "[bound]") {
  auto random = dplda::seeded_random(1);
  const auto state = dplda::svi<>().start(dplda::numbered_vocabulary(3), random);
  CHECK(std::isinf(dplda::online_lda_bound(state, make_corpus({}, 3), 0).perplexity));
  CHECK(std::isinf(dplda::online_lda_bound(state, make_corpus({{}, {}}, 3), 5).perplexity));
  CHECK_THROWS_AS(dplda::online_lda_bound(state, make_corpus({{0}}, 2), 1), std::invalid_argument);
  CHECK_THROWS_AS(dplda::online_lda_bound(state, make_corpus({{0}, {1}}, 3), 1), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/perplexity.hpp>

#include <dplda/corpora/synthetic.hpp>

#include "support/catch.hpp"
#include "support/exact_lda.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using dplda::corpus;
using dplda::document_completion_perplexity;
using dplda_tests::exact_log_likelihood;
using dplda_tests::exact_log_predictive;
using dplda_tests::make_corpus;
using dplda_tests::make_model;
using dplda_tests::tokens_of;

namespace {

// The score by its definition, with the exact predictive probability of each scored token given the observed ones.
double exact_score(const dplda::topic_model<double>& model, const corpus& docs, std::uint64_t seed) {
  const auto [observed, scored] = dplda::split_tokens(docs, dplda::seeded_random(seed));
  double sum = 0;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const dplda::word_id word : tokens_of(scored[d]))
      sum += exact_log_predictive(model, tokens_of(observed[d]), word);
  }
  return sum;
}

}  // namespace

TEST_CASE("The exact likelihood of the tests agrees with hand calculation", "[evaluation][perplexity]") {
  const auto model = make_model({{0.5, 0.5, 0}, {0.25, 0.25, 0.5}}, {1, 3});
  // One token: sum_k alpha_k / 4 phi_kw.
  CHECK(std::exp(exact_log_likelihood(model, {0})) == Catch::Approx(0.25 * 0.5 + 0.75 * 0.25));
  // Two tokens: E[theta_1^2] = 1 * 2 / 20, E[theta_1 theta_2] = 1 * 3 / 20, E[theta_2^2] = 3 * 4 / 20.
  CHECK(std::exp(exact_log_likelihood(model, {0, 2})) == Catch::Approx(0.15 * 0.5 * 0.5 + 0.6 * 0.25 * 0.5));
  // All documents of three tokens together have probability 1.
  double sum = 0;
  for (dplda::word_id a = 0; a < 3; ++a) {
    for (dplda::word_id b = 0; b < 3; ++b) {
      for (dplda::word_id c = 0; c < 3; ++c) sum += std::exp(exact_log_likelihood(model, {a, b, c}));
    }
  }
  CHECK(sum == Catch::Approx(1));
}

TEST_CASE("Perplexity is exact if topics share no word", "[evaluation][perplexity]") {
  // Then each token tells its topic, and the inferred theta is the exact posterior mean.
  const auto model = make_model({{0.7, 0.3, 0}, {0, 0, 1}}, {0.5, 0.2});
  const corpus docs = make_corpus({{0, 1, 1, 2, 2, 2}, {2, 2}, {0}, {}, {0, 0, 0, 1, 2}}, 3);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto result = document_completion_perplexity(model, docs, {.seed = seed, .tolerance = 1e-10});
    const double expected = exact_score(model, docs, seed);
    CHECK(result.tokens == 3 + 1 + 1 + 0 + 3);
    CHECK(result.documents == 4);
    CHECK(result.impossible_tokens == 0);
    CHECK(result.log_likelihood == Catch::Approx(expected).epsilon(1e-8));
    CHECK(result.perplexity == Catch::Approx(std::exp(-expected / 8)).epsilon(1e-8));
  }
}

TEST_CASE("Perplexity is close to the exact one if topics overlap", "[evaluation][perplexity]") {
  const auto model = make_model({{0.6, 0.3, 0.1}, {0.1, 0.2, 0.7}}, {1, 1});
  const corpus docs = make_corpus({{0, 0, 0, 1, 0, 0, 1, 0}, {2, 2, 1, 2, 2, 2, 0, 2}, {0, 2, 1, 2, 0, 1}}, 3);
  const auto result = document_completion_perplexity(model, docs);
  CHECK(result.perplexity == Catch::Approx(std::exp(-exact_score(model, docs, 1) / 11)).epsilon(0.02));
}

TEST_CASE("A document of one token is scored by the prior mean", "[evaluation][perplexity]") {
  const auto model = make_model({{0.9, 0.1}, {0.2, 0.8}}, {3, 1});
  const auto result = document_completion_perplexity(model, make_corpus({{1}}, 2));
  CHECK(result.tokens == 1);
  CHECK(result.log_likelihood == Catch::Approx(std::log(0.75 * 0.1 + 0.25 * 0.8)));
}

TEMPLATE_TEST_CASE("A uniform model's perplexity is the size of the vocabulary", "[evaluation][perplexity]", float,
                   double) {
  const std::vector<double> row(8, 0.125);
  const corpus docs = make_corpus({{0, 1, 2, 3, 4}, {7, 7, 7}, {5}}, 8);
  const auto result = document_completion_perplexity(make_model<TestType>({row, row, row}), docs);
  CHECK(result.perplexity == Catch::Approx(8).epsilon(std::is_same_v<TestType, float> ? 1e-5 : 1e-12));
}

TEST_CASE("Impossible tokens make the perplexity infinite and are counted", "[evaluation][perplexity]") {
  const auto model = make_model({{0.5, 0.5, 0}, {1, 0, 0}});
  const auto result = document_completion_perplexity(model, make_corpus({{2, 2, 2, 2, 2}, {0, 1, 0}, {2}}, 3));
  CHECK(result.impossible_tokens == 4);
  CHECK(result.tokens == 6);
  CHECK(result.perplexity == std::numeric_limits<double>::infinity());
  CHECK(result.log_likelihood == -std::numeric_limits<double>::infinity());
}

TEST_CASE("An empty score is never the best, and never NaN", "[evaluation][perplexity]") {
  const auto model = make_model({{0.5, 0.5}});
  for (const corpus& docs : {make_corpus({}, 2), make_corpus({{}, {}}, 2)}) {
    const auto result = document_completion_perplexity(model, docs);
    CHECK(std::isinf(result.perplexity));
    CHECK(result.log_likelihood == 0);
    CHECK(result.tokens == 0);
    CHECK(result.documents == 0);
  }
}

TEST_CASE("Threads and neighbouring documents change no bit", "[evaluation][perplexity]") {
  const auto data =
      dplda::synthetic_lda({.documents = 150, .words = 80, .topics = 5, .mean_length = 30}, dplda::seeded_random(1));
  const auto one = document_completion_perplexity(data.model, data.docs);
  for (const std::size_t threads : {2u, 3u, 8u, 0u}) {
    const auto many = document_completion_perplexity(data.model, data.docs, {.threads = threads});
    CHECK(many.log_likelihood == one.log_likelihood);
    CHECK(many.perplexity == one.perplexity);
    CHECK(many.tokens == one.tokens);
  }
  const std::vector<std::size_t> pair{90, 31}, first{90}, second{31};
  const auto score = [&](const std::vector<std::size_t>& positions) {
    return document_completion_perplexity(data.model, data.docs.select(positions)).log_likelihood;
  };
  CHECK(score(pair) == score(first) + score(second));
}

TEST_CASE("Another seed scores other tokens", "[evaluation][perplexity]") {
  const auto data = dplda::synthetic_lda({.documents = 20, .words = 80, .topics = 5}, dplda::seeded_random(1));
  CHECK(document_completion_perplexity(data.model, data.docs, {.seed = 1}).log_likelihood !=
        document_completion_perplexity(data.model, data.docs, {.seed = 2}).log_likelihood);
}

TEST_CASE("The true model beats unigrams, which beat a uniform model", "[evaluation][perplexity]") {
  const auto data = dplda::synthetic_lda({.documents = 600, .words = 200, .topics = 5}, dplda::seeded_random(2));
  const corpus train = data.docs.slice(0, 500), test = data.docs.slice(500, 600);
  const double truth = document_completion_perplexity(data.model, test).perplexity;
  const auto unigram = dplda::unigram_perplexity(train, test);
  CHECK(truth < 0.8 * unigram.perplexity);
  CHECK(unigram.perplexity < 0.9 * 200);
  CHECK(unigram.tokens == document_completion_perplexity(data.model, test).tokens);
}

TEST_CASE("unigram_model smooths as its formula says", "[evaluation][perplexity]") {
  const corpus train = make_corpus({{0, 0, 1}, {0}}, 3);
  const auto model = dplda::unigram_model(train, 0.5);
  CHECK(model.phi()(0, 0) == Catch::Approx(3.5 / 5.5));
  CHECK(model.phi()(0, 1) == Catch::Approx(1.5 / 5.5));
  CHECK(model.phi()(0, 2) == Catch::Approx(0.5 / 5.5));
  CHECK(dplda::unigram_model(make_corpus({}, 4), 1).phi()(0, 3) == 0.25);
  const corpus one_word = make_corpus({{2}}, 3);
  CHECK(dplda::unigram_perplexity(train, one_word, {}, 0.5).perplexity == Catch::Approx(11));
  CHECK(dplda::unigram_perplexity(train, one_word, {}, 0).impossible_tokens == 1);
}

TEST_CASE("Wrong arguments are refused", "[evaluation][perplexity]") {
  const auto model = make_model({{0.5, 0.5}});
  CHECK_THROWS_AS(document_completion_perplexity(model, make_corpus({{0}}, 3)), std::invalid_argument);
  const std::vector<std::string> renamed{"w1", "w0"};
  const corpus other = make_corpus({{0}}, 2).restrict_to(std::make_shared<const dplda::vocabulary>(renamed));
  CHECK_THROWS_AS(document_completion_perplexity(model, other), std::invalid_argument);
  CHECK_THROWS_AS(dplda::unigram_model(make_corpus({{0}}, 1), -1), std::invalid_argument);
  CHECK_THROWS_AS(dplda::unigram_model(make_corpus({{0}}, 1), std::nan("")), std::invalid_argument);
  CHECK_THROWS_AS(dplda::unigram_model(make_corpus({}, 1), 0), std::invalid_argument);
  CHECK_THROWS_AS(dplda::unigram_model(corpus(), 1), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/type_completion.hpp>

#include <dplda/corpora/split.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"
#include "support/exact_lda.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

using dplda::corpus;
using dplda::perplexity_options;
using dplda::type_completion_perplexity;
using dplda::word_id;
using dplda_tests::exact_log_predictive;
using dplda_tests::make_corpus;
using dplda_tests::make_model;

namespace {

// The score by its definition of a document with these distinct words, for each half of them that may be observed.
std::vector<double> scores_of_all_halves(const dplda::topic_model<>& model, const std::vector<word_id>& types) {
  std::vector<double> scores;
  for (unsigned half = 0; half < 1u << types.size(); ++half) {
    if (static_cast<std::size_t>(std::popcount(half)) != types.size() / 2) continue;
    std::vector<word_id> observed;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if ((half >> i & 1) == 1) observed.push_back(types[i]);
    }
    double left = 1, score = 0;
    for (const word_id word : observed) left -= std::exp(exact_log_predictive(model, observed, word));
    for (std::size_t i = 0; i < types.size(); ++i) {
      if ((half >> i & 1) == 0) score += exact_log_predictive(model, observed, types[i]) - std::log(left);
    }
    scores.push_back(score);
  }
  return scores;
}

dplda::synthetic_data clear_topics() {
  return dplda::synthetic_lda({.documents = 400, .words = 600, .topics = 5, .mean_length = 60},
                              dplda::seeded_random(5));
}

}  // namespace

TEST_CASE("Type completion is the exact score of one of the halves, and every half comes up", "[evaluation][types]") {
  // Topics share no word, so that each word tells its topic and the inferred theta is the exact posterior mean.
  const auto model = make_model({{0.5, 0.3, 0.2, 0, 0}, {0, 0, 0, 0.9, 0.1}}, {0.5, 0.2});
  const std::vector<word_id> types{0, 1, 2, 3, 4};
  const corpus docs = make_corpus({{0, 0, 0, 1, 2, 3, 3, 4}}, 5);  // repetitions change nothing
  const std::vector<double> scores = scores_of_all_halves(model, types);
  REQUIRE(scores.size() == 10);
  std::set<std::size_t> met;
  for (std::uint64_t seed = 1; seed <= 200;
       ++seed) {  // one half of ten stays away with probability 10 * 0.9^200 < 1e-8
    const auto result = type_completion_perplexity(model, docs, {.seed = seed, .tolerance = 1e-12});
    CHECK(result.tokens == 3);
    CHECK(result.documents == 1);
    CHECK(result.perplexity == Catch::Approx(std::exp(-result.log_likelihood / 3)));
    const auto nearest = std::min_element(scores.begin(), scores.end(), [&](double a, double b) {
      return std::abs(a - result.log_likelihood) < std::abs(b - result.log_likelihood);
    });
    CHECK(result.log_likelihood == Catch::Approx(*nearest).epsilon(1e-8));
    met.insert(static_cast<std::size_t>(nearest - scores.begin()));
  }
  CHECK(met.size() == scores.size());
}

TEST_CASE("Type completion does not depend on how often words are repeated", "[evaluation][types]") {
  const auto model = make_model({{0.6, 0.2, 0.1, 0.1}, {0.1, 0.1, 0.2, 0.6}}, {1, 1});
  const corpus once = make_corpus({{0, 1, 2}, {1, 2, 3}}, 4),
               often = make_corpus({{0, 0, 0, 1, 2}, {1, 2, 2, 3, 3}}, 4);
  CHECK(type_completion_perplexity(model, once).log_likelihood ==
        type_completion_perplexity(model, often).log_likelihood);
}

TEST_CASE("Type completion of a uniform model counts the words that were not seen", "[evaluation][types]") {
  const auto model = make_model({std::vector<double>(10, 0.1)});
  // Of four words two are seen, and each of the others is one of the eight that are left.
  const auto result = type_completion_perplexity(model, make_corpus({{0, 3, 5, 9}}, 10));
  CHECK(result.perplexity == Catch::Approx(8));
  CHECK(type_completion_perplexity(model, make_corpus({{4, 4, 4}}, 10)).perplexity == Catch::Approx(10));
}

TEST_CASE("Type completion gives probability 1 to the only word left", "[evaluation][types]") {
  const auto model = make_model({{0.999999, 0.000001}});
  CHECK(type_completion_perplexity(model, make_corpus({{0, 1}}, 2)).perplexity == Catch::Approx(1));
}

TEST_CASE("Type completion: nothing to score, impossible words and other vocabularies", "[evaluation][types]") {
  const auto model = make_model({{0.5, 0.5, 0}});
  const auto nothing = type_completion_perplexity(model, make_corpus({{}, {}}, 3));
  CHECK(nothing.tokens == 0);
  CHECK(nothing.perplexity == std::numeric_limits<double>::infinity());
  const auto impossible = type_completion_perplexity(model, make_corpus({{2}}, 3));
  CHECK(impossible.impossible_tokens == 1);
  CHECK(impossible.perplexity == std::numeric_limits<double>::infinity());
  CHECK_THROWS_AS(type_completion_perplexity(model, make_corpus({{0}}, 2)), std::invalid_argument);
}

TEST_CASE("Type completion depends neither on threads nor on other documents", "[evaluation][types]") {
  const auto data = clear_topics();
  const double one = type_completion_perplexity(data.model, data.docs, {.threads = 1}).log_likelihood;
  CHECK(one == type_completion_perplexity(data.model, data.docs, {.threads = 3}).log_likelihood);
  const std::vector<std::size_t> first{0, 1, 2}, second{3, 4};
  const std::vector<std::size_t> both{0, 1, 2, 3, 4};
  const auto score = [&](const std::vector<std::size_t>& some) {
    return type_completion_perplexity(data.model, data.docs.select(some)).log_likelihood;
  };
  CHECK(score(first) + score(second) == Catch::Approx(score(both)).epsilon(1e-12));
}

TEST_CASE("By types, true topics beat word frequencies, and shuffled ones do not", "[evaluation][types]") {
  const auto data = clear_topics();
  auto random = dplda::seeded_random(2);
  const double truth = type_completion_perplexity(data.model, data.docs).perplexity;
  const double unigram =
      type_completion_perplexity(dplda::unigram_model(each_word_once(data.docs)), data.docs).perplexity;
  CHECK(unigram < type_completion_perplexity(dplda::unigram_model(data.docs), data.docs).perplexity);
  const double shuffled = type_completion_perplexity(shuffled_topics(data.model, random), data.docs).perplexity;
  CHECK(truth < 0.6 * unigram);
  CHECK(shuffled > unigram);
}

TEST_CASE("By tokens, shuffled topics beat word frequencies where words repeat, and by types they do not",
          "[evaluation][types]") {
  // Each document repeats its own few words, and no two words belong together: there are no topics.
  dplda::corpus_builder builder;
  const auto source = dplda::seeded_random(3);
  constexpr std::size_t words = 40;
  for (std::size_t d = 0; d < 300; ++d) {
    auto bits = source.stream("document", d);
    for (int i = 0; i < 6; ++i) builder.add(static_cast<word_id>(dplda::uniform_below(bits, words)), 8);
    builder.end_document();
  }
  const corpus docs = builder.build(dplda::numbered_vocabulary(words));
  std::vector<std::vector<double>> rows(10, std::vector<double>(words, 0.1 / words));
  for (std::size_t v = 0; v < words; ++v) rows[v % 10][v] += 0.9 / 4;  // four words a topic
  auto random = dplda::seeded_random(4);
  const auto control = shuffled_topics(make_model(rows, std::vector<double>(10, 0.1)), random);
  const auto unigram = dplda::unigram_model(docs);
  CHECK(document_completion_perplexity(control, docs).perplexity <
        0.8 * document_completion_perplexity(unigram, docs).perplexity);
  CHECK(type_completion_perplexity(control, docs).perplexity > type_completion_perplexity(unigram, docs).perplexity);
}

TEST_CASE("Shuffled topics keep word frequencies and exchange all associations within groups", "[evaluation][types]") {
  const auto data = clear_topics();
  auto random = dplda::seeded_random(6);
  const auto shuffled = shuffled_topics(data.model, random);
  REQUIRE(shuffled.topics() == data.model.topics());
  const Eigen::VectorXd before = data.model.phi().colwise().mean().transpose();
  const Eigen::VectorXd after = shuffled.phi().colwise().mean().transpose();
  CHECK((before - after).cwiseAbs().sum() < 0.2);
  // Each word's pattern over the topics is that of another word, up to the topics' normalisation.
  const Eigen::MatrixXd old = data.model.phi() * before.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd now = shuffled.phi() * after.cwiseInverse().asDiagonal();
  std::size_t unchanged = 0;
  for (Eigen::Index v = 0; v < old.cols(); ++v) unchanged += (old.col(v) - now.col(v)).norm() < 0.3 * old.col(v).norm();
  CHECK(unchanged < 60);  // of 600 words; unlike words of one group may have like patterns
  CHECK(shuffled.alpha() == data.model.alpha());
}

TEST_CASE("Shuffled topics: one word, one topic and words without probability", "[evaluation][types]") {
  auto random = dplda::seeded_random(7);
  CHECK(shuffled_topics(make_model({{1}, {1}}), random).phi()(1, 0) == 1);
  const auto one = make_model({{0.5, 0.3, 0.2}});
  CHECK((shuffled_topics(one, random).phi() - one.phi()).norm() < 1e-12);
  // With two words each gets the other's associations.
  const auto two = shuffled_topics(make_model({{0.9, 0.1}, {0.1, 0.9}}), random);
  CHECK(two.phi()(0, 0) == Catch::Approx(0.1));
  const auto zero = shuffled_topics(make_model({{1, 0}, {1, 0}}), random);
  CHECK(zero.phi()(0, 0) == Catch::Approx(1));
  const auto single = shuffled_topics(make_model<float>({{0.5, 0.5}, {0.25, 0.75}}), random);
  CHECK(single.phi().row(1).sum() == Catch::Approx(1));
}

TEST_CASE("Each word once: words, ids and owners stay, repetitions go", "[evaluation][types]") {
  const corpus docs = make_corpus({{0, 0, 2}, {}, {1, 1, 1}}, 3, {1, 0, 1}, 2);
  const corpus once = dplda::each_word_once(docs);
  CHECK(dplda_tests::tokens_of(once) == std::vector<std::vector<word_id>>{{0, 2}, {}, {1}});
  CHECK(once.vocab() == docs.vocab());
  for (std::size_t d = 0; d < docs.size(); ++d) {
    CHECK(once[d].id == docs[d].id);
    CHECK(once.user(d) == docs.user(d));
  }
  CHECK_FALSE(dplda::each_word_once(make_corpus({{0, 0}}, 1)).has_users());
}

TEST_CASE("Type completion: the words that were not seen have probability 1 together, topics overlapping or not",
          "[evaluation][types]") {
  // A document of two words observes one of them. Which one depends on the seed and the document's id, not on the words,
  // so that documents with the observed word in the same place have all the other words scored in turn.
  const auto model =
      make_model({{0.4, 0.3, 0.2, 0.1, 0}, {0.1, 0.1, 0.2, 0.3, 0.3}, {0.2, 0.2, 0.2, 0.2, 0.2}}, {0.5, 0.2, 0.1});
  constexpr word_id words = 5;
  std::size_t first = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto probability = [&](word_id a, word_id b) {
      return std::exp(type_completion_perplexity(model, make_corpus({{a, b}}, words), {.seed = seed}).log_likelihood);
    };
    double first_observed = 0, last_observed = 0;
    for (word_id word = 1; word < words; ++word) first_observed += probability(0, word);
    for (word_id word = 0; word + 1 < words; ++word) last_observed += probability(word, words - 1);
    const bool is_first = std::abs(first_observed - 1) < 1e-9;
    CHECK((is_first ? first_observed : last_observed) == Catch::Approx(1).epsilon(1e-9));
    first += is_first;
  }
  CHECK(first > 0);
  CHECK(first < 20);
}

TEST_CASE("Type completion is on average the exact mean over all halves", "[evaluation][types]") {
  const auto model = make_model({{0.5, 0.3, 0.2, 0, 0}, {0, 0, 0, 0.9, 0.1}}, {0.5, 0.2});
  const std::vector<double> scores = scores_of_all_halves(model, {0, 1, 2, 3, 4});
  double mean = 0, square = 0;
  for (const double score : scores) {
    mean += score / static_cast<double>(scores.size());
    square += score * score / static_cast<double>(scores.size());
  }
  // 4000 documents with the same words, each halved by itself: the mean is within 5 standard errors.
  constexpr std::size_t documents = 4000;
  const corpus docs = make_corpus(std::vector<std::vector<word_id>>(documents, {0, 1, 2, 3, 4}), 5);
  const auto result = type_completion_perplexity(model, docs, {.tolerance = 1e-12});
  const double error = std::sqrt((square - mean * mean) / documents);
  CHECK(std::abs(result.log_likelihood / documents - mean) < 5 * error);
}

TEST_CASE("Learned topics beat word frequencies by types, and their shuffled control does not", "[evaluation][types]") {
  const auto data =
      dplda::synthetic_lda({.documents = 900, .words = 600, .topics = 5, .mean_length = 60}, dplda::seeded_random(8));
  auto bits = dplda::seeded_random(9).stream("held out");
  const auto [train, test] = dplda::train_test_split(data.docs, bits, {.share = 0.2});
  auto random = dplda::seeded_random(10);
  const auto learned = dplda::svi<>({.topics = 5, .passes = 20, .threads = 1}).fit(train, random);
  const auto by_types = [&, &held_out = test](const dplda::topic_model<>& model) {
    return type_completion_perplexity(model, held_out).perplexity;
  };
  const double unigram = by_types(dplda::unigram_model(each_word_once(train)));
  CHECK(by_types(data.model) < by_types(learned));
  CHECK(by_types(learned) < 0.75 * unigram);
  CHECK(by_types(shuffled_topics(learned, random)) > unigram);
  CHECK(by_types(shuffled_topics(data.model, random)) > unigram);
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/public_text.hpp>

#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/type_completion.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/private_topics/detail/topic_gain.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/random/continuous.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-5};

// Documents of one corpus, and others of the same kind.
struct kin {
  corpus docs, others;
};

kin letters(std::size_t documents) {
  const corpus all =
      synthetic_lda({.documents = 3 * documents, .words = 2000, .topics = 5, .mean_length = 40}, seeded_random(11))
          .docs;
  return {all.slice(0, documents), all.slice(documents, 3 * documents)};
}

Eigen::VectorXd frequencies(const corpus& docs) {
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(docs.words()));
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const word_id word : docs[d].words) counts[static_cast<Eigen::Index>(word)] += 1;
  }
  return counts / counts.sum();
}

double divergence(const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  double sum = 0;
  for (Eigen::Index v = 0; v < from.size(); ++v) {
    if (from[v] > 0) sum += from[v] * std::log(from[v] / to[v]);
  }
  return sum;
}

template <class Learner>
Eigen::VectorXd learned_words(const kin& text, std::vector<public_text> known, std::uint64_t seed) {
  const Learner learner({.topics = 1,
                         .units = text.docs.size(),
                         .words = text.docs.words(),
                         .steps = 1,
                         .background_share = 0.9,
                         .public_texts = std::move(known)},
                        one);
  random_source random = seeded_random(seed);
  return learner.fit(text.docs, random).value().phi().row(0);
}

}  // namespace

TEMPLATE_TEST_CASE("Public text of the same kind improves word frequencies, and other text does no harm",
                   "[inference][public_text]", private_svi, private_gibbs) {
  const kin text = letters(1000);
  const Eigen::VectorXd truth = frequencies(text.others);
  // The same words, with the frequencies of others.
  corpus_builder wrong;
  for (std::size_t d = 0; d < text.others.size(); ++d) {
    for (const word_id word : text.others[d].words) wrong.add(static_cast<word_id>((word * 7 + 3) % 2000));
    wrong.end_document();
  }
  const corpus unlike = wrong.build(text.docs.vocab());
  double without = 0, like = 0, mixed = 0, other = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const public_text same = declare_public(text.others, "others"), foreign = declare_public(unlike, "unlike");
    without += divergence(truth, learned_words<TestType>(text, {}, seed));
    like += divergence(truth, learned_words<TestType>(text, {same}, seed));
    mixed += divergence(truth, learned_words<TestType>(text, {foreign, same}, seed));
    other += divergence(truth, learned_words<TestType>(text, {foreign}, seed));
  }
  CAPTURE(without, like, mixed, other);
  CHECK(like < 0.5 * without);
  CHECK(mixed < 0.5 * without);
  CHECK(other < 1.05 * without);
}

TEST_CASE("Public text changes neither plan nor ledger", "[inference][public_text]") {
  const kin text = letters(300);
  private_svi_options options{.topics = 3, .units = 300, .words = 2000, .steps = 2};
  const private_svi plain(options, one);
  options.public_texts.push_back(declare_public(text.others, "others"));
  const private_svi helped(options, one);
  CHECK(helped.plan().ledger == plain.plan().ledger);
  CHECK(helped.guarantee() == plain.guarantee());
  random_source random = seeded_random(1);
  CHECK(std::ranges::equal(helped.fit(text.docs, random).ledger().entries(), plain.plan().ledger.entries()));
}

TEST_CASE("Grey-box audit with public text finds nothing", "[inference][public_text]") {
  grey_box_result result;
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const auto corpora = adversarial_corpora(12, 5);
    const public_text known = declare_public(make_corpus({{0, 1, 2}, {2, 3, 3}, {7}}, 12), "known");
    const private_svi engine({.topics = 3,
                              .units = std::uint64_t{1} << 20,
                              .words = 12,
                              .unit = unit,
                              .steps = 1,
                              .rate = 1,
                              .public_texts = {known},
                              .threads = 1},
                             {.epsilon = 4, .delta = 1e-5});
    random_source random = seeded_random(2);
    const private_topics_state before = engine.start(corpora[1].docs, random);
    for (const named_corpus& each : corpora) {
      result += grey_box_audit(
          each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().table), [&](const corpus& docs) {
            private_topics_state state = before;
            random_source frozen = seeded_random(5);
            engine.resume(state, docs, frozen);
            return to_integers(std::span(state.table().data(), static_cast<std::size_t>(state.table().size())),
                               engine.plan().table.unit_size());
          });
    }
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);
}

TEST_CASE("Topics with public text do not depend on threads, and resume as they began", "[inference][public_text]") {
  const kin text = letters(200);
  const auto learner = [&](std::size_t threads, const corpus& known) {
    return private_svi({.topics = 3,
                        .units = 200,
                        .words = 2000,
                        .steps = 3,
                        .public_texts = {declare_public(known, "others")},
                        .threads = threads},
                       one);
  };
  random_source first = seeded_random(3), second = seeded_random(3), third = seeded_random(3);
  const Eigen::MatrixXd phi = learner(1, text.others).fit(text.docs, first).value().phi();
  CHECK(learner(3, text.others).fit(text.docs, second).value().phi() == phi);
  private_topics_state state = learner(1, text.others).start(text.docs, third);
  REQUIRE(stopped([&] { learner(1, text.others).resume(state, text.docs, third, after_step(1)); }));
  private_topics_state saved(state.get());
  CHECK_THAT(refusal([&] { learner(1, text.others.slice(0, 300)).resume(saved, text.docs, third); }),
             ContainsSubstring("of another fit"));
  CHECK(learner(1, text.others).resume(saved, text.docs, third).value().phi() == phi);
}

TEMPLATE_TEST_CASE("Public topics guide a fit of few documents, and only the frequencies of words are learned",
                   "[inference][public_text]", private_svi, private_gibbs) {
  const synthetic_data data =
      synthetic_lda({.documents = 1500, .words = 2000, .topics = 5, .mean_length = 40}, seeded_random(11));
  const corpus docs = data.docs.slice(0, 500), held_out = data.docs.slice(500, 1500);
  typename TestType::options_type options{.topics = 5, .units = 500, .words = 2000, .steps = 5};
  const auto score = [&](const auto& fitted) {
    return type_completion_perplexity(fitted.value(), held_out).perplexity;
  };
  random_source one_seed = seeded_random(1), same_seed = seeded_random(1), control_seed = seeded_random(2);
  const double plain = score(TestType(options, one).fit(docs, one_seed));
  options.public_topics = declare_public(data.model);
  const auto fitted = TestType(options, one).fit(docs, same_seed);
  CAPTURE(plain, score(fitted));
  CHECK(score(fitted) < 0.8 * plain);
  CHECK(type_completion_perplexity(shuffled_topics(fitted.value(), control_seed), held_out).perplexity > plain);
  CHECK(fitted.remarks() == std::vector<std::string>{"The public topics seem to fit the documents, and were used."});
  options.topics = 4;
  CHECK_THAT(refusal([&] { TestType(options, one); }), ContainsSubstring("number of the public topics"));
}

TEMPLATE_TEST_CASE("Public topics of another domain are not used, and do no harm", "[inference][public_text]",
                   private_svi, private_gibbs) {
  const synthetic_data data =
      synthetic_lda({.documents = 1500, .words = 2000, .topics = 5, .mean_length = 40}, seeded_random(11));
  const corpus docs = data.docs.slice(0, 500), held_out = data.docs.slice(500, 1500);
  typename TestType::options_type options{.topics = 5, .units = 500, .words = 2000, .steps = 5};
  random_source one_seed = seeded_random(1), same_seed = seeded_random(1), start_seed = seeded_random(1),
                shuffling = seeded_random(2);
  const auto plain = TestType(options, one).fit(docs, one_seed);
  options.public_topics = declare_public(shuffled_topics(data.model, shuffling));
  const TestType learner(options, one);
  const auto fitted = learner.fit(docs, same_seed);
  CHECK_FALSE(learner.start(docs, start_seed).uses_public_topics());
  CHECK(fitted.remarks() ==
        std::vector<std::string>{"The public topics do not seem to fit the documents, and were not used."});
  CHECK(plain.remarks().empty());
  CHECK(type_completion_perplexity(fitted.value(), held_out).perplexity <
        1.02 * type_completion_perplexity(plain.value(), held_out).perplexity);
}

TEST_CASE("The check of public topics is planned and paid", "[inference][public_text]") {
  const synthetic_data data =
      synthetic_lda({.documents = 300, .words = 500, .topics = 3, .mean_length = 40}, seeded_random(3));
  private_svi_options options{.topics = 3, .units = 300, .words = 500, .steps = 2};
  CHECK_FALSE(private_svi(options, one).plan().gain.has_value());
  options.public_topics = declare_public(data.model);
  const private_svi learner(options, one);
  CHECK(learner.guarantee().epsilon <= one.epsilon);
  CHECK(learner.guarantee().epsilon > 0.99 * one.epsilon);
  CHECK(learner.for_words(600).plan().gain == learner.plan().gain);
  CHECK(learner.plan().gain->options().signs == value_signs::any);  // losses count
  random_source random = seeded_random(1);
  const private_topics_state state = learner.start(data.docs, random);
  REQUIRE(state.uses_public_topics());
  REQUIRE(state.ledger().entries().size() == 3);
  CHECK(state.ledger().entries()[2].event == learner.plan().gain->event());
  // About two hundredths: noise multipliers add up as 1 / z^2.
  double gain = 0, all = 0;
  for (const auto& entry : learner.plan().ledger.entries()) {
    const double z = std::get<gaussian_noise>(entry.event.noise).multiplier;
    all += static_cast<double>(entry.count) / (z * z);
    if (entry.event == learner.plan().gain->event()) gain += 1 / (z * z);
  }
  CHECK(gain / all == Catch::Approx(0.02 / 1.02));
  private_topics_state::parts parts = state.get();
  parts.gain = 1;
  CHECK_FALSE(private_topics_state(parts).uses_public_topics());
  parts.gain = std::nan("");
  CHECK_THAT(refusal([&] { private_topics_state{parts}; }), ContainsSubstring("gain"));
}

TEST_CASE("Grey-box audit of the check of public topics finds nothing", "[inference][public_text]") {
  grey_box_result result;
  auto bits = seeded_random(8).stream("topics");
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const auto corpora = adversarial_corpora(12, 6);
    const Eigen::VectorXd words = Eigen::VectorXd::Constant(12, 1.0 / 12);
    Eigen::MatrixXd phi(3, 12);
    for (double& cell : phi.reshaped()) cell = std::exp(4 * normal(bits));
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    const accumulator_plan plan({.rows = 1, .noise_multiplier = 4, .signs = value_signs::any, .unit = unit});
    for (const named_corpus& each : corpora) {
      result += grey_box_audit(each.docs, corpora.back().docs, unit, grey_box_bound_of(plan), [&](const corpus& docs) {
        random_source frozen = seeded_random(5), noise = seeded_random(6);
        const detail::topic_gain gain(phi, words, docs.vocab(), Eigen::VectorXd::Constant(3, 0.05), frozen);
        std::vector<accumulator> sums;
        for (int i = 0; i < 3; ++i) sums.emplace_back(plan);
        gain.add(docs, privacy_units(docs, unit), sums);
        ledger spent;
        const std::vector<double> sum = sums.front().publish(noise, spent);
        return to_integers(std::span<const double>(sum), plan.unit_size());
      });
    }
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);
}

TEST_CASE("The gain by topics is that of type completion, and nothing for word frequencies",
          "[inference][public_text]") {
  const synthetic_data data =
      synthetic_lda({.documents = 4000, .words = 300, .topics = 4, .mean_length = 60}, seeded_random(5));
  const Eigen::VectorXd words = (frequencies(data.docs).array() + 1e-6) / (1 + 300e-6);
  const auto mean_gain = [&](const Eigen::MatrixXd& phi, bool joined) {
    random_source random = seeded_random(6);
    const detail::topic_gain gain(phi, words, data.docs.vocab(), data.model.alpha(), random);
    double sum = 0;
    for (std::size_t d = 0; d < data.docs.size(); d += joined ? 2 : 1) {
      const std::size_t both[] = {d, d + 1};
      sum += gain(data.docs, std::span(both).first(joined ? 2 : 1));
    }
    return sum / static_cast<double>(joined ? data.docs.size() / 2 : data.docs.size());
  };
  const topic_model<> frequent(Eigen::MatrixXd(words.transpose()), data.docs.vocab(), Eigen::VectorXd::Ones(1));
  const double expected = std::log(type_completion_perplexity(frequent, data.docs).perplexity /
                                   type_completion_perplexity(data.model, data.docs).perplexity);
  REQUIRE(expected > 0.2);
  CHECK(mean_gain(data.model.phi(), false) == Catch::Approx(expected).epsilon(0.05));
  CHECK(mean_gain(data.model.phi(), true) == Catch::Approx(expected).epsilon(0.05));  // one document of each unit
  CHECK(std::abs(mean_gain(words.transpose().replicate(4, 1), false)) < 1e-9);
  random_source shuffling = seeded_random(7);
  CHECK(mean_gain(shuffled_topics(data.model, shuffling).phi(), false) < 0);
}

TEST_CASE("The gain of a unit is at most 1, and 0 where nothing can be said", "[inference][public_text]") {
  const Eigen::VectorXd words = Eigen::VectorXd::Constant(6, 1.0 / 6);
  Eigen::MatrixXd phi(2, 6);
  phi << 0.499, 0.499, 0.0005, 0.0005, 0.0005, 0.0005, 1e-12, 1e-12, 0.25, 0.25, 0.25, 0.25;
  const corpus docs = make_corpus({{0, 1}, {0, 2}, {3}, {}}, 6);
  random_source random = seeded_random(1);
  const detail::topic_gain gain(phi, words, docs.vocab(), Eigen::VectorXd::Constant(2, 1e-9), random);
  const auto of = [&](std::size_t d) { return gain(docs, std::span(&d, 1)); };
  CHECK(of(0) == 1);
  CHECK(of(1) == -1);
  CHECK(of(2) == 0);
  CHECK(of(3) == 0);
  CHECK(gain(docs, {}) == 0);
}

TEST_CASE("Lifts of public topics have mean 1, and are 1 for words that the model lacks", "[inference][public_text]") {
  const std::vector<std::string> words{"w2", "other", "w0"};
  const auto lifts =
      detail::topic_lifts(declare_public(make_model({{0.7, 0.2, 0.1}, {0.1, 0.2, 0.7}})), vocabulary(words));
  REQUIRE(lifts.rows() == 2);
  CHECK((lifts.colwise().mean().array() - 1).abs().maxCoeff() < 1e-12);
  CHECK(lifts(0, 1) == 1);
  CHECK(lifts(0, 2) == Catch::Approx(2 * (0.7 + 0.1 / 3) / (0.8 + 0.2 / 3)));
  CHECK(lifts(0, 0) == lifts(1, 2));
}

TEST_CASE("Private documents are refused as public text, in any order and over any words", "[inference][public_text]") {
  const corpus docs = letters(50).docs;
  std::vector<std::size_t> backwards(docs.size());
  for (std::size_t d = 0; d < docs.size(); ++d) backwards[d] = docs.size() - 1 - d;
  std::vector<std::string> turned;
  for (std::size_t w = docs.words(); w-- > 0;) turned.emplace_back(docs.vocab()->word(static_cast<word_id>(w)));
  const corpus same = docs.select(backwards).restrict_to(std::make_shared<const vocabulary>(turned));
  for (const corpus& given : {docs, same}) {
    const private_svi learner(
        {.topics = 2, .units = 50, .words = 2000, .steps = 1, .public_texts = {declare_public(given, "the same")}},
        one);
    random_source random = seeded_random(1);
    CHECK_THAT(refusal([&] { learner.fit(docs, random); }), ContainsSubstring("must be another text"));
    learner.fit(docs.slice(0, 49), random);  // other documents
  }
}

TEST_CASE("What is declared public text must have a name, words, and no word that was chosen privately",
          "[inference][public_text]") {
  const corpus docs = make_corpus({{0, 1}}, 2);
  CHECK(declare_public(docs, "law").name() == "law");
  CHECK_THAT(refusal([&] { declare_public(docs, ""); }), ContainsSubstring("name"));
  CHECK_THAT(refusal([&] { declare_public(make_corpus({{}}, 2), "nothing"); }), ContainsSubstring("without a word"));
  const corpus cut = docs.restrict_to(detail::with_origin(*docs.vocab(), word_origin::released));
  CHECK_THAT(refusal([&] { declare_public(cut, "cut"); }), ContainsSubstring("chosen privately"));
}

TEST_CASE("Expected words: weights follow the values, and no word is given up", "[inference][public_text]") {
  auto bits = seeded_random(4).stream("words");
  constexpr Eigen::Index words = 3000;
  Eigen::MatrixXd shares(words, 3);
  for (Eigen::Index v = 0; v < words; ++v) {
    shares(v, 0) = 1 / (static_cast<double>(v) + 10);
    shares(v, 1) = 1 / (static_cast<double>(words - v) + 10);
    shares(v, 2) = 0;  // a text with none of the words
  }
  for (Eigen::Index t : {0, 1}) shares.col(t) /= shares.col(t).sum();
  const Eigen::VectorXd truth = 6000 * (0.7 * shares.col(0).array() + 0.3 / words).matrix();
  Eigen::VectorXd values = truth;
  for (double& value : values) value += normal(bits);
  const Eigen::VectorXd found = detail::expected_words(values, Eigen::VectorXd::Ones(words), shares);
  CHECK((found - truth).norm() < 0.1 * truth.norm());
  CHECK(found.minCoeff() > 0);
  // Without texts, or with values that say nothing, the numbers are positive.
  CHECK(detail::expected_words(values, Eigen::VectorXd::Ones(words), {}).minCoeff() == Catch::Approx(values.mean()));
  CHECK(detail::expected_words(-values, Eigen::VectorXd::Ones(words), shares).minCoeff() > 0);
}

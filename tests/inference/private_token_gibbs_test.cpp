// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-5};

// The documents from which a corpus of tokens was made.
corpus joined(const corpus& tokens, std::size_t documents) {
  std::vector<std::vector<word_id>> words(documents);
  for (std::size_t t = 0; t < tokens.size(); ++t) words[tokens.user(t)].push_back(tokens[t].words.front());
  corpus_builder builder;
  for (const auto& each : words) {
    for (const word_id word : each) builder.add(word);
    builder.end_document();
  }
  return dplda::declare_unpruned(builder.build(tokens.vocab()));
}

// Seven documents with some of the words in [first, last), each once. Several tokens of one word in one document would
// have ids by their number, so removing one would rename another.
corpus all_different(word_id first, word_id last, std::uint64_t seed) {
  chacha20 bits = seeded_random(seed).stream("words");
  corpus_builder builder;
  for (std::size_t d = 0; d < 7; ++d) {
    for (word_id word = first; word < last; ++word)
      if (bits() % 2 == 0) builder.add(word);
    builder.end_document();
  }
  return made_up(builder, 12);
}

}  // namespace

TEST_CASE("Tokens keep their ids when others are removed", "[inference][private_token_gibbs]") {
  const corpus docs = make_corpus({{0, 2, 2, 2}, {}, {2, 1}}, 3);
  const corpus tokens = detail::token_corpus(docs),
               fewer = detail::token_corpus(make_corpus({{2, 2, 2}, {}, {2, 1}}, 3));
  REQUIRE(tokens.size() == 6);
  CHECK(tokens.tokens() == 6);
  CHECK(joined(tokens, 3)[0].counts[1] == 3);
  for (std::size_t t = 0; t < fewer.size(); ++t) {
    CHECK(fewer[t].id == tokens[t + 1].id);
    CHECK(fewer.user(t) == tokens.user(t + 1));
  }
}

TEST_CASE("Grey-box audit of private Gibbs sampling for tokens finds nothing", "[inference][private_token_gibbs]") {
  grey_box_result result;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double rate : {1.0, 0.4}) {
      const corpus docs = all_different(0, 8, seed), others = all_different(8, 12, seed + 100);
      const private_token_gibbs engine(
          {.topics = 3, .documents = 7, .words = 12, .tokens = 1 << 20, .sweeps = 3, .rate = rate, .threads = 1},
          {.epsilon = 20, .delta = 1e-5});
      const double unit = engine.plan().tables.unit_size();
      const grey_box_bound bound = grey_box_bound_of(engine.plan().tables);
      // From the start, and after a sweep, when the documents' topics are known too.
      random_source beginning = seeded_random(seed);
      private_token_gibbs_state state = engine.start(beginning);
      for (int sweep = 1; sweep <= 2; ++sweep) {
        result += grey_box_audit(detail::token_corpus(docs), detail::token_corpus(others), privacy_unit::document,
                                 bound, [&](const corpus& tokens) {
                                   private_token_gibbs_state next = state;
                                   random_source random = seeded_random(seed);
                                   stopped([&] { engine.resume(next, joined(tokens, 7), random, at_once); });
                                   return to_integers(next.tables(), unit);
                                 });
        stopped([&] { engine.resume(state, docs, beginning, at_once); });
      }
    }
  }
  std::cout << "private Gibbs for tokens: " << result.pairs << " neighbouring pairs, " << result.violations()
            << " violations, largest distance " << result.largest_ratio << " of the bound\n";
  CHECK(result.pairs > 2000);
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);
}

TEST_CASE("Private Gibbs sampling for tokens spends its plan, with any number of threads",
          "[inference][private_token_gibbs]") {
  const corpus docs = synthetic_lda({.documents = 60, .words = 50, .topics = 3}, seeded_random(1)).docs;
  for (const double rate : {1.0, 0.5}) {
    const auto fitted = [&](std::size_t threads) {
      random_source random = seeded_random(2);
      const private_token_gibbs learner({.topics = 3,
                                         .documents = 60,
                                         .words = 50,
                                         .tokens = docs.tokens(),
                                         .sweeps = 4,
                                         .rate = rate,
                                         .threads = threads},
                                        one);
      const auto released = learner.fit(docs, random);
      CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
      CHECK(released.guarantee().epsilon == learner.guarantee().epsilon);
      CHECK(learner.guarantee().epsilon <= 1);
      CHECK(learner.guarantee().epsilon > 0.99);
      CHECK(released.guarantee().unit == privacy_unit::token);
      return released.value().phi();
    };
    const Eigen::MatrixXd phi = fitted(1);
    CHECK(fitted(3) == phi);
  }
  random_source random = seeded_random(2);
  const private_token_gibbs learner({.topics = 3, .documents = 60, .words = 50, .tokens = docs.tokens(), .sweeps = 4},
                                    one);
  CHECK(stopped([&] { learner.fit(docs, random, after_step(2)); }));

  // A resumed fit ends as an uninterrupted one does, and another plan refuses its state.
  private_token_gibbs_state state = learner.start(random);
  CHECK(stopped([&] { learner.resume(state, docs, random, after_step(3)); }));
  CHECK(state.sweeps() == 3);
  const private_token_gibbs other({.topics = 3, .documents = 60, .words = 50, .tokens = docs.tokens(), .sweeps = 5},
                                  one);
  CHECK_THAT(refusal([&] { other.resume(state, docs, random); }), ContainsSubstring("another fit"));
  CHECK(std::ranges::equal(learner.resume(state, docs, random).ledger().entries(), learner.plan().ledger.entries()));
}

TEST_CASE("With little noise, private Gibbs sampling for tokens finds topics", "[inference][private_token_gibbs]") {
  const synthetic_data data =
      synthetic_lda({.documents = 800, .words = 100, .topics = 3, .mean_length = 150}, seeded_random(3));
  const private_token_gibbs learner(
      {.topics = 3, .documents = 800, .words = 100, .tokens = data.docs.tokens(), .sweeps = 40},
      {.epsilon = 100, .delta = 1e-5});
  random_source random = seeded_random(4);
  const topic_model<> model = learner.fit(data.docs, random).value();
  const double truth = document_completion_perplexity(data.model, data.docs).perplexity;
  const double unigram = unigram_perplexity(data.docs, data.docs).perplexity;
  const double found = document_completion_perplexity(model, data.docs).perplexity;
  CAPTURE(truth, unigram, found);
  CHECK(found < unigram - 0.8 * (unigram - truth));
}

TEST_CASE("Private Gibbs sampling for tokens works for degenerate sizes", "[inference][private_token_gibbs]") {
  random_source random = seeded_random(1);
  const auto topics = [&](std::size_t k, std::size_t words, const corpus& docs) {
    const private_token_gibbs learner({.topics = k, .documents = docs.size(), .words = words, .tokens = 5, .sweeps = 3},
                                      one);
    const topic_model<> model = learner.fit(docs, random).value();
    CHECK(model.phi().minCoeff() > 0);
    return model.topics();
  };
  CHECK(topics(1, 3, make_corpus({{0, 1}, {2}}, 3)) == 1);
  CHECK(topics(7, 2, make_corpus({{0}, {}}, 2)) == 7);
  CHECK(topics(2, 1, make_corpus({{}}, 1)) == 2);
}

TEST_CASE("Private Gibbs sampling for tokens refuses invalid options", "[inference][private_token_gibbs]") {
  const private_token_gibbs_options good{.topics = 2, .documents = 3, .words = 3, .tokens = 10};
  const auto with = [&](auto&& change) {
    private_token_gibbs_options changed = good;
    change(changed);
    return refusal([&] { private_token_gibbs(changed, one); });
  };
  CHECK(with([](auto&) {}) == "");
  CHECK_THAT(with([](auto& o) { o.topics = 0; }), ContainsSubstring("topics is 0"));
  CHECK_THAT(with([](auto& o) { o.documents = 0; }), ContainsSubstring("documents is 0"));
  CHECK_THAT(with([](auto& o) { o.words = 0; }), ContainsSubstring("words is 0"));
  CHECK_THAT(with([](auto& o) { o.tokens = 0; }), ContainsSubstring("tokens is 0"));
  CHECK_THAT(with([](auto& o) { o.sweeps = 0; }), ContainsSubstring("sweeps is 0"));
  CHECK_THAT(with([](auto& o) { o.rate = 0; }), ContainsSubstring("rate is 0"));
  CHECK_THAT(with([](auto& o) { o.rate = 0.5, o.relation = neighbours::replace; }),
             ContainsSubstring("must be 1 under replace"));
  CHECK_THAT(with([](auto& o) { o.alpha = -1; }), ContainsSubstring("alpha is -1"));
  random_source random = seeded_random(1);
  CHECK_THAT(refusal([&] { private_token_gibbs(good, one).fit(make_corpus({{0}}, 3), random); }),
             ContainsSubstring("number of documents is 1"));
}

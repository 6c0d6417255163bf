// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/audit.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::make_corpus;
using dplda_tests::refusal;
using dplda_tests::tokens_of;

namespace {

constexpr double delta = 1e-6;

// One topic from word counts, each document scaled to norm 1, with Gaussian noise: `actual` is what is added, `claimed`
// what the guarantee says.
struct toy_learner {
  double claimed = 1;
  double actual = 1;
  neighbours relation = neighbours::add_remove;

  dplda::guarantee guarantee() const {
    return {.epsilon = gaussian_epsilon(claimed, delta), .delta = delta, .relation = relation};
  }

  release<topic_model<>> fit(const corpus& docs, random_source& random) const {
    auto bits = random.fork().stream("noise");
    topic_model<>::matrix phi(1, static_cast<Eigen::Index>(docs.words()));
    for (Eigen::Index v = 0; v < phi.cols(); ++v) phi(0, v) = 30 + actual * normal(bits);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const document doc = docs[d];
      double squares = 0;
      for (const std::uint32_t count : doc.counts) squares += static_cast<double>(count) * count;
      for (std::size_t n = 0; n < doc.size(); ++n) phi(0, doc.words[n]) += doc.counts[n] / std::sqrt(squares);
    }
    phi = phi.cwiseMax(1e-3);
    phi /= phi.sum();
    ledger spent;
    spent.record({.noise = gaussian_noise{claimed}, .relation = relation});
    return release<topic_model<>>(topic_model<>(phi, docs.vocab()), guarantee(), spent);
  }
};

// Counts as they are.
struct plain_learner {
  topic_model<> fit(const corpus& docs, random_source&) const {
    topic_model<>::matrix phi = topic_model<>::matrix::Constant(1, static_cast<Eigen::Index>(docs.words()), 0.01);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (const word_id word : docs[d].words) phi(0, word) += 1;
    }
    return topic_model<>(phi / phi.sum(), docs.vocab());
  }
};

const corpus docs = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 400);

}  // namespace

TEST_CASE("Canaries are made of the rarest words") {
  const corpus base = make_corpus({{0, 0, 1}, {1, 3}}, 5);
  const corpus repeated = make_canaries(base, {.count = 3, .words = 1, .repeats = 4});
  REQUIRE(repeated.size() == 3);
  CHECK(tokens_of(repeated[0]) == std::vector<word_id>{2, 2, 2, 2});
  CHECK(tokens_of(repeated[1]) == std::vector<word_id>{4, 4, 4, 4});
  CHECK(tokens_of(repeated[2]) == std::vector<word_id>{3, 3, 3, 3});
  const corpus rare = make_canaries(base, {.count = 2, .words = 2, .repeats = 1});
  CHECK(tokens_of(rare[0]) == std::vector<word_id>{2, 4});
  CHECK(tokens_of(rare[1]) == std::vector<word_id>{0, 3});
  CHECK(refusal([&] { make_canaries(base, {.count = 3, .words = 2}); }) ==
        "dplda::make_canaries: count is 3, but must be at most the vocabulary's size over words, 2");
  CHECK_THROWS_AS(make_canaries(base, {.words = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make_canaries(base, {.count = 1, .repeats = 0}), std::invalid_argument);
}

TEST_CASE("Added documents keep their ids and owners whoever else is there") {
  const corpus base = make_corpus({{0}, {1}, {2}}, 4, {0, 1, 0}, 2);
  const std::vector<std::size_t> shown{2, 0};
  const corpus some = base.select(shown);  // ids 2 and 0
  const corpus added = make_corpus({{3}, {3, 3}}, 4);
  const corpus both = add_documents(some, added, {true, true});
  const corpus second = add_documents(some, added, {false, true});
  REQUIRE(both.size() == 4);
  REQUIRE(second.size() == 3);
  CHECK(both[0].id == 2);
  CHECK(both[2].id == 3);
  CHECK(both[3].id == 4);
  CHECK(second[2].id == 4);
  CHECK(both.user(2) == 2);
  CHECK(both.user(3) == 3);
  CHECK(second.user(2) == 3);
  CHECK(tokens_of(second[2]) == std::vector<word_id>{3, 3});
  const corpus replaced = add_documents(some, added, {false, true}, left_out::empty_document);
  REQUIRE(replaced.size() == 4);
  CHECK(replaced[2].empty());
  CHECK(replaced[2].id == 3);
  CHECK_THROWS_AS(add_documents(some, added, {true}), std::invalid_argument);
  CHECK_THROWS_AS(add_documents(some, make_corpus({{0}}, 3), {true}), std::invalid_argument);
}

TEST_CASE("One run: a true claim stands, a false one falls") {
  auto random = seeded_random(1);
  const audit_options options{.canaries = {.count = 380, .repeats = 5}, .confidence = 0.999};
  const audit_report honest = one_run_audit(toy_learner{}, docs, random, options);
  CHECK(honest.claimed == gaussian_epsilon(1, delta));
  CHECK(honest.delta == delta);
  CHECK(honest.audited > 0.3);
  CHECK_FALSE(honest.refuted());
  const audit_report broken = one_run_audit(toy_learner{.claimed = 2.5, .actual = 0.25}, docs, random, options);
  CHECK(broken.refuted());
  const audit_report open = one_run_audit(plain_learner{}, docs, random, options);
  CHECK(open.audited > 2);
  CHECK(std::isinf(open.claimed));
  CHECK_FALSE(open.refuted());
}

TEST_CASE("Repeated runs: a true claim stands, half the noise falls") {
  auto random = seeded_random(2);
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 40);
  for (const auto relation : {neighbours::add_remove, neighbours::replace}) {
    const audit_options options{.canaries = {.words = 1, .repeats = 3}, .confidence = 0.999, .runs = 1500};
    audit_options gaussian = options;
    gaussian.gaussian = true;
    const audit_report honest = repeated_audit(toy_learner{.relation = relation}, small, random, gaussian);
    CHECK_FALSE(honest.refuted());
    CHECK(honest.audited > 0.6 * honest.claimed);
    CHECK_FALSE(repeated_audit(toy_learner{.relation = relation}, small, random, options).refuted());
    CHECK(repeated_audit(toy_learner{.actual = 0.5, .relation = relation}, small, random, gaussian).refuted());
  }
}

TEST_CASE("Audits have the same bits for any number of threads") {
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 20);
  const auto run = [&](std::size_t threads) {
    auto random = seeded_random(3);
    return repeated_audit(toy_learner{.actual = 0.2}, small, random, {.runs = 60, .threads = threads}).audited;
  };
  CHECK(run(1) == run(3));
  CHECK(run(1) > 0);
}

TEST_CASE("The report is a line") {
  std::ostringstream line;
  line << audit_report{.claimed = 1, .audited = 1.5, .delta = 1e-5, .confidence = 0.95, .method = "by hand"};
  CHECK(line.str() ==
        "claimed epsilon 1, audited at least 1.5 (delta 1e-05, confidence 0.95, by hand): the claim is refuted");
  std::ostringstream none;
  none << audit_report{.method = "x"};
  CHECK(none.str() == "no claim, audited at least 0 (delta 0, confidence 0.95, x)");
}

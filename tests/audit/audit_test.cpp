// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/audit.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

// One topic from word counts, each document scaled to norm 1, with Gaussian noise: `actual` is the added noise,
// `claimed` the noise of the guarantee.
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

// Always the same topic, with any claim and any ledger; `said` is the guarantee stated before the fit.
struct claiming_learner {
  dplda::guarantee said;
  dplda::guarantee claim;
  privacy_event event;

  const dplda::guarantee& guarantee() const { return said; }

  release<topic_model<>> fit(const corpus& input, random_source& random) const {
    ledger spent;
    spent.record(event);
    return release<topic_model<>>(plain_learner().fit(input, random), claim, spent);
  }
};

claiming_learner claiming(const dplda::guarantee& claim, const mechanism& noise, const sampling& seen = all_units{}) {
  return {claim, claim, {.noise = noise, .sampling = seen, .unit = claim.unit, .relation = claim.relation}};
}

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
  CHECK(refusal([&] { make_canaries(base, {.count = 0}); }) ==
        "dplda::make_canaries: count is 0, but must be at least 1");
  CHECK_THROWS_AS(make_canaries(base, {.words = 0}), std::invalid_argument);
  CHECK_THROWS_AS(make_canaries(base, {.count = 1, .repeats = 0}), std::invalid_argument);
}

TEST_CASE("Added documents keep their ids and owners whichever others are added") {
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

TEST_CASE("Added documents get unused ids even if the largest id is taken") {
  corpus_builder builder;
  for (int d = 0; d < 3; ++d) builder.end_document();
  builder.set_ids({std::numeric_limits<std::uint64_t>::max() - 1, 1, 0});
  const corpus base = builder.build(numbered_vocabulary(4));
  const corpus added = make_corpus({{3}, {3, 3}, {2}}, 4);
  const corpus all = add_documents(base, added, {true, true, true});
  CHECK(all[3].id == std::numeric_limits<std::uint64_t>::max());
  CHECK(all[4].id == 2);
  CHECK(all[5].id == 3);
  CHECK(add_documents(base, added, {false, false, true})[3].id == 3);
}

TEST_CASE("One run: a true claim is not refuted, a false one is") {
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
  CHECK(open.audited <= open.provable);
  REQUIRE(open.scores.size() == 380);
  CHECK(open.roc()->auc() == 1);
  CHECK(open.roc()->members() + open.roc()->others() == 380);
  CHECK(honest.roc()->auc() < 0.9);
  CHECK(std::isinf(open.claimed));
  CHECK_FALSE(open.refuted());
}

TEST_CASE("Repeated runs: a true claim is not refuted, half the noise is caught") {
  auto random = seeded_random(2);
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 40);
  for (const auto relation : {neighbours::add_remove, neighbours::replace}) {
    const audit_options options{.canaries = {.words = 1, .repeats = 3}, .confidence = 0.999, .runs = 1500};
    audit_options gaussian = options;
    gaussian.gaussian = true;
    const audit_report honest = repeated_audit(toy_learner{.relation = relation}, small, random, gaussian);
    CHECK_FALSE(honest.contradicted());
    CHECK(honest.audited > 0.6 * honest.claimed);
    CHECK_FALSE(repeated_audit(toy_learner{.relation = relation}, small, random, options).refuted());
    const audit_report half = repeated_audit(toy_learner{.actual = 0.5, .relation = relation}, small, random, gaussian);
    CHECK(half.contradicted());
    CHECK_FALSE(half.refuted());  // another kind of noise might keep the claim
    CHECK(half.premise == "the noise is Gaussian as the ledger says");
  }
}

TEST_CASE("One run by the ledger: a true claim is kept, and more is proven than without the ledger") {
  auto random = seeded_random(4);
  const audit_options options{.canaries = {.count = 380, .repeats = 5}, .confidence = 0.999, .by_ledger = true};
  const audit_report honest = one_run_audit(toy_learner{}, docs, random, options);
  REQUIRE(honest.by_ledger.has_value());
  CHECK(*honest.by_ledger > 1.2 * honest.audited);
  CHECK(*honest.by_ledger <= honest.claimed);
  std::ostringstream line;
  line << honest;
  CHECK(line.str().find("except for the scale of the noise") != std::string::npos);
  const audit_report less = one_run_audit(toy_learner{.actual = 0.2}, docs, random, options);
  CHECK(*less.by_ledger > less.claimed);
  CHECK_FALSE(less.refuted());  // without the ledger, too little is proven
  CHECK_FALSE(one_run_audit(plain_learner{}, docs, random, options).by_ledger.has_value());
  CHECK_FALSE(one_run_audit(toy_learner{}, docs, random, {.canaries = {.count = 10}}).by_ledger.has_value());
  CHECK(refusal([&] { repeated_audit(toy_learner{}, docs, random, {.runs = 5, .by_ledger = true}); }) ==
        "dplda::repeated_audit: by_ledger is true, but must be false: it is for one run");
}

TEST_CASE("Repeated runs with looks end at the first that contradicts the claim") {
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 40);
  audit_options options{.canaries = {.words = 1, .repeats = 3}, .runs = 1600, .gaussian = true, .looks = 5};
  auto random = seeded_random(5);
  const audit_report broken = repeated_audit(toy_learner{.actual = 0.2}, small, random, options);
  CHECK(broken.contradicted());
  CHECK(broken.scores.size() < 2 * 1600);
  CHECK(broken.method.find("planned looks") != std::string::npos);
  const audit_report honest = repeated_audit(toy_learner{}, small, random, options);
  CHECK_FALSE(honest.contradicted());
  CHECK(honest.scores.size() == 2 * 1600);
  CHECK(honest.audited > 0.5 * honest.claimed);
  CHECK(refusal([&] { repeated_audit(toy_learner{}, small, random, {.runs = 5, .looks = 0}); }) ==
        "dplda::repeated_audit: looks is 0, but must be at least 1");
}

TEST_CASE("Repeated runs that are stopped after a look keep what it proved") {
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 20);
  const toy_learner learner{.claimed = 0.1, .actual = 0.2};
  const audit_options options{.runs = 40, .looks = 2, .threads = 1};
  auto random = seeded_random(3), again = seeded_random(3), early = seeded_random(3);
  const audit_report at_look =
      repeated_audit(learner, small, random, options, [](const progress& now) { return now.step == 20; });
  const audit_report later =
      repeated_audit(learner, small, again, options, [](const progress& now) { return now.step == 33; });
  CHECK(at_look.undecided.empty());
  CHECK(at_look.audited > 0);
  REQUIRE(at_look.scores.size() == 40);
  std::vector<double> with, without;
  for (const auto& one : at_look.scores) (one.member ? with : without).push_back(one.score);
  CHECK(at_look.audited == audited_epsilon(with, without, {.delta = delta, .confidence = 0.975}));
  // What was seen between looks changes nothing.
  CHECK(later.audited == at_look.audited);
  CHECK(later.scores.size() == 66);
  const audit_report before =
      repeated_audit(learner, small, early, options, [](const progress& now) { return now.step == 19; });
  CHECK(before.audited == 0);
  CHECK_FALSE(before.undecided.empty());
}

// An honest mechanism whose canary's score is normal with the deviation of its noise. One look after each doubling, and
// the audit ends when it likes: all looks together may contradict one claim in ten. 300 audits: six standard deviations
// above 30 are 61, a chance below 1e-8.
TEST_CASE("All looks together have the confidence of one") {
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 4);
  auto random = seeded_random(6);
  int contradicted = 0;
  for (int i = 0; i < 300; ++i) {
    const audit_options options{.confidence = 0.9, .runs = 64, .gaussian = true, .looks = 6, .threads = 1};
    contradicted += repeated_audit(toy_learner{}, small, random, options).contradicted() ? 1 : 0;
  }
  CHECK(contradicted <= 61);
}

TEST_CASE("A bound with a premise refutes the claim only on that premise") {
  audit_report report{.claimed = 1, .audited = 1.5, .delta = 0, .confidence = 0.95, .method = "x"};
  CHECK(report.refuted());
  report.premise = "the noise is Gaussian as the ledger says";
  CHECK(report.contradicted());
  CHECK_FALSE(report.refuted());
  std::ostringstream line;
  line << report;
  CHECK(line.str().ends_with("): the claim is refuted if the noise is Gaussian as the ledger says"));
  report.audited = 0.5;
  CHECK_FALSE(report.contradicted());
}

TEST_CASE("One run refuses the Gaussian option") {
  auto random = seeded_random(2);
  CHECK(refusal([&] { audit(toy_learner{}, docs, random, {.gaussian = true}); }) ==
        "dplda::one_run_audit: gaussian is true, but must be false: it is for repeated runs");
}

TEST_CASE("Repeated runs that are stopped prove nothing") {
  const corpus small = make_corpus({{0, 1, 1}, {2, 0}, {0}}, 20);
  const toy_learner learner{.actual = 0.2};
  auto random = seeded_random(3);
  std::vector<std::size_t> steps;
  const audit_report whole = audit(learner, small, random, {.runs = 40, .threads = 3}, [&](const progress& now) {
    steps.push_back(now.step);  // by one thread at a time
    CHECK(now.steps == 40);
    return false;
  });
  REQUIRE(steps.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) CHECK(steps[i] == i + 1);
  CHECK(whole.scores.size() == 80);

  auto again = seeded_random(3);
  const audit_report part =
      audit(learner, small, again, {.runs = 40, .threads = 1}, [](const progress& now) { return now.step == 15; });
  REQUIRE(part.scores.size() == 30);
  CHECK(part.method == "15 runs with a canary and 15 without");
  // The scores are for inspection. A bound from them would use a number of runs that was chosen during the runs.
  for (std::size_t i = 0; i < 15; ++i) {
    CHECK(part.scores[i].score == whole.scores[i].score);
    CHECK(part.scores[15 + i].score == whole.scores[40 + i].score);
  }
  CHECK(whole.audited > 0);
  CHECK(part.audited == 0);
  CHECK(part.provable == 0);
  CHECK_FALSE(part.contradicted());
  CHECK(part.undecided ==
        "because the audit was stopped after 15 of 40 planned pairs of runs, and a bound holds for the planned number "
        "only");
  CHECK(detail::text(part).find("no verdict, because the audit was stopped") != std::string::npos);
  // A stop after the last pair has no effect.
  auto last = seeded_random(3);
  CHECK(audit(learner, small, last, {.runs = 40, .threads = 1}, [](const progress& now) {
          return now.step == 40;
        }).audited == whole.audited);
  auto once = seeded_random(3);
  CHECK(audit(learner, small, once, {.runs = 40}, [](const progress&) { return true; }).scores.size() == 2);
}

TEST_CASE("One run passes its observer to learners that take one") {
  // Learns nothing if it is stopped.
  struct stepping_learner {
    topic_model<> fit(const corpus& input, random_source& random, const observer& watch = {}) const {
      for (std::size_t step = 1; step <= 5; ++step) {
        if (watch && watch({step, 5})) return plain_learner().fit(input.slice(0, 0), random);
      }
      return plain_learner().fit(input, random);
    }
  };
  auto random = seeded_random(3);
  std::vector<std::size_t> steps;
  const auto look = [&](std::size_t last) {
    return audit(stepping_learner{}, docs, random, {}, [&, last](const progress& now) {
      steps.push_back(now.step);
      return now.step == last;
    });
  };
  CHECK(look(9).roc()->auc() == 1);
  CHECK(steps == std::vector<std::size_t>{1, 2, 3, 4, 5});
  CHECK(look(2).roc()->auc() < 1);  // from the stopped fit
  CHECK(steps.size() == 7);
  CHECK(audit(plain_learner{}, docs, random, {}, [](const progress&) { return true; }).roc()->auc() == 1);
}

TEST_CASE("Only Gaussian noise on all units is audited as Gaussian") {
  auto random = seeded_random(4);
  const audit_options options{.runs = 20, .gaussian = true};
  const dplda::guarantee claim{.epsilon = 1, .delta = delta};
  CHECK_NOTHROW(repeated_audit(claiming(claim, gaussian_noise{1}), docs, random, options));
  CHECK(
      refusal([&] { repeated_audit(claiming(claim, laplace_noise{1}), docs, random, options); }) ==
      "dplda::repeated_audit: gaussian is true, but must be false unless the release's ledger has only Gaussian noise "
      "on all units, without sampling");
  CHECK_THROWS_AS(repeated_audit(claiming(claim, gaussian_noise{1}, poisson_sample{0.1}), docs, random, options),
                  std::invalid_argument);
  CHECK_THROWS_AS(repeated_audit(claiming(claim, discrete_gaussian_noise{1}), docs, random, options),
                  std::invalid_argument);
  CHECK(refusal([&] { repeated_audit(plain_learner{}, docs, random, options); }) ==
        "dplda::repeated_audit: gaussian is true, but must be false unless a ledger says that all noise is Gaussian");
  CHECK_NOTHROW(repeated_audit(claiming(claim, laplace_noise{1}), docs, random, {.runs = 20}));
}

TEST_CASE("Claims about tokens and about another neighbouring relation are not audited") {
  auto random = seeded_random(5);
  const audit_options options{.canaries = {.count = 10}, .runs = 2};
  const auto tokens = claiming({.epsilon = 1, .delta = 0, .unit = privacy_unit::token}, laplace_noise{1});
  CHECK(refusal([&] { one_run_audit(tokens, docs, random, options); }) ==
        "dplda::one_run_audit: the claim's unit is token, but must be document or user: a canary has many tokens");
  CHECK_THROWS_AS(repeated_audit(tokens, docs, random, options), std::invalid_argument);
  auto later = tokens;  // known from the release alone
  later.said.unit = privacy_unit::document;
  CHECK_THROWS_AS(one_run_audit(later, docs, random, options), std::invalid_argument);

  auto replaced = claiming({.epsilon = 1, .delta = 0, .relation = neighbours::replace}, laplace_noise{1});
  CHECK_NOTHROW(one_run_audit(replaced, docs, random, options));
  replaced.said.relation = neighbours::add_remove;
  CHECK(refusal([&] { one_run_audit(replaced, docs, random, options); }) ==
        "dplda::one_run_audit: the release's neighbouring relation is replace, but must be that of the learner's "
        "guarantee(), or add_remove without one: canaries were left out accordingly");
  CHECK_THROWS_AS(repeated_audit(replaced, docs, random, options), std::invalid_argument);
}

TEST_CASE("Claims that admit a failure probability get no verdict") {
  auto random = seeded_random(6);
  const audit_options options{.canaries = {.count = 200}};
  const auto audited = [&](const dplda::guarantee& claim) {
    return one_run_audit(claiming(claim, laplace_noise{100}), docs, random, options);
  };
  CHECK(audited({.epsilon = 0.01, .delta = 0}).refuted());
  CHECK(audited({.epsilon = 0.01, .delta = 0, .unit = privacy_unit::user}).refuted());
  const audit_report published =
      audited({.epsilon = 0.01, .delta = 0, .basis = basis::as_published, .caveat = "a gap"});
  CHECK(published.audited > published.claimed);
  CHECK_FALSE(published.refuted());
  std::ostringstream line;
  line << published;
  CHECK(line.str().ends_with("): no verdict, because the claim is as published, not proven"));
  const audit_report random_privacy = audited({.epsilon = 0.01, .delta = 0, .gamma = 0.1});
  CHECK(random_privacy.audited > random_privacy.claimed);
  CHECK_FALSE(random_privacy.refuted());
  CHECK(random_privacy.undecided == "because the claim may fail with probability 0.1 over the data");
}

TEST_CASE("One run proves more by default than by a fifth of the canaries as guesses") {
  audit_options options{.canaries = {.count = 300}};
  auto random = seeded_random(8);
  const audit_report all = one_run_audit(plain_learner{}, docs, random, options);
  CHECK(all.audited == all.provable);
  CHECK(all.audited == Approx(4.1).margin(0.05));
  CHECK(all.method == "one run, 225 of 225 guesses right about 300 canaries");
  options.guesses = 60;
  const audit_report fifth = audit(plain_learner{}, docs, random, options);
  CHECK(fifth.audited == fifth.provable);
  CHECK(fifth.audited == Approx(2.97).margin(0.05));
}

TEST_CASE("Repeated runs keep the scores of both sides") {
  auto random = seeded_random(9);
  const audit_report open = audit(plain_learner{}, docs, random, {.runs = 50});
  CHECK(open.audited == open.provable);
  CHECK(open.provable == repeated_limit(50, 1e-5));
  REQUIRE(open.scores.size() == 100);
  CHECK(open.roc()->auc() == 1);
  CHECK(open.roc()->members() == 50);
  CHECK_FALSE(audit_report{}.roc().has_value());
  audit_report infinite;
  infinite.scores = {{std::numeric_limits<double>::infinity(), true},
                     {-std::numeric_limits<double>::infinity(), false}};
  CHECK(infinite.roc()->auc() == 1);
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

TEST_CASE("The report prints one line") {
  std::ostringstream line;
  line << audit_report{.claimed = 1, .audited = 1.5, .delta = 1e-5, .confidence = 0.95, .method = "by hand"};
  CHECK(line.str() ==
        "claimed epsilon 1, audited at least 1.5 (delta 1e-05, confidence 0.95, by hand): the claim is refuted");
  std::ostringstream none;
  none << audit_report{.method = "x"};
  CHECK(none.str() == "no claim, audited at least 0 (delta 0, confidence 0.95, x)");
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/published/park_svi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::document;
using dplda::seeded_random;
using dplda::detail::cap_lengths;
using dplda::published::park_chain;
using dplda::published::park_composition;
using dplda::published::park_sensitivity;
using dplda::published::park_svi;
using dplda::published::park_svi_options;
using dplda_tests::make_corpus;
using dplda_tests::refusal;
using dplda_tests::tokens_of;

namespace {

corpus small_corpus(std::size_t documents) {
  auto random = seeded_random(5);
  return dplda::synthetic_lda({.documents = documents, .words = 60, .topics = 4, .mean_length = 40}, random).docs;
}

corpus empty_documents(std::size_t documents, std::size_t words) {
  return make_corpus(std::vector<std::vector<dplda::word_id>>(documents), words);
}

}  // namespace

TEST_CASE("park_svi plans the noise of the paper's chain", "[park_svi]") {
  struct row {
    double epsilon;
    std::uint64_t batch;
    double multiplier;
  };
  for (const row& r :
       {row{0.5, 10, 0.955}, row{0.5, 100, 1.214}, row{0.5, 400, 1.447}, row{1, 10, 0.850}, row{1, 20, 0.902},
        row{1, 50, 0.981}, row{1, 100, 1.050}, row{1, 200, 1.129}, row{1, 400, 1.219}}) {
    CAPTURE(r.epsilon, r.batch);
    const park_svi_options options{.documents = 400000, .batch = r.batch, .steps = 160000 / r.batch};
    const park_svi learner(options, {r.epsilon, 1e-4});
    const auto& plan = learner.plan();
    CHECK(plan.noise / 500 == Catch::Approx(r.multiplier).margin(6e-4));
    const auto step = park_chain({r.epsilon, 1e-4}, options.steps, static_cast<double>(r.batch) / 400000, 1e-6,
                                 park_composition::zcdp);
    CHECK(plan.step.multiplier == step.multiplier);
    CHECK(plan.step.iteration == step.iteration);

    // The claim is the budget; the proven price, under replace, is well below it at these settings.
    CHECK(plan.guarantee.epsilon == r.epsilon);
    CHECK(plan.guarantee.delta == 1e-4);
    CHECK(plan.guarantee.basis == dplda::basis::as_published);
    CHECK(plan.guarantee.relation == dplda::neighbours::replace);
    CHECK(plan.guarantee.accountant == dplda::accountant::zcdp);
    CHECK(plan.cost.basis == dplda::basis::proven);
    CHECK(plan.cost.epsilon > 0.02);
    CHECK(plan.cost.epsilon < 0.4 * r.epsilon);
  }
}

TEST_CASE("park_svi: noise falls from linear to advanced to zCDP composition", "[park_svi]") {
  double last = std::numeric_limits<double>::infinity();
  const std::vector<dplda::accountant> rules{dplda::accountant::linear, dplda::accountant::advanced,
                                             dplda::accountant::zcdp};
  for (const park_composition composition :
       {park_composition::linear, park_composition::advanced, park_composition::zcdp}) {
    const park_svi learner({.documents = 400000, .composition = composition}, {1, 1e-4});
    CHECK(learner.plan().noise < 0.8 * last);
    CHECK(learner.guarantee().accountant == rules[static_cast<std::size_t>(composition)]);
    const bool zcdp = learner.guarantee().caveat.find("zCDP") != std::string::npos;
    CHECK(zcdp == (composition == park_composition::zcdp));
    last = learner.plan().noise;
  }
}

TEST_CASE("park_svi: the claimed epsilon may be below the proven one, and the plan shows it", "[park_svi]") {
  const park_svi learner({.documents = 1000, .batch = 1, .steps = 1}, {0.06, 1e-12});
  CHECK(learner.plan().cost.epsilon > learner.guarantee().epsilon);
}

TEST_CASE("park_svi: the literal sensitivity is labelled as not private", "[park_svi]") {
  const park_svi_options options{.documents = 400000, .sensitivity = park_sensitivity::literal};
  const park_svi learner(options, {1, 1e-4});
  CHECK(learner.plan().noise == Catch::Approx(1.050 * 500 * 100 / 400000).epsilon(1e-3));
  CHECK(learner.plan().cost.epsilon > 1e6);
  std::ostringstream printed;
  printed << learner.guarantee();
  CHECK(printed.str().find("is claimed, not proven") != std::string::npos);
  CHECK(printed.str().find("this is not private") != std::string::npos);
  CHECK(printed.str().find("4000 times too little") != std::string::npos);
  const park_svi right({.documents = 400000}, {1, 1e-4});
  CHECK(right.guarantee().caveat.find("not private") == std::string::npos);
  CHECK(right.guarantee().caveat.find("sqrt(2)") != std::string::npos);
  // On the whole corpus both are the same.
  const park_svi whole({.documents = 100, .steps = 1, .sensitivity = park_sensitivity::literal}, {1, 1e-4});
  CHECK(whole.guarantee().caveat.find("not private") == std::string::npos);
}

TEST_CASE("park_svi refuses invalid options and corpora", "[park_svi]") {
  const auto says = [](const park_svi_options& options, const char* what, dplda::budget total = {1, 1e-4}) {
    const std::string message = refusal([&] { park_svi(options, total); });
    CAPTURE(message, what);
    CHECK(message.find(what) != std::string::npos);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  says({.documents = 0}, "documents is 0");
  says({.topics = 0, .documents = 1000}, "topics is 0");
  says({.documents = 1000, .batch = 0}, "batch is 0");
  says({.documents = 99, .batch = 100}, "batch is 100, but must lie in [1, 99]");
  says({.documents = 1000, .steps = 0}, "steps is 0");
  says({.documents = 1000, .length_cap = 0}, "length_cap is 0");
  says({.documents = 1000, .alpha = -1}, "alpha is -1");
  says({.documents = 1000, .eta = nan}, "eta is nan");
  says({.documents = 1000, .tau0 = -1}, "tau0 is -1");
  says({.documents = 1000, .kappa = 0.5}, "kappa is 0.5");
  says({.documents = 1000, .delta_iter = 0}, "delta_iter is 0");
  says({.documents = 1000, .document_iterations = 0}, "document_iterations is 0");
  says({.documents = 1000, .document_tolerance = nan}, "document_tolerance is nan");
  says({.documents = 1000}, "epsilon is 0", {0, 1e-4});
  says({.documents = 1000}, "delta is 0", {1, 0});
  says({.documents = 1000, .composition = park_composition::linear}, "must be below delta", {1, 1e-4});
  says({.documents = 1000}, "noise multiplier", {1e-18, 1e-4});
  says({.documents = 1000, .steps = 1}, "epsilon is 1e+06, but must be smaller: at this value a step needs no noise",
       {1e6, 1e-4});

  const park_svi learner({.topics = 2, .documents = 4, .batch = 2, .steps = 1}, {1, 1e-4});
  auto random = seeded_random(1);
  CHECK(refusal([&] { learner.fit(small_corpus(3), random); }).find("is 3, but must be the planned 4") !=
        std::string::npos);
  CHECK(refusal([&] { learner.fit(empty_documents(4, 0), random); }).find("vocabulary is empty") != std::string::npos);
  const corpus docs = small_corpus(4);
  const std::vector<std::size_t> twice{0, 1, 2, 2};
  CHECK(refusal([&] { learner.fit(docs.select(twice), random); }).find("id of two documents") != std::string::npos);
}

TEST_CASE("the length cap keeps at most the given number of a document's own tokens", "[park_svi]") {
  const corpus docs = small_corpus(300);
  const auto random = seeded_random(3);
  const corpus capped = cap_lengths(docs, 30, random);
  REQUIRE(capped.size() == docs.size());
  CHECK(capped.vocab() == docs.vocab());
  std::size_t shortened = 0;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const auto before = tokens_of(docs[d]), after = tokens_of(capped[d]);
    CHECK(after.size() == std::min<std::size_t>(30, before.size()));
    CHECK(std::includes(before.begin(), before.end(), after.begin(), after.end()));
    CHECK(capped[d].id == docs[d].id);
    shortened += after.size() < before.size();
  }
  CHECK(shortened > 200);

  // A document is cut in the same way whatever the other documents are.
  const std::vector<std::size_t> some{250, 7, 100};
  const corpus part = cap_lengths(docs.select(some), 30, random);
  for (std::size_t i = 0; i < some.size(); ++i) CHECK(tokens_of(part[i]) == tokens_of(capped[some[i]]));
  // Users stay.
  const corpus owned = cap_lengths(make_corpus({{0, 0, 1}, {1, 1, 1}}, 2, {1, 0}, 2), 2, random);
  CHECK(owned.has_users());
  CHECK(owned.user(0) == 1);
  CHECK(owned[1].length() == 2);
}

TEST_CASE("the length cap takes every choice of tokens with the same probability", "[park_svi]") {
  constexpr std::size_t count = 20000;
  const corpus docs = make_corpus(std::vector<std::vector<dplda::word_id>>(count, {0, 0, 0, 2, 2}), 3);
  const corpus capped = cap_lengths(docs, 2, seeded_random(11));
  std::map<std::vector<dplda::word_id>, double> seen;
  for (std::size_t d = 0; d < count; ++d) seen[tokens_of(capped[d])] += 1;
  const std::map<std::vector<dplda::word_id>, double> law{{{0, 0}, 0.3}, {{0, 2}, 0.6}, {{2, 2}, 0.1}};
  REQUIRE(seen.size() == law.size());
  double chi_square = 0;
  for (const auto& [tokens, probability] : law) {
    const double expected = probability * count;
    chi_square += (seen[tokens] - expected) * (seen[tokens] - expected) / expected;
  }
  CHECK(chi_square < 13.8);  // exceeded with probability 0.001

  // Counts of billions are no more work than the cap.
  dplda::corpus_builder builder;
  builder.add(0, 4'000'000'000u);
  builder.add(1, 4'000'000'000u);
  builder.end_document();
  const corpus huge = cap_lengths(dplda_tests::made_up(builder, 2), 1000, seeded_random(2));
  REQUIRE(huge[0].length() == 1000);
  CHECK(huge[0].counts[0] == Catch::Approx(500).margin(80));
}

TEST_CASE("park_svi: a fit records the planned ledger, and the result does not depend on threads", "[park_svi]") {
  const corpus docs = small_corpus(200);
  const auto fit = [&](std::size_t threads, std::uint64_t seed) {
    const park_svi learner(
        {.topics = 4, .documents = 200, .batch = 50, .steps = 6, .length_cap = 30, .threads = threads}, {50, 1e-4});
    auto random = seeded_random(seed);
    return learner.fit(docs, random);
  };
  const auto one = fit(1, 7);
  CHECK(fit(2, 7).value().phi() == one.value().phi());
  CHECK(fit(3, 7).value().phi() == one.value().phi());
  CHECK(fit(1, 8).value().phi() != one.value().phi());

  const park_svi learner({.topics = 4, .documents = 200, .batch = 50, .steps = 6, .length_cap = 30}, {50, 1e-4});
  REQUIRE(one.ledger().entries().size() == 1);
  const auto& [event, count] = one.ledger().entries()[0];
  CHECK(count == 6);
  CHECK(event == learner.plan().ledger.entries()[0].event);
  CHECK(learner.plan().ledger.entries()[0].count == 6);
  CHECK(std::get<dplda::fixed_size_sample>(event.sampling) == dplda::fixed_size_sample{50, 200});
  CHECK(event.relation == dplda::neighbours::replace);
  CHECK(std::get<dplda::gaussian_noise>(event.noise).multiplier ==
        Catch::Approx(learner.plan().step.multiplier / std::numbers::sqrt2).epsilon(1e-14));
  CHECK(dplda::price(one.ledger(), 1e-4).epsilon == learner.plan().cost.epsilon);
  CHECK(one.guarantee().basis == dplda::basis::as_published);
  CHECK(one.guarantee().epsilon == 50);
  CHECK(one.guarantee().seeded);

  // Stopping releases nothing.
  auto random = seeded_random(7);
  std::vector<std::size_t> steps;
  CHECK(dplda_tests::stopped([&] {
    learner.fit(docs, random, [&](const dplda::progress& now) {
      steps.push_back(now.step);
      CHECK(now.steps == 6);
      return now.step == 2;
    });
  }));
  CHECK(steps == std::vector<std::size_t>{1, 2});
}

TEST_CASE("park_svi: the noise has the planned size, and negative sums become zero", "[park_svi]") {
  // Without tokens lambda is (1 - rho) Gamma(100)/100 + rho (eta + D/S max(0, noise)).
  constexpr std::size_t words = 20000;
  constexpr double documents = 1000, batch = 10, cap = 7;
  const corpus docs = empty_documents(1000, words);
  for (const park_sensitivity sensitivity : {park_sensitivity::batch, park_sensitivity::literal}) {
    const park_svi learner({.topics = 1,
                            .documents = 1000,
                            .batch = 10,
                            .steps = 1,
                            .length_cap = 7,
                            .eta = 1e-3,
                            .tau0 = 2,
                            .kappa = 1,
                            .sensitivity = sensitivity},
                           {0.05, 1e-4});
    auto random = seeded_random(13);
    const auto released = learner.fit(docs, random);
    std::vector<double> phi(released.value().phi().data(), released.value().phi().data() + words);
    std::sort(phi.begin(), phi.end());
    CHECK(phi.front() > 0);
    // Nearly half of the cells got no more than their start, whose mean is 1 - rho: that tells the scale.
    const double rho = 1 / 3.0;
    double low = 0;
    for (std::size_t i = 0; i < words / 4; ++i) low += phi[i];
    const double noise =
        learner.plan().step.multiplier * cap * (sensitivity == park_sensitivity::batch ? documents / batch : 1);
    // The mean of all cells is 1 / words.
    const double mean = (1 - rho) + rho * (1e-3 + noise / std::sqrt(2 * std::numbers::pi));
    const double scale = mean * words;  // of lambda over phi
    // The lower half is the start of cells with a negative sum: Gamma(100)/100 below its median, mean 0.92.
    CHECK(low * scale / (words / 4.0) == Catch::Approx((1 - rho) * 0.917).epsilon(0.03));
    double second = 0;
    for (const double p : phi) second += std::pow(p * scale - (1 - rho), 2) / words;
    CHECK(std::sqrt(second) == Catch::Approx(rho * noise / std::sqrt(2.0)).epsilon(0.03));
  }
}

TEST_CASE("park_svi: with next to no noise topics are as good as those of the plain engine", "[park_svi]") {
  auto random = seeded_random(21);
  const auto data = dplda::synthetic_lda({.documents = 2200, .words = 150, .topics = 4, .mean_length = 50}, random);
  const corpus train = data.docs.slice(0, 2000), test = data.docs.slice(2000, 2200);
  const park_svi learner({.topics = 4,
                          .documents = 2000,
                          .batch = 500,
                          .steps = 60,
                          .length_cap = 100,
                          .alpha = 0.1,
                          .eta = 0.01,
                          .tau0 = 10,
                          .sensitivity = park_sensitivity::literal},
                         {1e5, 1e-4});
  auto first = seeded_random(1), second = seeded_random(1);
  const auto released = learner.fit(train, first);
  const auto plain = dplda::svi({.topics = 4, .passes = 15, .batch_size = 500}).fit(train, second);
  const double here = dplda::document_completion_perplexity(released.value(), test).perplexity;
  const double there = dplda::document_completion_perplexity(plain, test).perplexity;
  const double unigram = dplda::unigram_perplexity(train, test).perplexity;
  CAPTURE(here, there, unigram);
  CHECK(here < 1.03 * there);
  CHECK(here < 0.8 * unigram);

  // At the paper's budget with the right sensitivity nothing is left of the topics.
  const park_svi noisy({.topics = 4, .documents = 2000, .batch = 10, .steps = 80, .length_cap = 100}, {1, 1e-4});
  auto third = seeded_random(1);
  CHECK(dplda::document_completion_perplexity(noisy.fit(train, third).value(), test).perplexity > unigram);
}

TEST_CASE("park_svi: one topic, one word, priors that underflow and empty documents work", "[park_svi]") {
  for (const double eta : {1e-12, 1e-3, 1e6}) {
    const park_svi learner(
        {.topics = 3, .documents = 5, .batch = 5, .steps = 4, .length_cap = 4, .eta = eta, .tau0 = 0}, {2, 1e-4});
    auto random = seeded_random(4);
    const auto model = learner.fit(make_corpus({{0}, {}, {1, 1, 1, 1, 1, 1}, {2, 3}, {3}}, 5), random).value();
    CHECK(model.phi().allFinite());
    CHECK(model.alpha()[0] == Catch::Approx(1.0 / 3));
  }
  const park_svi tiny({.topics = 1, .documents = 1, .batch = 1, .steps = 1}, {1, 1e-4});
  auto random = seeded_random(4);
  CHECK(tiny.fit(make_corpus({{0}}, 1), random).value().phi()(0, 0) == 1);
}

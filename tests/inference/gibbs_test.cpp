// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/gibbs/detail/count_histogram.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

// Chi-square tests of independent runs compare the chain with enumeration at dplda_tests::suite_level (10^-12 per
// test). Conditionals that are wrong in one term must be rejected at the same level.

using dplda::corpus;
using dplda::gibbs;
using dplda::gibbs_options;
using dplda::gibbs_state;
using dplda::seeded_random;
using dplda_tests::chi_square_test;
using dplda_tests::make_corpus;
using dplda_tests::refusal;
using dplda_tests::suite_level;

namespace {

using topics_of_tokens = std::vector<std::uint32_t>;

// Which term of the conditional is left out.
enum class mistake { none, counts_itself, no_total };

// A corpus as lists of tokens, and its priors: the conditionals as the textbook writes them.
struct textbook {
  std::vector<std::size_t> document;
  std::vector<dplda::word_id> word;
  Eigen::VectorXd alpha, eta;

  textbook(const corpus& docs, Eigen::VectorXd a, Eigen::VectorXd e) : alpha(std::move(a)), eta(std::move(e)) {
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (const dplda::word_id w : dplda_tests::tokens_of(docs[d])) {
        document.push_back(d);
        word.push_back(w);
      }
    }
  }

  std::vector<double> conditional(const topics_of_tokens& z, std::size_t token, mistake wrong) const {
    Eigen::VectorXd in_document = alpha, of_word = Eigen::VectorXd::Constant(alpha.size(), eta[word[token]]),
                    total = Eigen::VectorXd::Constant(alpha.size(), eta.sum());
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (i == token && wrong != mistake::counts_itself) continue;
      const auto k = static_cast<Eigen::Index>(z[i]);
      if (document[i] == document[token]) in_document[k] += 1;
      if (word[i] == word[token]) of_word[k] += 1;
      total[k] += 1;
    }
    Eigen::ArrayXd p = in_document.array() * of_word.array();
    if (wrong != mistake::no_total) p /= total.array();
    p /= p.sum();
    return {p.begin(), p.end()};
  }

  // log p(words, z), up to a constant.
  double log_joint(const topics_of_tokens& z) const {
    std::map<std::pair<std::size_t, std::uint32_t>, double> in_document, of_word;
    std::map<std::uint32_t, double> total;
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {  // token by token: each given the ones before it
      const auto k = static_cast<Eigen::Index>(z[i]);
      sum += std::log(alpha[k] + in_document[{document[i], z[i]}]++) +
             std::log(eta[word[i]] + of_word[{word[i], z[i]}]++) - std::log(eta.sum() + total[z[i]]++);
    }
    return sum;
  }
};

std::vector<topics_of_tokens> all_assignments(std::size_t tokens, std::uint32_t topics) {
  std::vector<topics_of_tokens> all{topics_of_tokens(tokens, 0)};
  for (;;) {
    topics_of_tokens next = all.back();
    std::size_t i = 0;
    while (i < tokens && ++next[i] == topics) next[i++] = 0;
    if (i == tokens) return all;
    all.push_back(next);
  }
}

std::size_t place(const topics_of_tokens& z, std::size_t topics) {
  std::size_t index = 0;
  for (std::size_t i = z.size(); i-- > 0;) index = index * topics + z[i];
  return index;
}

topics_of_tokens assignments_of(const gibbs_state<>& state) {
  return {state.assignments().begin(), state.assignments().end()};
}

void check_counts(const gibbs_state<>& state) {
  const corpus& docs = state.docs();
  std::vector<std::vector<std::uint32_t>> counts(docs.words(), std::vector<std::uint32_t>(state.topics()));
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(state.topics()));
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const auto tokens = dplda_tests::tokens_of(docs[d]);
    const auto z = state.assignments(d);
    REQUIRE(z.size() == tokens.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      REQUIRE(z[i] < state.topics());
      ++counts[tokens[i]][z[i]];
      totals[static_cast<Eigen::Index>(z[i])] += 1;
    }
  }
  CHECK(state.topic_totals() == totals);
  std::size_t wrong = 0;
  for (dplda::word_id w = 0; w < docs.words(); ++w) {
    for (std::size_t k = 0; k < state.topics(); ++k) wrong += state.count(w, k) != counts[w][k];
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a sweep moves as the conditionals say, and keeps the posterior", "[gibbs]") {
  // Two documents, repeated words, asymmetric priors: 2^5 assignments of two topics, 3^5 of three.
  const corpus docs = make_corpus({{0, 0, 1}, {1, 2}}, 3);
  const std::uint32_t topics = GENERATE(2u, 3u);
  Eigen::VectorXd alpha(topics), eta(3);
  for (std::uint32_t k = 0; k < topics; ++k) alpha[k] = 0.3 + 0.4 * k;
  eta << 0.2, 0.5, 0.1;
  const textbook book(docs, alpha, eta);
  const gibbs<> sampler({.topics = topics, .alpha = alpha, .eta = eta});
  const auto states = all_assignments(5, topics);
  std::vector<double> posterior;
  for (const auto& z : states) posterior.push_back(std::exp(book.log_joint(z)));
  double sum = 0;
  for (const double p : posterior) sum += p;
  for (double& p : posterior) p /= sum;

  constexpr std::size_t runs = 40000;
  auto random = seeded_random(topics);
  SECTION("transitions") {
    const topics_of_tokens from{1, 0, 1, 1, 0};
    std::vector<std::uint64_t> seen(states.size());
    for (std::size_t run = 0; run < runs; ++run) {
      auto state = sampler.start(docs, random, from);
      sampler.sweep(state);
      ++seen[place(assignments_of(state), topics)];
    }
    for (const mistake wrong : {mistake::none, mistake::counts_itself, mistake::no_total}) {
      std::vector<double> expected;
      for (const auto& to : states) {
        double p = 1;
        topics_of_tokens z = from;
        for (std::size_t i = 0; i < z.size(); ++i) {
          p *= book.conditional(z, i, wrong)[to[i]];
          z[i] = to[i];
        }
        expected.push_back(p);
      }
      const double p = chi_square_test(seen, expected);
      CAPTURE(static_cast<int>(wrong), p);
      CHECK((p > suite_level) == (wrong == mistake::none));
    }
  }
  SECTION("the posterior") {
    const dplda::detail::discrete_sampler exact(posterior);
    auto bits = random.stream("exact");
    std::vector<std::uint64_t> seen(states.size());
    for (std::size_t run = 0; run < runs; ++run) {
      auto state = sampler.start(docs, random, states[exact(bits)]);
      for (int i = 0; i < 3; ++i) sampler.sweep(state);
      ++seen[place(assignments_of(state), topics)];
    }
    CHECK(chi_square_test(seen, posterior) > suite_level);
    std::vector<double> prior(states.size(), 1.0 / static_cast<double>(states.size()));
    CHECK(chi_square_test(seen, prior) < suite_level);
  }
  SECTION("the log-likelihood differs from the joint probability by a constant") {
    const auto value = [&](const topics_of_tokens& z) { return sampler.start(docs, random, z).log_likelihood(); };
    const double base = value(states[0]) - book.log_joint(states[0]);
    for (const auto& z : states) CHECK(value(z) - book.log_joint(z) == Catch::Approx(base).epsilon(1e-10));
  }
}

TEST_CASE("with many topics, the posterior of which tokens share a topic is kept", "[gibbs]") {
  // Under a symmetric alpha only the pattern matters: of 5 tokens there are 52. A pattern of m topics stands for
  // topics (topics - 1) ... (topics - m + 1) assignments.
  const corpus docs = make_corpus({{0, 0, 1}, {0, 2}}, 3);
  const std::uint32_t topics = GENERATE(12u, 40u, 300u, 1000u);
  const double alpha = 1.0 / topics, eta = 0.4;
  const textbook book(docs, Eigen::VectorXd::Constant(topics, alpha), Eigen::VectorXd::Constant(3, eta));
  const auto pattern_of = [](const topics_of_tokens& z) {
    topics_of_tokens pattern, seen;
    for (const std::uint32_t topic : z) {
      const auto at = std::find(seen.begin(), seen.end(), topic);
      pattern.push_back(static_cast<std::uint32_t>(at - seen.begin()));
      if (at == seen.end()) seen.push_back(topic);
    }
    return pattern;
  };
  std::vector<topics_of_tokens> patterns;
  std::vector<double> posterior;
  for (const auto& z : all_assignments(5, 5)) {
    if (pattern_of(z) != z) continue;
    patterns.push_back(z);
    double p = std::exp(book.log_joint(z));
    for (std::uint32_t m = 0; m <= *std::max_element(z.begin(), z.end()); ++m) p *= topics - m;
    posterior.push_back(p);
  }
  REQUIRE(patterns.size() == 52);
  double sum = 0;
  for (const double p : posterior) sum += p;
  for (double& p : posterior) p /= sum;

  const gibbs<> sampler({.topics = topics, .alpha = alpha, .eta = eta});
  const dplda::detail::discrete_sampler exact(posterior);
  auto random = seeded_random(topics);
  auto bits = random.stream("exact");
  std::vector<std::uint64_t> seen(52);
  for (int run = 0; run < 15000; ++run) {
    // Topic numbers are spread over the packs, and differ from run to run.
    topics_of_tokens z = patterns[exact(bits)];
    const auto shift = static_cast<std::uint32_t>(dplda::uniform_below(bits, topics));
    for (std::uint32_t& topic : z) topic = (topic * (topics / 5) + shift) % topics;
    auto state = sampler.start(docs, random, z);
    for (int i = 0; i < 3; ++i) sampler.sweep(state);
    const auto at = std::find(patterns.begin(), patterns.end(), pattern_of(assignments_of(state)));
    ++seen[static_cast<std::size_t>(at - patterns.begin())];
  }
  CHECK(chi_square_test(seen, posterior) > suite_level);
  // A posterior with another eta is rejected.
  const textbook other(docs, book.alpha, Eigen::VectorXd::Constant(3, 1.5 * eta));
  std::vector<double> wrong;
  sum = 0;
  for (std::size_t i = 0; i < 52; ++i) {
    wrong.push_back(posterior[i] * std::exp(other.log_joint(patterns[i]) - book.log_joint(patterns[i])));
    sum += wrong.back();
  }
  for (double& p : wrong) p /= sum;
  CHECK(chi_square_test(seen, wrong) < suite_level);
}

TEST_CASE("the first draw of a sweep follows its conditional for every number of topics", "[gibbs]") {
  const std::uint32_t topics = GENERATE(1u, 8u, 20u, 32u, 33u, 100u, 129u, 1000u);
  // The first document has one word among others; the rest is 150 tokens with topics that are far from uniform.
  std::vector<std::vector<dplda::word_id>> tokens{{2, 2, 5}};
  auto source = seeded_random(topics);
  auto bits = source.stream("corpus");
  const auto skewed = [&](std::uint64_t n) {
    return std::min(dplda::uniform_below(bits, n), dplda::uniform_below(bits, n));
  };
  for (int d = 0; d < 15; ++d) {
    tokens.emplace_back();
    for (int i = 0; i < 10; ++i) tokens.back().push_back(static_cast<dplda::word_id>(skewed(7)));
  }
  const corpus docs = make_corpus(tokens, 7);
  topics_of_tokens from;
  for (std::size_t i = 0; i < docs.tokens(); ++i) from.push_back(static_cast<std::uint32_t>(skewed(topics)));
  Eigen::VectorXd alpha(topics);
  for (std::uint32_t k = 0; k < topics; ++k) alpha[k] = k % 3 == 0 ? 0.2 : 0.05;
  const textbook book(docs, alpha, Eigen::VectorXd::Constant(7, 0.1));
  const gibbs<> sampler({.topics = topics, .alpha = alpha, .eta = 0.1});

  std::vector<std::uint64_t> seen(topics);
  constexpr std::size_t runs = 12000;
  for (std::size_t run = 0; run < runs; ++run) {
    auto state = sampler.start(docs, source, from);
    sampler.sweep(state);
    ++seen[state.assignments()[0]];
  }
  if (topics == 1) {
    CHECK(seen[0] == runs);
    return;
  }
  CHECK(chi_square_test(seen, book.conditional(from, 0, mistake::none)) > suite_level);
  CHECK(chi_square_test(seen, book.conditional(from, 0, mistake::counts_itself)) < suite_level);
  CHECK(chi_square_test(seen, book.conditional(from, 0, mistake::no_total)) < suite_level);
}

TEST_CASE("counts match the assignments after sweeps of any kind", "[gibbs]") {
  const auto data = dplda::synthetic_lda(
      {.documents = 150, .words = 120, .topics = 5, .mean_length = 40, .length = dplda::length_law::log_normal},
      seeded_random(1));
  for (const std::size_t topics : {1u, 20u, 40u, 600u}) {
    for (const std::size_t shards : {1u, 2u, 70u}) {
      const gibbs<> sampler({.topics = topics, .shards = shards, .threads = 2});
      auto random = seeded_random(3);
      auto state = sampler.start(data.docs, random);
      const auto before = assignments_of(state);
      for (int i = 0; i < 2; ++i) sampler.sweep(state);
      check_counts(state);
      CHECK((assignments_of(state) != before) == (topics > 1));
    }
  }
}

TEMPLATE_TEST_CASE("the number of threads changes no bit of Gibbs sampling", "[gibbs]", float, double) {
  const auto data = dplda::synthetic_lda(
      {.documents = 120, .words = 100, .topics = 6, .length = dplda::length_law::log_normal}, seeded_random(2));
  for (const std::size_t topics : {11u, 300u}) {
    for (const std::size_t shards : {1u, 3u, 8u}) {
      gibbs_options options{.topics = topics,
                            .burn_in = 6,
                            .samples = 2,
                            .spacing = 2,
                            .learn_alpha = true,
                            .learn_eta = true,
                            .prior_start = 2,
                            .prior_interval = 2,
                            .calm_threshold = 1e-9,
                            .shards = shards,
                            .threads = 1};
      auto random = seeded_random(9);
      const auto one = gibbs<TestType>(options).fit(data.docs, random);
      for (const std::size_t threads : {2u, 5u}) {
        options.threads = threads;
        auto again = seeded_random(9);
        const auto many = gibbs<TestType>(options).fit(data.docs, again);
        CHECK(many.phi() == one.phi());
        CHECK(many.alpha() == one.alpha());
      }
      auto other = seeded_random(10);
      CHECK(gibbs<TestType>(options).fit(data.docs, other).phi() != one.phi());
      CHECK(gibbs<TestType>(options).fit(data.docs, random).phi() != one.phi());  // a second fit draws anew
    }
  }
}

TEST_CASE("topics of a synthetic corpus are found again, with any number of shards", "[gibbs]") {
  const auto data =
      dplda::synthetic_lda({.documents = 500, .words = 150, .topics = 5, .zipf_exponent = 0.5}, seeded_random(4));
  for (const std::size_t shards : {1u, 4u}) {
    const gibbs<> learner({.topics = 5, .burn_in = 50, .samples = 5, .spacing = 3, .shards = shards});
    auto random = seeded_random(3);
    // One chain in eight keeps two topics merged for long; the likeliest of three does not.
    auto best = learner.fit_state(data.docs, random);
    for (int i = 0; i < 2; ++i) {
      auto state = learner.fit_state(data.docs, random);
      if (state.log_likelihood() > best.log_likelihood()) best = std::move(state);
    }
    CHECK(best.sweeps() == 65);
    CHECK(best.samples() == 5);
    const auto model = best.model();
    const auto aligned = dplda::select_topics(model, dplda::align_topics(model, data.model));
    for (const double l1 : dplda::distance_per_topic(aligned, data.model, dplda::topic_distance::l1)) CHECK(l1 < 0.25);
    CHECK((model.phi().rowwise().sum().array() - 1).abs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("the model is the average of the sampled states", "[gibbs]") {
  const auto data = dplda::synthetic_lda({.documents = 60, .words = 40, .topics = 3}, seeded_random(5));
  const gibbs<> learner({.topics = 4, .burn_in = 3, .samples = 4, .spacing = 2, .eta = 0.3});
  auto random = seeded_random(1);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(4, 40);
  std::size_t sweeps = 0;
  const auto state = learner.fit_state(data.docs, random, [&](const dplda::progress& p, const gibbs_state<>& now) {
    CHECK(p.step == ++sweeps);
    CHECK(p.steps == 11);
    Eigen::MatrixXd phi(4, 40);
    for (Eigen::Index k = 0; k < 4; ++k) {
      for (Eigen::Index v = 0; v < 40; ++v) {
        phi(k, v) = (now.count(static_cast<dplda::word_id>(v), static_cast<std::size_t>(k)) + 0.3) /
                    (now.topic_totals()[k] + 0.3 * 40);
      }
    }
    if (p.step > 3 && (p.step - 3) % 2 == 0) sum += phi;
    if (p.step <= 3) CHECK(now.model().phi().isApprox(phi, 1e-12));  // no sample yet: the last state's
    return false;
  });
  CHECK(state.samples() == 4);
  CHECK(state.model().phi().isApprox(sum / 4, 1e-12));
}

TEST_CASE("a stopped fit resumes to the same result", "[gibbs]") {
  const auto data = dplda::synthetic_lda({.documents = 80, .words = 60, .topics = 3}, seeded_random(6));
  const gibbs<> learner({.topics = 6,
                         .burn_in = 8,
                         .samples = 3,
                         .spacing = 2,
                         .learn_alpha = true,
                         .prior_start = 4,
                         .prior_interval = 3});
  auto random = seeded_random(1);
  const auto whole = learner.fit_state(data.docs, random);
  CHECK(whole.sweeps() == 14);
  for (const std::size_t stop : {1u, 4u, 8u, 11u, 14u}) {
    auto again = seeded_random(1);
    auto state = learner.fit_state(data.docs, again, [&](const dplda::progress& p) { return p.step == stop; });
    CHECK(state.sweeps() == stop);
    auto copy = state;
    learner.resume(state);
    learner.resume(copy);
    CHECK(state.sweeps() == 14);
    CHECK(assignments_of(state) == assignments_of(whole));
    CHECK(state.model().phi() == whole.model().phi());
    CHECK(copy.model().phi() == whole.model().phi());
    CHECK(state.alpha() == whole.alpha());
  }
}

TEST_CASE("the burn-in ends when the perplexity settles", "[gibbs]") {
  const auto data = dplda::synthetic_lda({.documents = 400, .words = 100, .topics = 3}, seeded_random(7));
  const gibbs<> learner(
      {.topics = 3, .burn_in = 500, .samples = 2, .spacing = 3, .calm_threshold = 0.5, .calm_sweeps = 4});
  auto random = seeded_random(1);
  std::vector<double> trace;
  const auto state = learner.fit_state(data.docs, random, [&](const dplda::progress&, const gibbs_state<>& now) {
    trace.push_back(now.perplexity());
    return false;
  });
  const std::size_t burned = state.trace().size();
  CHECK(burned < 400);
  CHECK(state.sweeps() == burned + 6);
  CHECK(state.samples() == 2);
  CHECK(std::equal(state.trace().begin(), state.trace().end(), trace.begin()));
  CHECK(trace.front() > trace[burned - 1] + 1);
  for (std::size_t i = 4; i < burned; ++i) {
    bool calm = true;
    for (std::size_t j = i - 3; j <= i; ++j) calm = calm && std::abs(trace[j] - trace[j - 1]) <= 0.5;
    CHECK(calm == (i + 1 == burned));
  }
}

TEST_CASE("the training perplexity is that of the posterior means", "[gibbs]") {
  const auto data = dplda::synthetic_lda({.documents = 30, .words = 50, .topics = 4}, seeded_random(8));
  const gibbs<> learner({.topics = 13, .burn_in = 5, .samples = 0});
  auto random = seeded_random(1);
  const auto state = learner.fit_state(data.docs, random);
  const auto model = state.model();
  double sum = 0;
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    for (const dplda::word_id w : dplda_tests::tokens_of(data.docs[d])) {
      sum += std::log(state.theta(d).dot(model.phi().col(w)));
    }
  }
  CHECK(state.perplexity() == Catch::Approx(std::exp(-sum / static_cast<double>(data.docs.tokens()))).epsilon(1e-5));
}

TEST_CASE("priors are learned", "[gibbs]") {
  const auto data = dplda::synthetic_lda(
      {.documents = 1000, .words = 200, .topics = 4, .alpha = 0.5, .topic_concentration = 0.05, .zipf_exponent = 0},
      seeded_random(12));
  SECTION("a refit raises the likelihood of the same assignments") {
    for (const auto& [alpha, eta] : {std::pair{true, false}, std::pair{false, true}}) {
      const gibbs<> learner(
          {.topics = 4, .burn_in = 20, .samples = 0, .eta = 0.5, .learn_alpha = alpha, .learn_eta = eta});
      auto random = seeded_random(2);
      auto state = learner.fit_state(data.docs, random);
      double last = state.log_likelihood();
      for (int i = 0; i < 3; ++i) {
        learner.fit_priors(state);
        const double now = state.log_likelihood();
        CHECK(now > last - 1e-6 * std::abs(last));
        if (i == 0) CHECK(now > last + 100);
        last = now;
      }
    }
  }
  SECTION("the true values are found") {
    const gibbs<> learner({.topics = 4,
                           .burn_in = 100,
                           .samples = 1,
                           .alpha = 0.05,
                           .eta = 1.0,
                           .learn_alpha = true,
                           .learn_eta = true,
                           .prior_start = 20,
                           .prior_interval = 5});
    auto random = seeded_random(2);
    const auto state = learner.fit_state(data.docs, random);
    for (const double a : state.alpha()) CHECK(a == Catch::Approx(0.5).margin(0.15));
    CHECK(state.eta()[0] == Catch::Approx(0.05).margin(0.02));
    CHECK(state.model().alpha() == state.alpha());
  }
}

TEST_CASE("histograms of counts give digamma differences", "[gibbs]") {
  const std::vector<std::uint64_t> counts{0, 1, 1, 2, 7, 100, 4095, 4096, 1'000'000'000};
  dplda::detail::count_histogram histogram;
  for (const std::uint64_t n : counts) histogram.add(n);
  for (const double a : {1e-4, 0.3, 7.0, 1e5}) {
    double expected = 0;
    for (const std::uint64_t n : counts) {
      expected += dplda::detail::digamma(static_cast<double>(n) + a) - dplda::detail::digamma(a);
    }
    CHECK(histogram.digamma_rise(a) == Catch::Approx(expected).epsilon(1e-11));
  }
}

TEST_CASE("Gibbs sampling handles unusual corpora", "[gibbs]") {
  const auto fit = [](const corpus& docs, gibbs_options options) {
    options.burn_in = 5;
    options.samples = 2;
    auto random = seeded_random(1);
    const auto state = gibbs<>(std::move(options)).fit_state(docs, random);
    check_counts(state);
    return state.model();  // topic_model refuses NaN and rows that do not sum to 1
  };
  SECTION("one topic is the smoothed word distribution") {
    const auto model = fit(make_corpus({{0, 0, 1}, {1, 2}}, 3), {.topics = 1, .eta = 0.5});
    CHECK(model.phi()(0, 0) == Catch::Approx(2.5 / 6.5));
  }
  SECTION("more topics than tokens") { CHECK(fit(make_corpus({{0, 1}, {1}}, 2), {.topics = 500}).topics() == 500); }
  SECTION("one word") { CHECK(fit(make_corpus({{0, 0}}, 1), {.topics = 3, .shards = 4}).phi()(2, 0) == 1); }
  SECTION("empty documents among others") {
    fit(make_corpus({{}, {0}, {}, {1, 1}}, 2), {.topics = 2, .learn_alpha = true, .prior_start = 1});
  }
  SECTION("no tokens at all leave the prior") {
    Eigen::VectorXd eta(4);
    eta << 0.4, 0.3, 0.2, 0.1;
    const corpus docs = make_corpus({{}, {}}, 4);
    for (const std::size_t shards : {1u, 3u}) {
      const auto model = fit(docs, {.topics = 3, .alpha = {0.1, 0.2, 0.3}, .eta = eta, .shards = shards});
      for (Eigen::Index k = 0; k < 3; ++k) CHECK(model.phi().row(k).transpose().isApprox(eta, 1e-12));
      CHECK(model.alpha()[2] == 0.3);
    }
    fit(docs, {.topics = 3,
               .learn_alpha = true,
               .learn_eta = true,
               .prior_start = 1,
               .prior_interval = 1,
               .calm_threshold = 1});
  }
  SECTION("the smallest and the largest priors") {
    const corpus docs = make_corpus({{0, 1, 1}, {2, 3}, {0, 3}}, 5);
    for (const double prior : {1e-9, 1e9}) {
      for (const std::size_t topics : {7u, 90u, 400u}) fit(docs, {.topics = topics, .alpha = prior, .eta = prior});
    }
  }
  SECTION("a word a million times in one document") {
    dplda::corpus_builder builder;
    builder.add(0, 1'000'000);
    builder.add(1, 1);
    builder.end_document();
    builder.add(1, 3);
    builder.end_document();
    const corpus docs = builder.build(dplda::numbered_vocabulary(2));
    auto random = seeded_random(1);
    const gibbs<> learner({.topics = 3, .burn_in = 2, .samples = 0, .learn_alpha = true, .prior_start = 1});
    const auto state = learner.fit_state(docs, random);
    CHECK(state.topic_totals().sum() == 1'000'004);
  }
}

TEST_CASE("the observer can stop", "[gibbs]") {
  const auto data = dplda::synthetic_lda({.documents = 50, .words = 50, .topics = 3}, seeded_random(1));
  const gibbs learner({.topics = 3, .burn_in = 5, .samples = 2, .spacing = 3});
  std::size_t calls = 0;
  auto random = seeded_random(1);
  learner.fit(data.docs, random, [&](const dplda::progress& p) {
    CHECK(p.step == ++calls);
    CHECK(p.steps == 11);
    return false;
  });
  CHECK(calls == 11);
  learner.fit(data.docs, random, [&](const dplda::progress& p) { return calls = p.step, p.step == 7; });
  CHECK(calls == 7);
  CHECK(learner.fit(data.docs, random, dplda::observer{}).topics() == 3);
}

TEST_CASE("Gibbs sampling refuses invalid options and corpora", "[gibbs]") {
  const auto refused = [](const gibbs_options& options) { return refusal([&] { gibbs<>{options}; }); };
  CHECK(refused({}).empty());
  CHECK(refused({.topics = 0}) == "dplda::gibbs: topics is 0, but must be at least 1");
  CHECK(refused({.topics = 1'000'001}).find("topics is 1000001") != std::string::npos);
  CHECK(refused({.burn_in = 0, .samples = 0}).find("burn_in + samples is 0") != std::string::npos);
  CHECK(refused({.burn_in = std::numeric_limits<std::size_t>::max()}).find("burn_in is") != std::string::npos);
  CHECK(refused({.spacing = 0}).find("spacing is 0") != std::string::npos);
  CHECK(refused({.prior_interval = 0}).find("prior_interval is 0") != std::string::npos);
  CHECK(refused({.alpha = 0.0}).find("alpha is 0") != std::string::npos);
  CHECK(refused({.alpha = 1e-10}).find("must lie in [1e-9, 1e9]") != std::string::npos);
  CHECK(refused({.topics = 3, .alpha = {0.1, 0.2}}).find("size of alpha is 2") != std::string::npos);
  CHECK(refused({.eta = std::nan("")}).find("eta is nan") != std::string::npos);
  CHECK(refused({.eta = {0.1, 0.2}, .learn_eta = true}).find("needs a symmetric eta") != std::string::npos);
  CHECK(refused({.calm_threshold = -1}).find("calm_threshold is -1") != std::string::npos);
  CHECK(refused({.calm_threshold = std::nan("")}).find("calm_threshold is nan") != std::string::npos);
  CHECK(refused({.calm_sweeps = 0}).find("calm_sweeps is 0") != std::string::npos);
  CHECK(refused({.shards = 0}).find("shards is 0") != std::string::npos);

  auto random = seeded_random(1);
  const auto fit_refused = [&](const corpus& docs, const gibbs_options& options) {
    return refusal([&] { gibbs<>(options).fit(docs, random); });
  };
  CHECK(fit_refused(corpus(), {}).find("vocabulary is empty") != std::string::npos);
  CHECK(fit_refused(make_corpus({}, 3), {}).find("number of documents is 0") != std::string::npos);
  CHECK(fit_refused(make_corpus({{0}}, 3), {.eta = {0.1, 0.2}}).find("size of eta is 2") != std::string::npos);
  CHECK(fit_refused(make_corpus({{0}}, 2), {.eta = {0.1, 1e-12}}).find("eta is 1e-12") != std::string::npos);
  dplda::corpus_builder builder;
  builder.add(0, 4'000'000'000u);
  builder.end_document();
  CHECK(fit_refused(builder.build(dplda::numbered_vocabulary(1)), {}).find("number of tokens is 4000000000") !=
        std::string::npos);

  const gibbs<> learner({.topics = 2});
  const corpus docs = make_corpus({{0, 1}}, 2);
  const auto start_refused = [&](const topics_of_tokens& z) {
    return refusal([&] { learner.start(docs, random, z); });
  };
  CHECK(start_refused({0, 1}).empty());
  CHECK(start_refused({0}).find("number of assignments is 1") != std::string::npos);
  CHECK(start_refused({0, 2}).find("assignment is 2") != std::string::npos);
}

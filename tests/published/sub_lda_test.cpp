// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/published/sub_lda.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::seeded_random;
using dplda::published::efficiency_privacy;
using dplda::published::gibbs_noise;
using dplda::published::gibbs_trace;
using dplda::published::lemma_5_1;
using dplda::published::noise_divergence;
using dplda::published::noise_scale;
using dplda::published::noise_timing;
using dplda::published::sub_lda;
using dplda::published::sub_lda_options;
using dplda::published::sub_lda_sum;
using dplda_tests::make_corpus;
using dplda_tests::refusal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double next_to_no_noise = 1e12;  // of epsilon: a standard deviation of 3e-6

corpus small_corpus(std::size_t documents) {
  auto random = seeded_random(5);
  return dplda::synthetic_lda({.documents = documents, .words = 60, .topics = 4, .mean_length = 40}, random).docs;
}

// As sub_lda makes it: the chain and its streams by hand.
struct open_chain {
  open_chain(const corpus& docs, const sub_lda_options& o, std::uint64_t seed)
      : source(seeded_random(seed).fork()),
        start(source.stream("sub_lda.start")),
        topics(source.stream("sub_lda.topics")),
        noise(source.stream("sub_lda.noise")),
        chain(docs, o.topics, o.tau, o.beta, o.clip, start),
        law(o.noise == gibbs_noise::laplace, noise_scale(o.noise, o.order, o.epsilon)) {}

  dplda::random_source source;
  dplda::chacha20 start, topics, noise;
  dplda::detail::noisy_count_chain chain;
  dplda::detail::count_noise law;
};

// Collapsed Gibbs sampling, equations (1) and (2), as plain as can be.
Eigen::MatrixXd plain_gibbs(const corpus& docs, const sub_lda_options& o, std::uint64_t seed) {
  const auto source = seeded_random(seed).fork();
  auto start = source.stream("sub_lda.start"), bits = source.stream("sub_lda.topics");
  const auto words = static_cast<Eigen::Index>(docs.words()), topics = static_cast<Eigen::Index>(o.topics);
  Eigen::MatrixXd n_kt = Eigen::MatrixXd::Zero(topics, words);
  Eigen::MatrixXd n_mk = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(docs.size()), topics);
  std::vector<std::vector<Eigen::Index>> z(docs.size());
  const auto tokens = dplda_tests::tokens_of(docs);
  const auto move = [&](std::size_t m, std::size_t i, double by) {
    n_kt(z[m][i], static_cast<Eigen::Index>(tokens[m][i])) += by;
    n_mk(static_cast<Eigen::Index>(m), z[m][i]) += by;
  };
  for (std::size_t m = 0; m < docs.size(); ++m) {
    for (std::size_t i = 0; i < tokens[m].size(); ++i) {
      z[m].push_back(static_cast<Eigen::Index>(dplda::uniform_below(start, o.topics)));
      move(m, i, 1);
    }
  }
  for (std::uint64_t sweep = 0; sweep < o.sweeps; ++sweep) {
    for (std::size_t m = 0; m < docs.size(); ++m) {
      for (std::size_t i = 0; i < tokens[m].size(); ++i) {
        move(m, i, -1);
        Eigen::VectorXd p(topics);
        for (Eigen::Index k = 0; k < topics; ++k) {
          p[k] = (n_kt(k, static_cast<Eigen::Index>(tokens[m][i])) + o.beta) / (n_kt.row(k).array() + o.beta).sum() *
                 (n_mk(static_cast<Eigen::Index>(m), k) + o.tau);
        }
        double left = dplda::uniform_open(bits) * p.sum();
        Eigen::Index k = 0;
        while (k + 1 < topics && left >= p[k]) left -= p[k++];
        z[m][i] = k;
        move(m, i, 1);
      }
    }
  }
  Eigen::MatrixXd phi = (n_kt.array() + o.beta).matrix();
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  return phi;
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("sub_lda: the noise of a sweep has the requested divergence", "[sub_lda]") {
  CHECK(noise_scale(gibbs_noise::gaussian, 14, 2) == Catch::Approx(std::sqrt(3.5)).epsilon(1e-14));
  CHECK(noise_scale(gibbs_noise::laplace, 14, 2) == Catch::Approx(0.4877).margin(5e-5));
  for (const gibbs_noise noise : {gibbs_noise::gaussian, gibbs_noise::laplace}) {
    for (const std::uint64_t alpha : {2u, 14u, 10000u}) {
      for (const double epsilon : {1e-6, 1e-3, 0.1, 2.0, 50.0, 1e6, 1e12}) {
        CAPTURE(static_cast<int>(noise), alpha, epsilon);
        const double scale = noise_scale(noise, alpha, epsilon);
        CHECK(noise_divergence(noise, scale, static_cast<double>(alpha)) == Catch::Approx(epsilon).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("sub_lda plans Table 3", "[sub_lda]") {
  // Both readings of the divergences are in tests/accounting/published_test.cpp. Here: that plans have the right one,
  // and the claims as (epsilon, 1e-5).
  struct row {
    double gamma, divergence;
    std::uint64_t sweeps;
    double total, epsilon;
  };
  for (const row& r :
       {row{0.1, 0.0465, 92, 4.27, 2.72}, row{0.3, 0.7719, 83, 64.1, 8.72}, row{0.5, 1.2809, 70, 89.7, 13.8},
        row{0.7, 1.6273, 66, 107.4, 20.0}, row{0.9, 1.8895, 61, 115.3, 24.6}, row{1, 2, 42, 84, 22.1}}) {
    CAPTURE(r.gamma);
    const sub_lda learner({.sweeps = r.sweeps, .gamma = r.gamma});
    CHECK(learner.plan().divergence == Catch::Approx(r.divergence).margin(6e-5));
    CHECK(learner.accumulated_loss(r.sweeps) == Catch::Approx(r.total).margin(0.06));
    CHECK(learner.plan().ratio == r.gamma);
    const dplda::guarantee& claim = learner.guarantee();
    // Real orders are at least as good as the table's integer ones.
    CHECK(claim.epsilon < 1.005 * r.epsilon);
    CHECK(claim.epsilon > 0.93 * r.epsilon);
    CHECK(claim.delta == 1e-5);
    CHECK(claim.unit == dplda::privacy_unit::token);
    CHECK(claim.relation == dplda::neighbours::add_remove);
    CHECK(claim.accountant == dplda::accountant::rdp);
    CHECK(claim.basis == dplda::basis::as_published);
    CHECK(learner.claim(r.sweeps) == claim);
    CHECK(learner.claim(r.sweeps / 2).epsilon < claim.epsilon);
    const auto& counted = learner.plan().counted.entries();
    REQUIRE(counted.size() == 1);
    CHECK(counted[0].count == r.sweeps);
    CHECK(std::get<dplda::poisson_sample>(counted[0].event.sampling).rate == r.gamma);
  }
  const sub_lda laplace({.gamma = 0.5, .noise = gibbs_noise::laplace});
  CHECK(laplace.plan().divergence == Catch::Approx(1.384).margin(6e-4));
  CHECK(laplace.guarantee().epsilon < laplace.accumulated_loss(100));
}

TEST_CASE("Lemma 4.1 is false: I rises, and falls only without the last term of its sum", "[sub_lda]") {
  struct setting {
    std::uint64_t alpha;
    double epsilon;
  };
  for (const setting& s : {setting{14, 2}, setting{2, 0.5}, setting{32, 1}, setting{5, 0.1}}) {
    for (const gibbs_noise noise : {gibbs_noise::gaussian, gibbs_noise::laplace}) {
      CAPTURE(s.alpha, s.epsilon);
      const double scale = noise_scale(noise, s.alpha, s.epsilon);
      const auto base = [&](double l) { return noise_divergence(noise, scale, l); };
      double last = 0;
      std::size_t falls = 0, rises_after_a_fall = 0;
      double last_of_table = 0;
      for (int i = 1; i <= 1000; ++i) {
        const double gamma = 1e-3 * i, value = efficiency_privacy(s.alpha, gamma, base);
        CHECK(value > last);
        last = value;
        const double table = efficiency_privacy(s.alpha, gamma, base, sub_lda_sum::table);
        CHECK(table <= value);
        if (gamma >= 0.5) CHECK(table < value);
        falls += table < last_of_table;
        rises_after_a_fall += falls > 0 && table > last_of_table;
        last_of_table = table;
      }
      const auto alpha = static_cast<double>(s.alpha);
      CHECK(last == Catch::Approx(std::exp((alpha - 1) * s.epsilon)).epsilon(1e-4));
      // The figure of the paper: one maximum inside, and nothing left at gamma = 1.
      CHECK(falls > 10);
      CHECK(rises_after_a_fall == 0);
      CHECK(last_of_table == 0);
    }
  }
}

TEST_CASE("Lemma 5.1: adaptive subsampling is worse than uniform, by up to a factor v", "[sub_lda]") {
  for (const double epsilon : {1e-4, 0.1, 2.0, 20.0}) {
    for (const double v : {1.5, 4.0, 10.0}) {
      CAPTURE(epsilon, v);
      const auto [uniform, adaptive, bound] = lemma_5_1({epsilon, 1e-5}, 0.1, v);
      CHECK(uniform.epsilon == Catch::Approx(std::log1p(0.1 * std::expm1(epsilon))).epsilon(1e-12));
      CHECK(adaptive.epsilon == Catch::Approx(std::log1p(0.1 * v * std::expm1(epsilon))).epsilon(1e-12));
      CHECK(adaptive.epsilon > uniform.epsilon);
      CHECK(adaptive.epsilon < bound.epsilon);
      CHECK(bound.epsilon - uniform.epsilon == Catch::Approx(std::log(v)).epsilon(1e-12));
      CHECK(adaptive.delta == Catch::Approx(v * 1e-6).epsilon(1e-12));
      CHECK(bound.delta == Catch::Approx(v * 1e-6).epsilon(1e-12));
    }
  }
  // For small epsilon the factor is v indeed.
  const auto small = lemma_5_1({1e-6, 0}, 0.1, 5);
  CHECK(small.adaptive.epsilon / small.uniform.epsilon == Catch::Approx(5).epsilon(1e-5));
  CHECK(says(refusal([] { lemma_5_1({1, 0}, 0.5, 3); }), "v is 3"));
  CHECK(says(refusal([] { lemma_5_1({1, 0}, 0, 1); }), "gamma is 0"));

  const sub_lda adaptive({.gamma = 0.1, .frequent_share = 0.5, .size_ratio = 0.5}), uniform({.gamma = 0.4});
  CHECK(adaptive.plan().ratio == Catch::Approx(0.4).epsilon(1e-14));
  CHECK(adaptive.plan().divergence == Catch::Approx(uniform.plan().divergence).epsilon(1e-12));
  CHECK(adaptive.guarantee().epsilon == Catch::Approx(uniform.guarantee().epsilon).epsilon(1e-12));

  // Equation (12): N coins of gamma against q N coins of v gamma.
  const double expected = (0.1 * (1 - 0.1)) / (0.5 * 0.4 * (1 - 0.4));
  CHECK(dplda::published::sample_variance_ratio(0.1, 4, 0.5) == Catch::Approx(expected).epsilon(1e-14));
  CHECK(says(refusal([] { dplda::published::sample_variance_ratio(0.5, 2, 0.5); }), "v gamma is 1"));
  CHECK(says(refusal([] { dplda::published::sample_variance_ratio(0.1, 2, 0); }), "q is 0"));
}

TEST_CASE("ratios (7), (8) and the convergence rule (9)", "[sub_lda]") {
  CHECK(dplda::published::ratio_to_hdp_lda(3, 4) == 0.25);
  CHECK(dplda::published::ratio_to_hdp_lda(5, 4) == 0.25);
  CHECK(says(refusal([] { dplda::published::ratio_to_hdp_lda(1, 0); }), "hdp is 0"));
  dplda::detail::convergence_rule settled(1, 2);
  for (const double perplexity : {100.0, 100.5, 101.0, 103.0, 103.5, 104.5}) CHECK_FALSE(settled(perplexity));
  CHECK(settled(105));
  CHECK_FALSE(settled(infinity));
  CHECK_FALSE(settled(infinity));
}

TEST_CASE("sub_lda without noise and subsampling is the chain of collapsed Gibbs sampling", "[sub_lda]") {
  const corpus docs = small_corpus(25);
  for (const noise_timing timing : {noise_timing::as_printed, noise_timing::each_token, noise_timing::each_sweep}) {
    for (const gibbs_noise noise : {gibbs_noise::gaussian, gibbs_noise::laplace}) {
      const sub_lda_options options{
          .topics = 4, .sweeps = 5, .noise = noise, .timing = timing, .epsilon = next_to_no_noise};
      auto random = seeded_random(3);
      const auto released = sub_lda(options).fit(docs, random);
      CHECK(released.value().phi().isApprox(plain_gibbs(docs, options, 3), 1e-5));
    }
  }
}

TEST_CASE("sub_lda without noise samples from the posterior", "[sub_lda]") {
  // Two documents of three tokens, two topics: all 64 states can be written down.
  const std::vector<std::vector<dplda::word_id>> tokens{{0, 0, 1}, {0, 1, 1}};
  const corpus docs = make_corpus(tokens, 2);
  const double tau = 0.7, beta = 0.4;
  // States show as the pair of phi_00 and phi_10; some show alike.
  using shown = std::pair<long, long>;
  const auto rounded = [](double p) { return std::lround(1000 * p); };
  std::map<shown, double> law;
  double total = 0;
  for (unsigned state = 0; state < 64; ++state) {
    std::vector<double> n_kt(4), n_mk(4);
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned k = state >> i & 1;
      n_kt[2 * k + tokens[i / 3][i % 3]] += 1;
      n_mk[2 * (i / 3) + k] += 1;
    }
    double weight = 1;
    for (std::size_t c = 0; c < 4; ++c) weight *= std::tgamma(n_kt[c] + beta) * std::tgamma(n_mk[c] + tau);
    for (const double n : {n_kt[0] + n_kt[1], n_kt[2] + n_kt[3]}) weight /= std::tgamma(n + 2 * beta);
    const auto phi = [&](std::size_t k) { return (n_kt[2 * k] + beta) / (n_kt[2 * k] + n_kt[2 * k + 1] + 2 * beta); };
    law[{rounded(phi(0)), rounded(phi(1))}] += weight;
    total += weight;
  }
  REQUIRE(law.size() == 13);
  // With ratio 1/2 a sweep resamples each token or leaves it: another chain with the same law.
  for (const double gamma : {1.0, 0.5}) {
    const sub_lda learner({.topics = 2,
                           .sweeps = 40,
                           .gamma = gamma,
                           .tau = tau,
                           .beta = beta,
                           .timing = noise_timing::each_sweep,
                           .epsilon = next_to_no_noise});
    auto random = seeded_random(17);
    std::map<shown, double> seen;
    constexpr int runs = 4000;
    for (int run = 0; run < runs; ++run) {
      const auto phi = learner.fit(docs, random).value().phi();
      seen[{rounded(phi(0, 0)), rounded(phi(1, 0))}] += 1;
    }
    double chi_square = 0, counted = 0;
    for (const auto& [state, weight] : law) {
      const double expected = runs * weight / total, n = seen[state];
      chi_square += (n - expected) * (n - expected) / expected;
      counted += n;
    }
    CHECK(counted == runs);
    CHECK(chi_square < 32.9);  // 12 degrees of freedom: exceeded with probability 0.001
  }
}

TEST_CASE("sub_lda: noise is added when the timing says, and has the planned size", "[sub_lda]") {
  // Word 0 has 400 tokens, word 1 none.
  corpus docs = make_corpus({std::vector<dplda::word_id>(400, 0)}, 2);
  constexpr std::size_t topics = 2000;
  for (const gibbs_noise noise : {gibbs_noise::gaussian, gibbs_noise::laplace}) {
    const sub_lda_options options{.topics = topics, .noise = noise};
    const double scale = noise_scale(noise, 14, 2);
    const double variance = noise == gibbs_noise::gaussian ? scale * scale : 2 * scale * scale;
    for (const noise_timing timing : {noise_timing::as_printed, noise_timing::each_token, noise_timing::each_sweep}) {
      CAPTURE(static_cast<int>(noise), static_cast<int>(timing));
      open_chain open(docs, options, 9);
      const bool on_top = timing == noise_timing::as_printed;
      const auto renew = [&](std::size_t word) {
        open.chain.renew_noise(word, on_top, open.law.draw(open.noise, topics));
      };
      const auto before = [&](std::size_t word) {
        if (timing != noise_timing::each_sweep) renew(word);
      };
      if (timing == noise_timing::each_sweep) renew(0), renew(1);
      CHECK(open.chain.sweep(
                open.topics, [](auto, auto) { return true; }, before) == 400);
      double squares = 0, others = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        squares += open.chain.noise(0, k) * open.chain.noise(0, k) / topics;
        others += open.chain.noise(1, k) * open.chain.noise(1, k) / topics;
      }
      // A walk of 400 steps, or one draw.
      CHECK(squares == Catch::Approx(on_top ? 400 * variance : variance).epsilon(0.2));
      // The absence of a word shows unless all counts get noise.
      if (timing == noise_timing::each_sweep) {
        CHECK(others == Catch::Approx(variance).epsilon(0.2));
      } else {
        CHECK(others == 0);
      }

      // The learner does the same.
      auto random = seeded_random(9);
      sub_lda_options one = options;
      one.sweeps = 1;
      one.timing = timing;
      CHECK(sub_lda(one).fit(docs, random).value().phi() == open.chain.phi());
    }
  }
}

TEST_CASE("a token's topic has the distribution of algorithm 1 with noisy counts", "[sub_lda]") {
  // Of one token alone only noise and priors are left: (min(max(eta_k0, 0), 5) + beta) / (max(sum over t, 0) + 2 beta).
  const corpus docs = make_corpus({{0}}, 2);
  auto bits = seeded_random(3).stream("chain");
  dplda::detail::noisy_count_chain chain(docs, 3, 0.3, 0.5, 5, bits);
  for (const double stale : {100.0, 0.0}) {  // what was there before leaves no trace
    chain.renew_noise(0, false, std::vector<double>{2.5 + stale, -1, 7});
    chain.renew_noise(1, false, std::vector<double>{1, -3 - stale, 30});
  }
  const std::vector<double> law{3 / 4.5, 0.5 / 1, 5.5 / 38};
  const double total = law[0] + law[1] + law[2];
  constexpr int runs = 20000;
  std::vector<double> seen(3);
  for (int run = 0; run < runs; ++run) {
    chain.sweep(
        bits, [](auto, auto) { return true; }, [](auto) {});
    for (std::size_t k = 0; k < 3; ++k) seen[k] += chain.count(0, k);
  }
  double chi_square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double expected = runs * law[k] / total;
    chi_square += (seen[k] - expected) * (seen[k] - expected) / expected;
  }
  CHECK(chi_square < 13.8);  // 2 degrees of freedom: exceeded with probability 0.001
}

TEST_CASE("sub_lda: noisy counts are clipped from both sides", "[sub_lda]") {
  // One document: 300 tokens of word 0, one of word 1. With counts clipped to next to nothing, word 0 gives no reason to
  // stay with a topic, but its document and the sum over words do.
  std::vector<dplda::word_id> tokens(300, 0);
  tokens.push_back(1);
  const corpus docs = make_corpus({tokens}, 2);
  const auto imbalance = [&](double clip) {
    const sub_lda learner({.topics = 2,
                           .sweeps = 30,
                           .tau = 1000,
                           .beta = 0.01,
                           .clip = clip,
                           .timing = noise_timing::each_sweep,
                           .epsilon = next_to_no_noise});
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      open_chain open(docs, learner.options(), seed);
      for (int sweep = 0; sweep < 30; ++sweep) {
        open.chain.sweep(
            open.topics, [](auto, auto) { return true; }, [](auto) {});
      }
      mean += std::abs(open.chain.count(0, 0) - open.chain.count(0, 1)) / 300 / 20;
    }
    return mean;
  };
  // Unclipped, (n_k + beta) / (n_k + 2 beta) is about 1 for either topic: a fair coin. Clipped to 1, a topic's weight is
  // about 1 / n_k, which pulls the two together.
  const double unclipped = imbalance(infinity), clipped = imbalance(1);
  CAPTURE(unclipped, clipped);
  CHECK(clipped < 0.9 * unclipped);

  // From below: with noise far beyond the counts Phi stays a distribution. Where one word's count is negative and the
  // other's is not, which is so for half of the topics, the one is left with its prior.
  const sub_lda noisy({.topics = 50, .sweeps = 3, .timing = noise_timing::each_sweep, .epsilon = 1e-6});
  auto random = seeded_random(2);
  const auto phi = noisy.fit(docs, random).value().phi();
  CHECK(phi.minCoeff() > 0);
  const auto at_prior = (phi.array() < 1e-4).count();
  CHECK(at_prior > 12);
  CHECK(at_prior < 38);
}

TEST_CASE("sub_lda: sweeps visit the planned share of tokens", "[sub_lda]") {
  const corpus docs = small_corpus(250);
  const auto all = static_cast<double>(docs.tokens());
  const auto visited = [&](const sub_lda_options& options) {
    gibbs_trace trace;
    auto random = seeded_random(8);
    sub_lda(options).fit(docs, random, {}, &trace);
    CHECK(trace.perplexity.size() == options.sweeps);
    double sum = 0;
    for (const auto count : trace.visited) sum += static_cast<double>(count);
    return sum / static_cast<double>(options.sweeps) / all;
  };
  CHECK(visited({.topics = 4, .sweeps = 5}) == 1);
  CHECK(visited({.topics = 4, .sweeps = 20, .gamma = 0.1}) == Catch::Approx(0.1).margin(0.003));
  // Equation (11): gamma / eta, and a little more, as frequent words hold the share q or more.
  const double adaptive = visited({.topics = 4, .sweeps = 20, .gamma = 0.1, .frequent_share = 0.5, .size_ratio = 0.8});
  CHECK(adaptive > 0.97 * 0.1 / 0.8);
  CHECK(adaptive < 1.1 * 0.1 / 0.8);
}

TEST_CASE("frequent words are the fewest that hold a share of a topic", "[sub_lda]") {
  const corpus docs = make_corpus({{0, 1, 1, 2, 2, 2, 3, 3, 3, 3}}, 6);
  auto bits = seeded_random(1).stream("start");
  const dplda::detail::noisy_count_chain chain(docs, 1, 0.1, 0.01, infinity, bits);
  using table = std::vector<unsigned char>;
  CHECK(chain.frequent_words(0.4) == table{0, 0, 0, 1, 0, 0});
  CHECK(chain.frequent_words(0.41) == table{0, 0, 1, 1, 0, 0});
  CHECK(chain.frequent_words(0.9) == table{0, 1, 1, 1, 0, 0});
  CHECK(chain.frequent_words(1) == table{1, 1, 1, 1, 0, 0});
}

TEST_CASE("sub_lda says what it claims, and that nothing is proven", "[sub_lda]") {
  const auto caveat = [](const sub_lda_options& options) { return sub_lda(options).guarantee().caveat; };
  const std::string plain = caveat({.timing = noise_timing::each_sweep});
  CHECK(says(plain, "counts of topics in a document get no noise"));
  CHECK(says(plain, "nothing is proven"));
  CHECK_FALSE(says(plain, "every visit"));
  CHECK_FALSE(says(plain, "amplification"));
  CHECK(says(caveat({.timing = noise_timing::as_printed}), "every visit"));
  CHECK(says(caveat({.timing = noise_timing::each_token}), "every visit"));
  CHECK(says(caveat({.gamma = 0.5}), "amplification"));
  CHECK(says(caveat({.gamma = 0.1, .frequent_share = 0.5}), "frequent words"));
  CHECK(says(caveat({.threshold = 1}), "depends on training perplexity"));
  std::ostringstream printed;
  printed << sub_lda({}).guarantee();
  CHECK(says(printed.str(), "is claimed, not proven, for each token"));

  const corpus docs = small_corpus(20);
  const sub_lda learner({.topics = 3, .sweeps = 7, .gamma = 0.5});
  auto random = seeded_random(1);
  const auto released = learner.fit(docs, random);
  CHECK(released.guarantee().basis == dplda::basis::as_published);
  CHECK(released.guarantee().epsilon == learner.guarantee().epsilon);
  CHECK(released.guarantee().seeded);
  CHECK(released.value().alpha()[0] == 0.1);
  // No accountant gives it a finite epsilon.
  REQUIRE(released.ledger().entries().size() == 1);
  CHECK(released.ledger().entries()[0].count == 7);
  for (const double delta : {0.0, 1e-5, 0.5, 0.999}) CHECK(dplda::price(released.ledger(), delta).epsilon == infinity);
}

TEST_CASE("sub_lda: equal seeds give equal bits, and fits can be watched and stopped", "[sub_lda]") {
  const corpus docs = small_corpus(30);
  for (const noise_timing timing : {noise_timing::as_printed, noise_timing::each_token, noise_timing::each_sweep}) {
    const sub_lda learner({.topics = 4, .sweeps = 6, .gamma = 0.5, .timing = timing});
    const auto fit = [&](std::uint64_t seed, const dplda::observer& watch = {}, gibbs_trace* trace = nullptr) {
      auto random = seeded_random(seed);
      return learner.fit(docs, random, watch, trace);
    };
    const auto one = fit(7);
    gibbs_trace trace;
    CHECK(fit(7, {}, &trace).value().phi() == one.value().phi());
    CHECK(fit(8).value().phi() != one.value().phi());
    CHECK(trace.perplexity.size() == 6);

    std::vector<std::size_t> steps;
    CHECK(dplda_tests::stopped([&] {
      fit(7, [&](const dplda::progress& now) {
        steps.push_back(now.step);
        CHECK(now.steps == 6);
        return now.step == 2;
      });
    }));
    CHECK(steps == std::vector<std::size_t>{1, 2});
    CHECK(learner.claim(2).epsilon < one.guarantee().epsilon);
  }
  // Two fits from one source differ.
  auto random = seeded_random(7);
  const sub_lda learner({.topics = 4, .sweeps = 2});
  const auto first = learner.fit(docs, random), second = learner.fit(docs, random);
  CHECK(first.value().phi() != second.value().phi());
}

TEST_CASE("sub_lda stops by its own rule when perplexity has settled", "[sub_lda]") {
  const corpus docs = small_corpus(100);
  gibbs_trace trace;
  auto random = seeded_random(1);
  const sub_lda learner({.topics = 4, .sweeps = 100, .timing = noise_timing::each_sweep, .threshold = 2, .settled = 3});
  const auto released = learner.fit(docs, random, {}, &trace);
  const std::size_t done = trace.perplexity.size();
  REQUIRE(done > 5);
  REQUIRE(done < 100);
  CHECK(released.ledger().entries()[0].count == done);
  for (std::size_t i = done - 4; i < done; ++i) CHECK(std::abs(trace.perplexity[i] - trace.perplexity[i - 1]) <= 2);
  CHECK(std::abs(trace.perplexity[done - 5] - trace.perplexity[done - 6]) > 2);
}

TEST_CASE("sub_lda: little noise leaves good topics, noise that adds up leaves none", "[sub_lda]") {
  auto source = seeded_random(21);
  const auto data = dplda::synthetic_lda({.documents = 1100, .words = 150, .topics = 4, .mean_length = 50}, source);
  const corpus train = data.docs.slice(0, 1000), test = data.docs.slice(1000, 1100);
  const auto score = [&](noise_timing timing, double gamma) {
    const sub_lda learner({.topics = 4, .sweeps = 40, .gamma = gamma, .timing = timing});
    auto random = seeded_random(1);
    return dplda::document_completion_perplexity(learner.fit(train, random).value(), test).perplexity;
  };
  const double truth = dplda::document_completion_perplexity(data.model, test).perplexity;
  const double unigram = dplda::unigram_perplexity(train, test).perplexity;
  const double sweep = score(noise_timing::each_sweep, 1), token = score(noise_timing::each_token, 1);
  const double half = score(noise_timing::each_sweep, 0.5), printed = score(noise_timing::as_printed, 1);
  CAPTURE(truth, unigram, sweep, token, half, printed);
  CHECK(sweep < 1.05 * truth);
  CHECK(token < 1.05 * truth);
  CHECK(half < 1.05 * truth);
  CHECK(printed > 0.9 * unigram);
}

TEST_CASE("sub_lda refuses invalid options and corpora", "[sub_lda]") {
  const auto refuses = [](const sub_lda_options& options, const char* what) {
    const std::string message = refusal([&] { sub_lda learner(options); });
    CAPTURE(message, what);
    CHECK(says(message, what));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  refuses({.topics = 0}, "topics is 0");
  refuses({.sweeps = 0}, "sweeps is 0");
  refuses({.gamma = 0}, "gamma is 0");
  refuses({.gamma = 1.5}, "gamma is 1.5");
  refuses({.tau = nan}, "tau is nan");
  refuses({.beta = 0}, "beta is 0");
  refuses({.clip = 0}, "clip is 0");
  refuses({.order = 1}, "order is 1");
  refuses({.epsilon = 0}, "epsilon is 0");
  refuses({.epsilon = nan}, "epsilon is nan");
  refuses({.delta = 0}, "delta is 0");
  refuses({.delta = 1}, "delta is 1");
  refuses({.frequent_share = 1.5}, "frequent_share is 1.5");
  refuses({.gamma = 0.1, .frequent_share = 0.5, .size_ratio = 0}, "size_ratio is 0");
  refuses({.gamma = 0.1, .frequent_share = 1}, "is 1, but must lie in (1, 10)");
  refuses({.gamma = 0.5, .frequent_share = 0.25}, "is 4, but must lie in (1, 2)");
  refuses({.threshold = -1}, "threshold is -1");
  CHECK(says(refusal([] { sub_lda({}).claim(0); }), "count is 0"));
  auto random = seeded_random(1);
  CHECK(says(refusal([&] { sub_lda({}).fit(make_corpus({{}}, 0), random); }), "vocabulary is empty"));

  // Unusual but valid input works.
  gibbs_trace trace;
  const sub_lda tiny({.topics = 1, .sweeps = 2, .timing = noise_timing::each_sweep});
  CHECK(tiny.fit(make_corpus({}, 3), random, {}, &trace).value().phi().allFinite());
  CHECK(trace.perplexity == std::vector<double>{infinity, infinity});
  CHECK(tiny.fit(make_corpus({{}, {0}, {}}, 1), random).value().phi()(0, 0) == 1);
}

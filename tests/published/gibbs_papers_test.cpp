// SPDX-License-Identifier: Apache-2.0
// HDP-LDA, RDP-LDA and the learner of Zhu et al.; what they share with SUB-LDA is in sub_lda_test.cpp.
#include <dplda/corpora/synthetic.hpp>
#include <dplda/published/hdp_lda.hpp>
#include <dplda/published/rdp_lda.hpp>
#include <dplda/published/sub_lda.hpp>
#include <dplda/published/zhu_lda.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::seeded_random;
using dplda::published::gibbs_trace;
using dplda::published::hdp_lda;
using dplda::published::noise_timing;
using dplda::published::rdp_lda;
using dplda::published::sub_lda;
using dplda::published::truncated_gaussian_divergence;
using dplda::published::zhu_lda;
using dplda_tests::make_corpus;
using dplda_tests::refusal;

namespace {

constexpr double next_to_no_noise = 1e12;

corpus small_corpus() {
  auto random = seeded_random(5);
  return dplda::synthetic_lda({.documents = 25, .words = 60, .topics = 4, .mean_length = 40}, random).docs;
}

// SUB-LDA without noise and subsampling is plain collapsed Gibbs sampling (sub_lda_test.cpp).
Eigen::MatrixXd without_noise(const corpus& docs, std::uint64_t sweeps) {
  auto random = seeded_random(3);
  return sub_lda({.topics = 4, .sweeps = sweeps, .timing = noise_timing::each_sweep, .epsilon = next_to_no_noise})
      .fit(docs, random)
      .value()
      .phi();
}

template <class Learner>
dplda::release<dplda::topic_model<>> fitted(const Learner& learner, const corpus& docs, std::uint64_t seed = 3) {
  auto random = seeded_random(seed);
  return learner.fit(docs, random);
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

template <class Learner>
void check_unproven(const Learner& learner, dplda::privacy_unit unit, const char* reason) {
  const corpus docs = small_corpus();
  CHECK(learner.guarantee().basis == dplda::basis::as_published);
  CHECK(learner.guarantee().unit == unit);
  CHECK(says(learner.guarantee().caveat, reason));
  const auto released = fitted(learner, docs);
  CHECK(released.guarantee().basis == dplda::basis::as_published);
  CHECK(released.guarantee().seeded);
  CHECK(released.value().topics() == learner.options().topics);
  CHECK(released.value().alpha()[0] == learner.options().tau);
  // No accountant makes anything of the ledger.
  CHECK_FALSE(price(released.ledger(), 1e-5).epsilon < 1e300);
  // Same seed, same bits.
  CHECK(fitted(learner, docs).value().phi() == released.value().phi());
  CHECK(fitted(learner, docs, 4).value().phi() != released.value().phi());
  gibbs_trace trace;
  auto random = seeded_random(3);
  CHECK(learner.fit(docs, random, {}, &trace).value().phi() == released.value().phi());
  CHECK(trace.visited.back() == docs.tokens());
  CHECK(trace.perplexity.size() == trace.visited.size());
  CHECK(dplda_tests::stopped([&] {
    auto stopped_bits = seeded_random(3);
    learner.fit(docs, stopped_bits, dplda_tests::at_once);
  }));
  auto bits = seeded_random(3);
  dplda::corpus_builder builder;
  builder.add(0);
  builder.end_document();
  const corpus not_public = builder.build(dplda::numbered_vocabulary(1));
  CHECK(says(refusal([&] { learner.fit(not_public, bits); }), "public"));
}

}  // namespace

TEST_CASE("hdp_lda claims noise and inherent loss in each sweep", "[hdp_lda]") {
  const hdp_lda learner({.topics = 4, .sweeps = 7, .beta = 0.1, .clip = 20, .epsilon = 0.5});
  CHECK(learner.scale() == 4);
  CHECK(learner.sweep_loss().noise == 0.5);
  CHECK(learner.sweep_loss().inherent == Catch::Approx(2 * std::log(201)).epsilon(1e-14));
  CHECK(learner.guarantee().epsilon == Catch::Approx(7 * (0.5 + 2 * std::log(201))).epsilon(1e-14));
  CHECK(learner.guarantee().delta == 0);
  CHECK(learner.guarantee().relation == dplda::neighbours::replace);
  check_unproven(learner, dplda::privacy_unit::token, "no noise");
  CHECK(says(hdp_lda({.timing = noise_timing::as_printed}).guarantee().caveat, "every visit"));
  CHECK(says(refusal([] { hdp_lda({.topics = 0}); }), "topics"));
  CHECK(says(refusal([] { hdp_lda({.clip = std::numeric_limits<double>::infinity()}); }), "clip"));
  CHECK(says(refusal([] { hdp_lda({.epsilon = 0}); }), "epsilon"));
}

TEST_CASE("hdp_lda is SUB-LDA's chain with Laplace noise and clipping", "[hdp_lda]") {
  const corpus docs = small_corpus();
  CHECK(fitted(hdp_lda({.topics = 4, .sweeps = 5, .clip = 1e12, .epsilon = next_to_no_noise}), docs)
            .value()
            .phi()
            .isApprox(without_noise(docs, 5), 1e-5));
  // With SUB-LDA's noise of the same scale and the same clip, the bits are the same.
  const sub_lda other({.topics = 4,
                       .sweeps = 5,
                       .clip = 3,
                       .noise = dplda::published::gibbs_noise::laplace,
                       .timing = noise_timing::as_printed,
                       .epsilon = 2});
  const hdp_lda same(
      {.topics = 4, .sweeps = 5, .clip = 3, .epsilon = 2 / other.plan().scale, .timing = noise_timing::as_printed});
  CHECK(fitted(same, docs).value().phi().isApprox(fitted(other, docs).value().phi(), 1e-9));
  CHECK_FALSE(fitted(same, docs).value().phi().isApprox(without_noise(docs, 5), 1e-2));
}

TEST_CASE("rdp_lda claims what SUB-LDA claims without subsampling", "[rdp_lda]") {
  const rdp_lda learner({.topics = 4, .sweeps = 42});
  CHECK(learner.scale() == Catch::Approx(std::sqrt(3.5)).epsilon(1e-14));
  CHECK(learner.guarantee().epsilon == Catch::Approx(sub_lda({.sweeps = 42}).guarantee().epsilon).epsilon(1e-12));
  check_unproven(learner, dplda::privacy_unit::token, "drawing of topics");
  CHECK(says(refusal([] { rdp_lda({.order = 1}); }), "order"));
  CHECK(says(refusal([] { rdp_lda({.delta = 0}); }), "delta"));
  CHECK(fitted(rdp_lda({.topics = 4, .sweeps = 5, .epsilon = next_to_no_noise}), small_corpus())
            .value()
            .phi()
            .isApprox(without_noise(small_corpus(), 5), 1e-4));
}

TEST_CASE("rdp_lda: noisy counts are truncated normal values", "[rdp_lda]") {
  // A word without tokens among many topics: phi is (|N(0, sigma^2)| + beta) over the sum of two such. A topic's two words
  // have each a half-normal value, so their ratio is that of the two, whose logarithm is symmetric.
  const corpus docs = make_corpus({{}}, 2);
  constexpr std::size_t topics = 20000;
  const double sigma = std::sqrt(3.5);
  const auto phi = fitted(rdp_lda({.topics = topics, .sweeps = 1, .beta = 1e-9}), docs).value().phi();
  // P(|x| / (|x| + |y|) <= s) = 2 / pi atan(s / (1 - s)); Kolmogorov's distance at level 1e-6 is 2.75 / sqrt(n).
  std::vector<double> shares(phi.col(0).begin(), phi.col(0).end());
  std::sort(shares.begin(), shares.end());
  double distance = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double law = 2 / 3.14159265358979 * std::atan2(shares[i], 1 - shares[i]);
    distance = std::max({distance, std::abs(law - static_cast<double>(i) / topics),
                         std::abs(law - static_cast<double>(i + 1) / topics)});
  }
  CHECK(distance < 2.75 / std::sqrt(static_cast<double>(topics)));
  // The scale shows beside a known count: 1 token among 1 topic.
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const auto one = fitted(rdp_lda({.topics = 1, .sweeps = 1, .beta = 1}), make_corpus({{}}, 2), seed).value().phi();
    mean += std::abs(one(0, 0) - one(0, 1)) / 4000;
  }
  // E | |x| - |y| | / (|x| + |y| + 2) for half-normal x, y of deviation sigma, by quadrature.
  double exact = 0, total = 0;
  for (double x = 0.02; x < 6 * sigma; x += 0.04) {
    for (double y = 0.02; y < 6 * sigma; y += 0.04) {
      const double mass = std::exp(-(x * x + y * y) / (2 * sigma * sigma));
      exact += mass * std::abs(x - y) / (x + y + 2);
      total += mass;
    }
  }
  CHECK(mean == Catch::Approx(exact / total).margin(0.016));  // five standard errors, about
}

TEST_CASE("truncating a normal distribution at 0 costs nothing", "[rdp_lda]") {
  for (const double alpha : {1.01, 2.0, 14.0, 60.0}) {
    for (const double sigma : {0.5, 1.87, 10.0}) {
      for (const auto& [m, other] : {std::pair{0.0, 1.0}, {1.0, 0.0}, {3.0, 4.0}, {4.0, 3.0}, {0.0, 0.25}}) {
        CAPTURE(alpha, sigma, m, other);
        const double truncated = truncated_gaussian_divergence(m, other, sigma, alpha);
        const double plain = alpha * (m - other) * (m - other) / (2 * sigma * sigma);
        CHECK(truncated >= 0);
        CHECK(truncated <= plain * (1 + 1e-9));
        if (plain > 20) continue;  // beyond what the sum below can hold
        // By the definition: the sum over small steps.
        double p_total = 0, q_total = 0, mixed = 0;
        const double step = sigma / 400, mean = alpha * m + (1 - alpha) * other;
        for (double x = step / 2; x < std::max({m, other, mean, 0.0}) + 12 * sigma; x += step) {
          const double p = std::exp(-(x - m) * (x - m) / (2 * sigma * sigma));
          const double q = std::exp(-(x - other) * (x - other) / (2 * sigma * sigma));
          p_total += p;
          q_total += q;
          mixed += std::exp(-alpha * (x - m) * (x - m) / (2 * sigma * sigma) -
                            (1 - alpha) * (x - other) * (x - other) / (2 * sigma * sigma));
        }
        const double sum =
            (std::log(mixed) - alpha * std::log(p_total) - (1 - alpha) * std::log(q_total)) / (alpha - 1);
        CHECK(truncated == Catch::Approx(sum).epsilon(1e-4).margin(1e-5));
      }
    }
  }
  CHECK(truncated_gaussian_divergence(100, 101, 1, 2) == Catch::Approx(1));  // far from 0
  CHECK(says(refusal([] { truncated_gaussian_divergence(-1, 0, 1, 2); }), "mean"));
  CHECK(says(refusal([] { truncated_gaussian_divergence(0, 1, 1, 1); }), "alpha"));
}

TEST_CASE("zhu_lda claims document-level privacy", "[zhu_lda]") {
  const zhu_lda learner({.topics = 4, .sweeps = 6, .epsilon = 3});
  CHECK(learner.scale() == Catch::Approx(2.0 / 3));
  CHECK(learner.guarantee().epsilon == 3);
  CHECK(learner.guarantee().delta == 0);
  check_unproven(learner, dplda::privacy_unit::document, "exact counts");
  CHECK(says(refusal([] { zhu_lda({.sweeps = 0}); }), "sweeps"));
  CHECK(says(refusal([] { zhu_lda({.epsilon = -1}); }), "epsilon"));
}

TEST_CASE("zhu_lda: the last sweep draws from moved weights", "[zhu_lda]") {
  // One document of 2 tokens of one word, 3 topics, no noise to speak of. Given the other token in topic j, weights are
  // w_j = (1 + beta) / (1 + V beta) (1 + tau) and w_0 = beta / (V beta) tau for the two others; moved by the least, only
  // topic j is left. So after the last sweep both tokens are in one topic.
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto phi = fitted(zhu_lda({.topics = 3, .sweeps = 1, .tau = 5, .beta = 0.5, .epsilon = next_to_no_noise}),
                            make_corpus({{0, 0}}, 2), seed)
                         .value()
                         .phi();
    CHECK(phi.col(0).maxCoeff() == Catch::Approx(2.5 / 3));
  }
  // With all weights alike, which V = 1 and one token give, any topic is drawn.
  std::vector<int> drawn(3);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    gibbs_trace trace;
    const auto phi = fitted(zhu_lda({.topics = 3, .sweeps = 1, .beta = 0.5, .epsilon = next_to_no_noise}),
                            make_corpus({{0}}, 2), seed)
                         .value()
                         .phi();
    for (Eigen::Index k = 0; k < 3; ++k) drawn[static_cast<std::size_t>(k)] += phi(k, 0) > 0.6;
  }
  for (const int n : drawn) CHECK(std::abs(n - 1000) < 130);  // five standard deviations
}

TEST_CASE("zhu_lda: a word of one document always shows", "[zhu_lda]") {
  // Whatever the noise. Beta's share of a word that does not occur is the same in all topics without tokens of it.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool with : {false, true}) {
      std::vector<std::vector<dplda::word_id>> documents(30, {0, 1, 1});
      documents.push_back(with ? std::vector<dplda::word_id>{2} : std::vector<dplda::word_id>{});
      const auto phi =
          fitted(zhu_lda({.topics = 3, .sweeps = 5, .epsilon = 0.01}), make_corpus(documents, 4), seed).value().phi();
      CHECK((phi.col(2).array() > 1.5 * phi.col(3).array()).any() == with);
    }
  }
}

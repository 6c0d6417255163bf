// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/gibbs/hdp.hpp>
#include <dplda/inference/learner.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::hdp;
using dplda::hdp_options;
using dplda::hdp_state;
using dplda::seeded_random;
using dplda_tests::make_corpus;
using dplda_tests::refusal;

static_assert(dplda::TopicLearner<hdp>);

namespace {

// Which tokens share a topic: the number of each token's topic in order of first appearance.
using partition = std::vector<std::size_t>;

const std::vector<std::vector<dplda::word_id>> tiny_documents{{0, 0, 1}, {1, 2}};
constexpr double eta = 0.5;

std::vector<partition> all_partitions(std::size_t tokens) {
  std::vector<partition> all{{}};
  for (std::size_t i = 0; i < tokens; ++i) {
    std::vector<partition> longer;
    for (const partition& p : all) {
      const std::size_t used = p.empty() ? 0 : *std::max_element(p.begin(), p.end()) + 1;
      for (std::size_t k = 0; k <= used; ++k) {
        longer.push_back(p);
        longer.back().push_back(k);
      }
    }
    all = longer;
  }
  return all;
}

// The unsigned Stirling numbers of the first kind: seatings of n customers at m tables, in units of alpha^m.
double stirling(std::size_t n, std::size_t m) {
  if (n == 0 && m == 0) return 1;
  if (n == 0 || m == 0) return 0;
  return stirling(n - 1, m - 1) + static_cast<double>(n - 1) * stirling(n - 1, m);
}

double log_rise(double a, double n) { return std::lgamma(a + n) - std::lgamma(a); }

// p(words, partition | gamma, alpha) by the Chinese restaurant franchise: a sum over the numbers of tables m_dk.
double probability(const partition& p, double gamma, double alpha) {
  const std::size_t topics = *std::max_element(p.begin(), p.end()) + 1;
  std::vector<std::vector<std::size_t>> in_document(tiny_documents.size(), std::vector<std::size_t>(topics, 0));
  std::vector<std::vector<double>> of_word(topics, std::vector<double>(3, 0.0));
  double log_fixed = 0;
  for (std::size_t d = 0, i = 0; d < tiny_documents.size(); ++d) {
    for (const dplda::word_id w : tiny_documents[d]) {
      ++in_document[d][p[i]];
      ++of_word[p[i++]][w];
    }
    log_fixed -= log_rise(alpha, static_cast<double>(tiny_documents[d].size()));
  }
  for (const auto& counts : of_word) {
    double all = 0;
    for (const double n : counts) {
      log_fixed += log_rise(eta, n);
      all += n;
    }
    log_fixed -= log_rise(3 * eta, all);
  }
  std::vector<std::size_t> tables(topics, 0);
  const std::function<double(std::size_t)> sum = [&](std::size_t cell) -> double {
    if (cell == topics * tiny_documents.size()) {
      double log_p = 0, all = 0;
      for (const std::size_t m : tables) {
        log_p += std::log(gamma) + std::lgamma(static_cast<double>(m));
        all += static_cast<double>(m);
      }
      return std::exp(log_p + all * std::log(alpha) - log_rise(gamma, all));
    }
    const std::size_t n = in_document[cell % tiny_documents.size()][cell / tiny_documents.size()];
    double total = 0;
    for (std::size_t m = n > 0 ? 1 : 0; m <= n; ++m) {
      tables[cell / tiny_documents.size()] += m;
      total += stirling(n, m) * sum(cell + 1);
      tables[cell / tiny_documents.size()] -= m;
    }
    return total;
  };
  return std::exp(log_fixed) * sum(0);
}

struct posterior {
  std::map<partition, double> of;
  double gamma = 0, alpha = 0;  // means
};

// Fixed concentrations, or integrated under their Gamma priors over a fine grid of logarithms.
posterior exact(const hdp_options& o) {
  const auto grid = [](const dplda::hdp_concentration& c) {
    std::vector<std::pair<double, double>> points{{c.value, 1.0}};
    if (!c.learned) return points;
    points.clear();
    for (double t = -12; t <= 6; t += 0.25) {
      const double x = std::exp(t);
      points.emplace_back(x, std::exp(c.shape * t - c.rate * x));
    }
    return points;
  };
  posterior result;
  double total = 0;
  const auto gammas = grid(o.gamma), alphas = grid(o.alpha);
  for (const partition& p : all_partitions(5)) {
    for (const auto& [gamma, gamma_weight] : gammas) {
      for (const auto& [alpha, alpha_weight] : alphas) {
        const double mass = gamma_weight * alpha_weight * probability(p, gamma, alpha);
        result.of[p] += mass;
        result.gamma += mass * gamma;
        result.alpha += mass * alpha;
        total += mass;
      }
    }
  }
  for (auto& [p, mass] : result.of) mass /= total;
  result.gamma /= total;
  result.alpha /= total;
  return result;
}

partition partition_of(const hdp_state& state) {
  partition p;
  std::map<std::uint32_t, std::size_t> number;
  for (const std::uint32_t k : state.tokens().assignments())
    p.push_back(number.try_emplace(k, number.size()).first->second);
  return p;
}

// A mean over successive states, and its standard error from the means of 64 batches.
struct chain_mean {
  std::vector<double> batches = std::vector<double>(64, 0.0);
  double mean() const {
    double sum = 0;
    for (const double b : batches) sum += b;
    return sum / 64;
  }
  double error() const {
    double square = 0;
    for (const double b : batches) square += (b - mean()) * (b - mean());
    return std::sqrt(square / 63 / 64);
  }
};

struct chain_means {
  std::map<partition, chain_mean> of;
  chain_mean gamma, alpha;
};

chain_means run_chain(const hdp_options& o, std::size_t sweeps) {
  const corpus docs = make_corpus(tiny_documents, 3);
  const hdp learner(o);
  auto random = seeded_random(8);
  hdp_state state = learner.start(docs, random);
  chain_means means;
  const double share = 64 / static_cast<double>(sweeps);
  for (std::size_t i = 0; i < 100; ++i) learner.sweep(state);
  for (std::size_t i = 0; i < sweeps; ++i) {
    learner.sweep(state);
    const std::size_t batch = i * 64 / sweeps;
    means.of[partition_of(state)].batches[batch] += share;
    means.gamma.batches[batch] += share * state.gamma();
    means.alpha.batches[batch] += share * state.alpha();
  }
  return means;
}

// The largest distance, in standard errors, among partitions that are not rare.
double largest_distance(const chain_means& chain, const posterior& truth) {
  double largest = 0;
  for (const auto& [p, mass] : truth.of) {
    if (mass < 0.003) continue;
    const auto found = chain.of.find(p);
    const double mean = found == chain.of.end() ? 0 : found->second.mean();
    const double error = found == chain.of.end() ? 1e-4 : found->second.error();
    largest = std::max(largest, std::abs(mean - mass) / error);
  }
  return largest;
}

corpus eight_topics() {
  auto random = seeded_random(3);
  return dplda::synthetic_lda({.documents = 600, .words = 200, .topics = 8, .mean_length = 60}, random).docs;
}

}  // namespace

// A correct chain passes with probability 1 - 52 P(|t_63| > 5) > 0.9997.
TEST_CASE("hdp: partitions of a tiny corpus have their exact posterior", "[hdp]") {
  hdp_options o{.most_topics = 40,
                .start_topics = 2,
                .gamma = {.value = 1.3, .learned = false},
                .alpha = {.value = 0.8, .learned = false},
                .eta = eta,
                .threads = 1};
  const chain_means chain = run_chain(o, 60'000);
  CHECK(largest_distance(chain, exact(o)) < 5);
  // The same chain is far from neighbouring concentrations, so the check can fail.
  hdp_options other = o;
  other.alpha.value = 1.0;
  CHECK(largest_distance(chain, exact(other)) > 8);
  other = o;
  other.gamma.value = 1.7;
  CHECK(largest_distance(chain, exact(other)) > 8);
}

TEST_CASE("hdp: concentrations have their exact posterior", "[hdp]") {
  const hdp_options o{.most_topics = 60,
                      .start_topics = 2,
                      .gamma = {.shape = 2, .rate = 1.5},
                      .alpha = {.shape = 3, .rate = 4},
                      .eta = eta,
                      .threads = 1};
  const chain_means chain = run_chain(o, 60'000);
  const posterior truth = exact(o);
  CHECK(largest_distance(chain, truth) < 5);
  CHECK(std::abs(chain.gamma.mean() - truth.gamma) < 5 * chain.gamma.error());
  CHECK(std::abs(chain.alpha.mean() - truth.alpha) < 5 * chain.alpha.error());
  // The data move them from their priors' means, by far more than that.
  CHECK(std::abs(2 / 1.5 - truth.gamma) > 8 * chain.gamma.error());
}

TEST_CASE("hdp finds the number of topics", "[hdp]") {
  auto random = seeded_random(3);
  const auto data = dplda::synthetic_lda({.documents = 600, .words = 200, .topics = 8, .mean_length = 60}, random);
  auto bits = seeded_random(1);
  const hdp_state state = hdp({.start_topics = 20, .burn_in = 200, .threads = 1}).fit_state(data.docs, bits);
  // A topic that stays cut in two is found twice.
  const Eigen::VectorXd totals = state.tokens().topic_totals();
  const auto large = (totals.array() > 0.01 * totals.sum()).count();
  CHECK(large >= 8);
  CHECK(large <= 12);
  const auto model = state.model();
  CHECK(model.alpha().size() == static_cast<Eigen::Index>(state.found()));
  const auto same = dplda::select_topics(model, dplda::align_topics(model, data.model));
  CHECK(dplda::compare_models(same, data.model).l1_mean < 0.2);
}

TEST_CASE("hdp: same seed, same bits, for every number of threads", "[hdp]") {
  const corpus docs = eight_topics();
  for (const std::size_t shards : {1u, 3u}) {
    std::vector<Eigen::MatrixXd> found;
    for (const std::size_t threads : {1u, 2u, 5u}) {
      auto random = seeded_random(4);
      found.push_back(hdp({.burn_in = 20, .samples = 3, .shards = shards, .threads = threads}).fit(docs, random).phi());
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
  }
}

TEST_CASE("hdp gives as many topics as asked for, largest first", "[hdp]") {
  const corpus docs = eight_topics();
  auto random = seeded_random(4);
  const hdp_state state = hdp({.burn_in = 60, .samples = 2, .threads = 1}).fit_state(docs, random);
  CHECK(state.model().topics() == state.found());
  CHECK(state.model(3).phi() == state.model().phi().topRows(3));
  const auto more = state.model(state.found() + 2);
  // Topics without tokens are as the prior says.
  CHECK(more.phi().bottomRows(1).maxCoeff() == Catch::Approx(1.0 / 200));
  CHECK(more.phi().bottomRows(1).minCoeff() == Catch::Approx(1.0 / 200));
  CHECK_THROWS_AS(state.model(151), std::invalid_argument);
  CHECK(state.weights().sum() == Catch::Approx(1).epsilon(1e-12));
}

TEST_CASE("hdp: corpora and settings at the edge", "[hdp]") {
  auto random = seeded_random(4);
  // Without tokens there is no topic; the result has one, as the prior says.
  CHECK(hdp({.burn_in = 3}).fit(make_corpus({{}, {}}, 3), random).topics() == 1);
  // More topics than numbers: the chain goes on with as many as there are.
  const hdp_state full = hdp({.most_topics = 2, .start_topics = 2, .burn_in = 30}).fit_state(eight_topics(), random);
  CHECK(full.found() == 2);
  // A stopped fit has topics too.
  CHECK(hdp().fit(eight_topics(), random, [](const dplda::progress& now) { return now.step == 2; }).topics() >= 1);

  CHECK(refusal([] { hdp({.most_topics = 1, .start_topics = 1}); }).find("most_topics") != std::string::npos);
  CHECK(refusal([] { hdp({.topics = 151}); }).find("topics") != std::string::npos);
  CHECK(refusal([] { hdp({.start_topics = 0}); }).find("start_topics") != std::string::npos);
  CHECK(refusal([] { hdp({.gamma = {.value = 0}}); }).find("gamma.value") != std::string::npos);
  CHECK(refusal([] { hdp({.alpha = {.rate = -1}}); }).find("alpha.rate") != std::string::npos);
  CHECK(refusal([] { hdp({.eta = 0}); }).find("eta") != std::string::npos);
  CHECK_THROWS_AS(hdp().fit(corpus(), random), std::invalid_argument);
}

TEST_CASE("A topic's average has no counts of another topic that had its number", "[inference][hdp]") {
  const corpus docs =
      dplda::synthetic_lda({.documents = 60, .words = 40, .topics = 3, .mean_length = 15}, seeded_random(3)).docs;
  constexpr std::size_t burn_in = 20, samples = 10, spacing = 20, most = 40;
  const hdp learner({.most_topics = most,
                     .start_topics = 20,
                     .burn_in = burn_in,
                     .samples = samples,
                     .spacing = spacing,
                     .gamma = {.value = 10, .learned = false}});
  std::size_t taken_over = 0;  // topics at the end whose number was another topic's at an earlier sample
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // The same chain, sweep by sweep.
    auto again = seeded_random(seed);
    hdp_state state = learner.start(docs, again);
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(most, 40);
    std::vector<double> kept(most, 0);
    std::vector<bool> had_before(most, false);
    for (std::size_t sweep = 1; sweep <= burn_in + samples * spacing; ++sweep) {
      learner.sweep(state);
      const Eigen::VectorXd totals = state.tokens().topic_totals();
      for (std::size_t k = 0; k < most; ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        if (totals[row] == 0) {
          had_before[k] = had_before[k] || kept[k] > 0;
          sums.row(row).setZero();
          kept[k] = 0;
        } else if (sweep > burn_in && (sweep - burn_in) % spacing == 0) {
          for (dplda::word_id w = 0; w < 40; ++w) sums(row, static_cast<Eigen::Index>(w)) += state.tokens().count(w, k);
          ++kept[k];
        }
      }
    }
    auto random = seeded_random(seed);
    const dplda::topic_model<> model = learner.fit(docs, random);
    const Eigen::VectorXd totals = state.tokens().topic_totals();
    std::vector<std::size_t> order(most);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return totals[static_cast<Eigen::Index>(a)] > totals[static_cast<Eigen::Index>(b)];
    });
    for (std::size_t i = 0; i < model.topics(); ++i) {
      const std::size_t k = order[i];
      Eigen::RowVectorXd expected = sums.row(static_cast<Eigen::Index>(k)) / kept[k];
      expected.array() += 0.05;
      expected /= expected.sum();
      CHECK((model.phi().row(static_cast<Eigen::Index>(i)) - expected).cwiseAbs().maxCoeff() < 1e-12);
      taken_over += had_before[k];
    }
  }
  CHECK(taken_over > 0);  // or nothing was tested
}

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_SUB_LDA_HPP
#define DPLDA_PUBLISHED_SUB_LDA_HPP

// Formulas, arguments, options and limits: inference/gibbs/README.md

// Noisy collapsed Gibbs sampling as Huang and Chen published it (SUB-LDA: Improving privacy guarantee and efficiency of
// latent Dirichlet allocation model training under differential privacy, 2021), and without subsampling as Zhao et al.
// did (HDP-LDA: Latent Dirichlet allocation model training with differential privacy, 2020), for reproduction and
// comparison. For topics to be used, take a proven engine.
//
// Claim: the papers': T sweeps have Renyi divergence T eps_sub(alpha) at order alpha for adding or removing one token.
//   guarantee() is that claim at its best order, as (epsilon, delta), and has basis::as_published. Ours: none. The
//   ledger of a release holds an event to which no accountant gives a finite epsilon.
// Why the papers' claim is not a proof:
//   - The counts n_m^k of topics in a document get no noise, and they determine how the topics of all its tokens are
//     drawn. One more token changes the distribution of all others in its document and, through the counts n_k^t, that
//     of all documents. So the counts of a later sweep may differ by far more than 1, the assumed sensitivity.
//   - Equation (3) holds for a release of the sampled tokens alone. The noisy counts are counts of all tokens, so
//     sampling hides nothing: the claim for ratio gamma would at best be the one for ratio 1.
//   - Algorithm 1 adds noise to the counts of a word at each visit of one of its tokens. The counts are thus released
//     as often as the word is visited in a sweep, but the paper counts one release. Besides, with `as_printed` the
//     noise of all visits adds up and drowns the counts, and a word that does not occur gets no noise, so its absence
//     shows.
//   - Adaptive subsampling chooses the words to be sampled by counts without noise.
//   - A run that stops when training perplexity has settled reveals something about that perplexity.
//   - Exchanging a token moves two counts, not one. HDP-LDA also pays 2 log(clip / beta + 1) a sweep for the drawing of
//     topics; SUB-LDA does not.
// Test: tests/published/sub_lda_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/amplification.hpp>
#include <dplda/accounting/published.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/gibbs_chain.hpp>
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dplda::inline v0_1::published {

/// The noise on a count n_k^t.
enum class gibbs_noise { gaussian, laplace };

/// When the counts n_k^t get noise. In between, they change with the topics and keep their noise.
enum class noise_timing {
  as_printed,  ///< at each visit of a token, on all counts of its word, in addition to earlier noise: algorithm 1
  each_token,  ///< at each visit of a token, on all counts of its word, in place of earlier noise
  each_sweep   ///< at the start of each sweep, on all counts, in place of earlier noise
};

/// The divergence of order `order` of this noise on a count that changes by 1: l / (2 sigma^2) for Gaussian noise of
/// standard deviation `scale`. Throws as gaussian_rdp and laplace_rdp do.
inline double noise_divergence(gibbs_noise noise, double scale, double order) {
  return noise == gibbs_noise::gaussian ? gaussian_rdp(scale, order) : laplace_rdp(scale, order);
}

/// The scale at which that divergence is epsilon: sigma^2 = alpha / (2 epsilon), or the Laplace scale.
/// Throws std::invalid_argument unless alpha is in [2, 10000] and epsilon in [1e-6, 1e12].
inline double noise_scale(gibbs_noise noise, std::uint64_t alpha, double epsilon) {
  const char* const function = "published::noise_scale";
  detail::require(alpha >= 2 && alpha <= 10'000, function, "order", alpha, "must lie in [2, 10000]");
  detail::require(epsilon >= 1e-6 && epsilon <= 1e12, function, "epsilon", epsilon, "must lie in [1e-6, 1e12]");
  const auto a = static_cast<double>(alpha);
  if (noise == gibbs_noise::gaussian) return std::sqrt(a / (2 * epsilon));
  // The divergence is at most 1 / scale, and less by log(2) at most.
  const auto excess = [&](double inverse) { return laplace_rdp(1 / inverse, a) - epsilon; };
  return 1 / detail::increasing_root(excess, epsilon, epsilon + 0.7);
}

/// The efficiency-privacy function, equation (6): I(gamma) = gamma exp((alpha - 1) eps_sub(alpha)), with eps_sub as in
/// sub_lda_divergence. Lemma 4.1 says that it rises and then falls. It does not: gamma = 0 minimises the moment
/// exp((alpha - 1) eps_sub), which is convex in gamma, so I increases on (0, 1]. The paper's Figure 1, which falls,
/// shows I without the last term of equation (3) (sub_lda_sum::table). Throws as sub_lda_divergence does.
template <class BaseDivergence>
double efficiency_privacy(std::uint64_t alpha, double gamma, const BaseDivergence& base,
                          sub_lda_sum sum = sub_lda_sum::equation) {
  return gamma * std::exp((static_cast<double>(alpha) - 1) * sub_lda_divergence(alpha, gamma, base, sum));
}

/// Equations (7) and (8): |sub - hdp| / hdp. Of times per sweep it is the speed-up ratio, of perplexities the
/// perplexity ratio.
/// Throws std::invalid_argument unless hdp > 0.
inline double ratio_to_hdp_lda(double sub, double hdp) {
  detail::require(hdp > 0, "published::ratio_to_hdp_lda", "hdp", hdp, "must be positive");
  return std::abs(sub - hdp) / hdp;
}

/// Lemma 5.1: (epsilon, delta) after uniform subsampling with ratio gamma, after adaptive subsampling with ratio
/// v gamma, and the lemma's bound on the latter, epsilon' - log(eta q) and gamma delta / (eta q). Since eta q = 1/v,
/// the bound is epsilon' + log(v) and v gamma delta: adaptive subsampling is worse, by up to a factor v.
struct adaptive_subsampling {
  budget uniform, adaptive, bound;
};

/// Throws std::invalid_argument unless 0 < gamma <= 1 <= v <= 1 / gamma, and as amplify_by_poisson_sampling does.
inline adaptive_subsampling lemma_5_1(const budget& base, double gamma, double v) {
  detail::require(gamma > 0 && gamma <= 1, "published::lemma_5_1", "gamma", gamma, "must lie in (0, 1]");
  detail::require(v >= 1 && v * gamma <= 1, "published::lemma_5_1", "v", v, "must lie in [1, 1 / gamma]");
  const auto at = [&](double ratio) { return amplify_by_poisson_sampling(base, ratio, neighbours::add_remove); };
  const budget uniform = at(gamma);
  return {uniform, at(v * gamma), {uniform.epsilon + std::log(v), v * gamma * base.delta}};
}

/// Equation (12): the variance of a uniform sample's size divided by that of an adaptive one's. (The ratio of the means
/// is eta, equation (11).)
/// Throws std::invalid_argument unless 0 < v gamma < 1 and q > 0.
inline double sample_variance_ratio(double gamma, double v, double q) {
  const char* const function = "published::sample_variance_ratio";
  detail::require(v * gamma > 0 && v * gamma < 1, function, "v gamma", v * gamma, "must lie in (0, 1)");
  detail::require(q > 0, function, "q", q, "must be positive");
  return (1 - gamma) / (q * v * (1 - v * gamma));
}

/// The settings of algorithm 1. Order, epsilon, topics and sweeps are those of the paper's experiments; it does not
/// state tau, beta and clip.
struct sub_lda_options {
  std::size_t topics = 100;
  std::uint64_t sweeps = 100;  ///< ITER: at most this many
  double gamma = 1;            ///< the share of tokens that a sweep visits, in (0, 1]; 1: HDP-LDA
  double tau = 0.1;            ///< prior of a document's topic proportions
  double beta = 0.01;          ///< prior of a topic's words
  double clip = std::numeric_limits<double>::infinity();  ///< upper bound of noisy counts
  gibbs_noise noise = gibbs_noise::gaussian;
  noise_timing timing = noise_timing::as_printed;
  std::uint64_t order = 14;   ///< alpha
  double epsilon = 2;         ///< eps(alpha), of a sweep without subsampling
  double delta = 1e-5;        ///< at which the claim is stated
  double frequent_share = 0;  ///< q of equation (10); 0: uniform subsampling
  double size_ratio = 1;      ///< eta of equation (11): frequent words are sampled with ratio v gamma, v = 1 / (eta q)
  double threshold = 0;       ///< of equation (9), on training perplexity; 0: run all sweeps
  std::size_t settled = 5;    ///< s of equation (9)
};

/// What a fit will do and what the paper claims for it, decided before a document is read.
struct sub_lda_plan {
  double scale;                ///< sigma, or the Laplace scale, of the noise on a count
  double ratio;                ///< the largest probability with which a token is visited: gamma, or v gamma
  double divergence;           ///< eps_sub(alpha) of a sweep, equation (3)
  dplda::ledger counted;       ///< the events as the paper counts them, not as they happen
  dplda::guarantee guarantee;  ///< the paper's claim for all sweeps
};

/// What the paper's figures show, sweep by sweep. It depends on the documents, and no claim covers it.
struct sub_lda_trace {
  std::vector<double> perplexity;      ///< of the training documents
  std::vector<std::uint64_t> visited;  ///< tokens
};

/// Huang and Chen, algorithm 1.
///
///   dplda::published::sub_lda learner({.topics = 50, .gamma = 0.5});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class sub_lda {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range. The range of v is (1, 1 / gamma).
  explicit sub_lda(const sub_lda_options& options) : options_(options) {
    check_options();
    const sub_lda_options& o = options_;
    plan_.scale = noise_scale(o.noise, o.order, o.epsilon);
    plan_.ratio = o.frequent_share > 0 ? o.gamma / (o.size_ratio * o.frequent_share) : o.gamma;
    plan_.divergence =
        sub_lda_divergence(o.order, plan_.ratio, [&](double l) { return noise_divergence(o.noise, plan_.scale, l); });
    plan_.counted = counted(o.sweeps);
    plan_.guarantee = claim(o.sweeps);
  }

  const sub_lda_options& options() const noexcept { return options_; }
  const sub_lda_plan& plan() const noexcept { return plan_; }
  /// The paper's claim for all sweeps.
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// The paper's accumulated loss, a Renyi divergence of order alpha: the number of sweeps times equation (3).
  double accumulated_loss(std::uint64_t sweeps) const { return static_cast<double>(sweeps) * plan_.divergence; }

  /// The paper's claim for this many sweeps, at its best order. Throws std::invalid_argument for 0 sweeps.
  dplda::guarantee claim(std::uint64_t sweeps) const {
    dplda::guarantee claimed = price(counted(sweeps), options_.delta, accountant::rdp);
    claimed.basis = basis::as_published;
    claimed.caveat = caveat();
    return claimed;
  }

  /// Learns topics: equation (2) with the noisy counts after the last sweep. The convergence rule may end the fit
  /// early; the claim is then that for the sweeps done. The observer sees the sweeps' numbers; if it stops the fit, fit
  /// throws fit_stopped.
  /// Throws std::invalid_argument if the vocabulary is empty or not public (declare_public).
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {},
                             sub_lda_trace* trace = nullptr) const {
    detail::require_one_process("published::sub_lda::fit", random);
    const sub_lda_options& o = options_;
    detail::require(docs.words() > 0, "published::sub_lda::fit", "vocabulary", "empty", "must have at least 1 word");
    detail::require_public_words("published::sub_lda::fit", *docs.vocab());
    detail::require(docs.tokens() <= 0x7FFFFFFFu, "published::sub_lda::fit", "number of tokens", docs.tokens(),
                    "must be at most 2147483647");
    const random_source source = random.fork();
    // Noise has its own bits, so as the noise tends to 0 the chain becomes the one without noise.
    chacha20 start = source.stream("sub_lda.start"), coins = source.stream("sub_lda.sample"),
             topics = source.stream("sub_lda.topics"), noise = source.stream("sub_lda.noise");
    detail::noisy_count_chain chain(docs, o.topics, o.tau, o.beta, o.clip, start);
    detail::count_noise law(o.noise == gibbs_noise::laplace, plan_.scale);
    const auto renew = [&](std::size_t word) {
      chain.renew_noise(word, o.timing == noise_timing::as_printed, law.draw(noise, o.topics));
    };
    const auto before_visit = [&](std::size_t word) {
      if (o.timing != noise_timing::each_sweep) renew(word);
    };
    const coin visits(plan_.ratio);
    detail::convergence_rule settled(o.threshold, o.settled);
    std::uint64_t done = 0;
    for (bool stop = false; done < o.sweeps && !stop;) {
      if (o.timing == noise_timing::each_sweep) {
        for (std::size_t word = 0; word < docs.words(); ++word) renew(word);
      }
      std::vector<unsigned char> frequent;
      if (o.frequent_share > 0) frequent = chain.frequent_words(o.frequent_share);
      const auto taken = [&](std::size_t word, std::size_t topic) {
        return (frequent.empty() || frequent[word * o.topics + topic] != 0) && visits(coins);
      };
      const std::uint64_t visited = chain.sweep(topics, taken, before_visit);
      ++done;
      if (trace != nullptr || o.threshold > 0) {
        const double perplexity = chain.training_perplexity(chain.phi());
        stop = o.threshold > 0 && settled(perplexity);
        if (trace != nullptr) {
          trace->perplexity.push_back(perplexity);
          trace->visited.push_back(visited);
        }
      }
      if (!stop) detail::tell(watch, {static_cast<std::size_t>(done), static_cast<std::size_t>(o.sweeps)});
    }
    dplda::ledger spent;
    spent.record(unbounded_event(), done);
    if (random.seeded()) spent.mark_seeded();
    const Eigen::VectorXd prior = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(o.topics), o.tau);
    return release<topic_model<>>(topic_model<>(chain.phi(), docs.vocab(), prior), claim(done), spent);
  }

 private:
  void check_options() const {
    const char* const function = "published::sub_lda";
    const sub_lda_options& o = options_;
    detail::require(o.topics >= 1 && o.topics <= 1'000'000, function, "topics", o.topics, "must lie in [1, 1000000]");
    detail::require(o.sweeps >= 1, function, "sweeps", o.sweeps, "must be at least 1");
    detail::require(o.gamma > 0 && o.gamma <= 1, function, "gamma", o.gamma, "must lie in (0, 1]");
    detail::require(o.tau > 0 && o.tau <= 1e6, function, "tau", o.tau, "must lie in (0, 1000000]");
    detail::require(o.beta > 0 && o.beta <= 1e6, function, "beta", o.beta, "must lie in (0, 1000000]");
    detail::require(o.clip > 0, function, "clip", o.clip, "must be positive");
    detail::require(o.delta > 0 && o.delta < 1, function, "delta", o.delta, "must lie in (0, 1)");
    detail::require(o.frequent_share >= 0 && o.frequent_share <= 1, function, "frequent_share", o.frequent_share,
                    "must lie in [0, 1]");
    detail::require(o.size_ratio > 0 && std::isfinite(o.size_ratio), function, "size_ratio", o.size_ratio,
                    "must be positive and finite");
    if (o.frequent_share > 0) {
      const double v = 1 / (o.size_ratio * o.frequent_share);
      detail::require(v > 1 && v * o.gamma < 1, function, "v = 1 / (size_ratio frequent_share)", v,
                      detail::text("must lie in (1, ", 1 / o.gamma, "); otherwise nothing is adapted"));
    }
    detail::require(o.threshold >= 0, function, "threshold", o.threshold, "must not be negative");
  }

  dplda::ledger counted(std::uint64_t sweeps) const {
    const mechanism noise = options_.noise == gibbs_noise::gaussian ? mechanism(gaussian_noise{plan_.scale})
                                                                    : mechanism(laplace_noise{plan_.scale});
    dplda::ledger book;
    book.record({noise, poisson_sample{plan_.ratio}, privacy_unit::token, neighbours::add_remove,
                 "noisy counts, as SUB-LDA counts them"},
                sweeps);
    return book;
  }

  static privacy_event unbounded_event() {
    return {nothing_proven, all_units{}, privacy_unit::token, neighbours::add_remove, "noisy counts, nothing proven"};
  }

  std::string caveat() const {
    std::string reasons =
        "the counts of topics in a document get no noise, so one token may change the topics of all others";
    if (options_.timing != noise_timing::each_sweep)
      reasons += ", counts are released with new noise at every visit of a token but priced once a sweep";
    if (options_.gamma < 1)
      reasons += ", sampling is credited with amplification, although the noisy counts are of all tokens";
    if (options_.frequent_share > 0) reasons += ", frequent words are chosen by counts without noise";
    if (options_.threshold > 0) reasons += ", the number of sweeps depends on training perplexity";
    return reasons + "; nothing is proven about it.";
  }

  sub_lda_options options_;
  sub_lda_plan plan_{};
};

}  // namespace dplda::inline v0_1::published

#endif

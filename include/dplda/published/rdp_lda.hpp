// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_RDP_LDA_HPP
#define DPLDA_PUBLISHED_RDP_LDA_HPP

// Collapsed Gibbs sampling with truncated Gaussian noise, after Huang, Zhao, Chen and Liu (RDP-LDA: Improving parameter
// estimation and defensive ability of latent Dirichlet allocation model training under Renyi differential privacy, JCST
// 37(6), 2022), for comparison. The paper is not at hand. What is known of it, from its abstract, from Huang and
// Chen 2021 and from Table 5 of Manzonelli et al. 2024:
//   - it accounts for Gibbs sampling with noisy counts in Renyi divergences, for one word (token) more or less: here as
//     Huang and Chen 2021 do, with sigma^2 = alpha / (2 eps(alpha)) and the same divergence for each sweep;
//   - a "truncated-Gaussian mechanism" keeps noisy counts non-negative: here a count n gets a value of the normal
//     distribution of mean n and variance sigma^2 given that it is not negative. The paper may truncate otherwise;
//   - "distribution perturbation" replaces the inherent loss of drawing topics (hdp_lda.hpp). We do not know how, so it
//     is not here, and the claim below leaves that loss out.
//
// Claim: the paper's, as far as it is known: T sweeps have Renyi divergence T eps(alpha) at order alpha for adding or
//   removing one token. guarantee() is that claim at its best order, as (epsilon, delta), with basis::as_published.
//   Ours: none. The ledger of a release holds an event to which no accountant gives a finite epsilon.
// What can be proven: truncation costs nothing. Let F(m) = log Phi(m / sigma), the logarithm of the probability that
//   a normal value of mean m is not negative. The divergence of order alpha of means m, m' is that without truncation,
//   alpha (m - m')^2 / (2 sigma^2), plus [F(alpha m + (1 - alpha) m') - alpha F(m) - (1 - alpha) F(m')] / (alpha - 1).
//   F is concave, and m lies between m* = alpha m + (1 - alpha) m' and m', at m = m*/alpha + (1 - 1/alpha) m'. So the
//   bracket is not positive. truncated_gaussian_divergence() is this number.
// Why the claim is not a proof: as in sub_lda.hpp, the counts of topics in a document get no noise, so one token may
//   change the topics of all others.
// Test: tests/published/gibbs_papers_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/gibbs_run.hpp>
#include <dplda/published/noise_timing.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

namespace dplda::inline v0_1::published {

/// The Renyi divergence of order alpha of two normal distributions of this standard deviation, each given that its value
/// is not negative. Throws std::invalid_argument unless alpha > 1, deviation > 0 and both means are at least 0.
inline double truncated_gaussian_divergence(double mean, double other_mean, double deviation, double alpha) {
  const char* const function = "published::truncated_gaussian_divergence";
  detail::require(alpha > 1 && std::isfinite(alpha), function, "alpha", alpha, "must be above 1 and finite");
  detail::require(deviation > 0 && std::isfinite(deviation), function, "deviation", deviation,
                  "must be positive and finite");
  for (const double m : {mean, other_mean}) {
    detail::require(m >= 0 && std::isfinite(m), function, "mean", m, "must be at least 0 and finite");
  }
  const auto log_share = [&](double m) {  // F
    const double x = m / (deviation * std::numbers::sqrt2);
    if (x > -20) return std::log(std::erfc(-x) / 2);
    const double t = 1 / (2 * x * x);
    return -x * x - std::log(-2 * x * std::sqrt(std::numbers::pi)) + std::log1p(-t + 3 * t * t - 15 * t * t * t);
  };
  const double apart = (mean - other_mean) / deviation;
  const double bracket = log_share(alpha * mean + (1 - alpha) * other_mean) - alpha * log_share(mean) -
                         (1 - alpha) * log_share(other_mean);
  return alpha * apart * apart / 2 + bracket / (alpha - 1);
}

/// The settings. Order and epsilon are those of SUB-LDA's experiments.
struct rdp_lda_options {
  std::size_t topics = 100;
  std::uint64_t sweeps = 100;
  double tau = 0.1;          ///< prior of a document's topic proportions
  double beta = 0.01;        ///< prior of a topic's words
  std::uint64_t order = 14;  ///< alpha
  double epsilon = 2;        ///< eps(alpha), of a sweep
  double delta = 1e-5;       ///< at which the claim is stated
};

/// Huang et al. 2022, as far as it is known.
///
///   dplda::published::rdp_lda learner({.topics = 50});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class rdp_lda {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range.
  explicit rdp_lda(const rdp_lda_options& options) : options_(options) {
    const char* const function = "published::rdp_lda";
    const rdp_lda_options& o = options_;
    detail::check_chain(function, o.topics, o.sweeps, o.tau, o.beta, 1);
    detail::require(o.order >= 2 && o.order <= 10'000, function, "order", o.order, "must lie in [2, 10000]");
    detail::require(o.epsilon >= 1e-6 && o.epsilon <= 1e12, function, "epsilon", o.epsilon, "must lie in [1e-6, 1e12]");
    detail::require(o.delta > 0 && o.delta < 1, function, "delta", o.delta, "must lie in (0, 1)");
    ledger counted;
    counted.record({gaussian_noise{scale()}, all_units{}, privacy_unit::token, neighbours::add_remove,
                    "noisy counts, as RDP-LDA counts them"},
                   o.sweeps);
    guarantee_ = price(counted, o.delta, accountant::rdp);
    guarantee_.basis = basis::as_published;
    guarantee_.caveat =
        "the counts of topics in a document get no noise, so one token may change the topics of all others, and the "
        "drawing of topics is not counted; nothing is proven about it.";
  }

  const rdp_lda_options& options() const noexcept { return options_; }
  /// The standard deviation of the noise on a count, before truncation.
  double scale() const { return std::sqrt(static_cast<double>(options_.order) / (2 * options_.epsilon)); }
  /// The paper's claim for all sweeps.
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Learns topics from the noisy counts after the last sweep; all counts get new noise at the start of each. The observer
  /// sees the sweeps' numbers; if it stops the fit, fit throws fit_stopped. Throws std::invalid_argument if the
  /// vocabulary is empty or not public.
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {},
                             gibbs_trace* trace = nullptr) const {
    const rdp_lda_options& o = options_;
    detail::gibbs_run run("published::rdp_lda::fit", docs, random, o.topics, o.tau, o.beta,
                          std::numeric_limits<double>::infinity());
    detail::count_noise law(false, scale());
    std::vector<double> row(o.topics);
    const auto draw = [&](std::size_t word) {
      const std::span<const double> first = law.draw(run.noise(), o.topics);
      std::copy(first.begin(), first.end(), row.begin());
      for (std::size_t k = 0; k < row.size(); ++k) {
        while (run.chain().count(word, k) + row[k] < 0) row[k] = law.draw(run.noise(), 1)[0];
      }
      return std::span<const double>(row);
    };
    for (std::uint64_t done = 1; done <= o.sweeps; ++done) {
      const std::uint64_t visited = run.sweep(noise_timing::each_sweep, draw, [](auto, auto) { return true; });
      run.note(trace, visited);
      detail::tell(watch, {static_cast<std::size_t>(done), static_cast<std::size_t>(o.sweeps)});
    }
    return run.released(guarantee_, o.sweeps);
  }

 private:
  rdp_lda_options options_;
  dplda::guarantee guarantee_;
};

}  // namespace dplda::inline v0_1::published

#endif

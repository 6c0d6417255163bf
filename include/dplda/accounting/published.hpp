// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_PUBLISHED_HPP
#define DPLDA_ACCOUNTING_PUBLISHED_HPP

// The accounting of three papers as printed, so that their tables can be reproduced and compared. None of it proves
// privacy: a guarantee made with these numbers has basis::as_published. Figures are rounded to nearest.
// Test: tests/accounting/published_test.cpp

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/zcdp.hpp>

#include <cmath>
#include <cstdint>

namespace dplda::inline v0_1::published {

/// The three compositions that Park, Foulds, Chaudhuri and Welling (Private topic modeling, 2016) compare.
enum class park_composition { linear, advanced, zcdp };

/// What one step of their private variational inference may spend, and the noise that it needs.
struct park_step {
  /// epsilon' and delta': a step as seen from the whole corpus, equation (5).
  budget amplified;
  /// epsilon_iter and delta_iter: a step as seen from its minibatch, equation (6).
  budget iteration;
  /// sigma over the sensitivity, equation (3).
  double multiplier;
};

/// Park et al., equations (5), (6) and (3): a total budget over `steps` steps, each on a minibatch of the share `rate`
/// of the documents. delta_iter is free in the paper (its code has 1e-6); delta' = rate delta_iter. Then epsilon' is
///   zcdp:     sqrt(4 rho log(1.25/delta') / J), sqrt(rho) = sqrt(L + epsilon_total) - sqrt(L), L = log(1/delta_total);
///   linear:   epsilon_total / J;
///   advanced: the root of J e (exp(e) - 1) + sqrt(2 J log(1/slack)) e = epsilon_total, slack = delta_total - J delta'.
/// Why it is not a proof: equation (3) requires epsilon_iter < 1 but is used with 4 to 6; an amplified Gaussian
/// mechanism is not zCDP; and the paper divides the sensitivity by the size of the corpus instead of the minibatch.
/// Throws std::invalid_argument unless epsilon_total > 0, 0 < delta_total < 1, steps >= 1, 0 < rate <= 1,
/// 0 < delta_iter < 1, and, for linear and advanced, J delta' < delta_total.
park_step park_chain(const budget& total, std::uint64_t steps, double rate, double delta_iter,
                     park_composition composition);

/// Where the sum of equation (3) in Huang and Chen (Improving privacy guarantee and efficiency of LDA model training,
/// 2021) ends: at l = alpha, as the equation says, or at l = alpha - 1, which is what their Table 3 was computed with.
enum class sub_lda_sum { equation, table };

/// Huang and Chen, equation (3): the Renyi divergence of integer order alpha on a Poisson sample of rate gamma,
///   log((1-g)^(a-1) (a g - g + 1) + sum_{l=2}^{a} C(a,l) (1-g)^(a-l) g^l e^((l-1) base(l))) / (a-1),
/// base(l) the divergence of order l of the mechanism; for Gaussian noise l/(2 sigma^2). `factor` multiplies the terms
/// l >= 3: 3 in the bound for any mechanism (Zhu and Wang, Poisson subsampled RDP, 2019), 1 for Gaussian and Laplace
/// noise. Why it is not a proof for SUB-LDA: its noisy counts include the tokens that were not sampled, so nothing is
/// amplified; and a divergence of order 14 is not an epsilon. Throws std::invalid_argument unless alpha >= 2,
/// 0 <= gamma <= 1.
template <class BaseDivergence>
double sub_lda_divergence(std::uint64_t alpha, double gamma, const BaseDivergence& base,
                          sub_lda_sum sum = sub_lda_sum::equation, double factor = 1) {
  const char* const function = "published::sub_lda_divergence";
  detail::require(alpha >= 2, function, "alpha", alpha, "must be at least 2");
  detail::require(gamma >= 0 && gamma <= 1, function, "gamma", gamma, "must lie in [0, 1]");
  const auto a = static_cast<double>(alpha);
  const std::uint64_t last = sum == sub_lda_sum::equation ? alpha : alpha - 1;
  // 0 log 0 = 0 below: at the ends of [0, 1] one term remains.
  const auto times_log = [](double n, double x) { return n == 0 ? 0 : n * std::log(x); };
  double log_sum = times_log(a - 1, 1 - gamma) + std::log((a - 1) * gamma + 1), log_choose = std::log(a);
  for (std::uint64_t l = 2; l <= last; ++l) {
    const auto x = static_cast<double>(l);
    log_choose += std::log((a - x + 1) / x);
    const double weight = l >= 3 ? std::log(factor) : 0;
    log_sum = detail::log_add(
        log_sum, weight + log_choose + times_log(a - x, 1 - gamma) + times_log(x, gamma) + (x - 1) * base(x));
  }
  return log_sum / (a - 1);
}

/// The sample sizes of Wang et al. (TopicDP, 2022), Algorithm 1.
struct topicdp_samples {
  /// The Lambert-W optimum rho = exp(W_{-1}(-gamma/(2 sqrt e)) + 1/2).
  double rho;
  /// Pairs of neighbouring corpora to sample; each needs two fits.
  std::uint64_t h;
  /// Which of the sorted differences is used as the sensitivity; always h itself, the largest.
  std::uint64_t k;
};

/// h = ceil(log(1/rho) / (2 (gamma - rho)^2)) and k = ceil(h (1 - gamma + rho + sqrt(log(1/rho)/(2h)))), at most h.
/// Gamma is the probability over random data that the guarantee fails. Throws std::invalid_argument unless 0 < gamma
/// < 1.
topicdp_samples topicdp_sample_sizes(double gamma);

/// The Renyi budget of TopicDP's route from (epsilon, delta): the larger of the two closed branches of conversion.hpp
/// at order alpha, 2 in the paper. Their Proposition 2 prints the second one in a longer form that is larger by less
/// than a part in 10000. Valid, but far from the optimum. Throws as rdp_budget.
double topicdp_divergence(const budget& total, double alpha = 2);

/// sigma over the sampled sensitivity, sqrt(alpha / (2 topicdp_divergence)); infinite if the divergence is 0. Throws as
/// rdp_budget.
double topicdp_multiplier(const budget& total, double alpha = 2);

}  // namespace dplda::inline v0_1::published

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/published.ipp>
#endif

#endif

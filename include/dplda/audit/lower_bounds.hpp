// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_LOWER_BOUNDS_HPP
#define DPLDA_AUDIT_LOWER_BOUNDS_HPP

// From attacks to lower bounds on epsilon.
//
// Claim: if a mechanism is (epsilon, delta)-DP, each bound below exceeds epsilon with a probability of at most
//   1 - confidence, over the runs that it was computed from. (gaussian_*: if it is mu-GDP for some mu, and epsilon is
//   the least for which that is (epsilon, delta)-DP.)
// Preconditions: repeated runs: each score comes from an independent run of the mechanism, on two fixed neighbouring
//   inputs. One run: each canary was included by an independent fair coin, and the mechanism is private under addition
//   or removal of one of them. Numbers of trials, guesses and thresholds were fixed beforehand, except as stated.
// Argument: repeated runs: any rule to distinguish the inputs has TPR <= e^epsilon FPR + delta, and the same for the
//   rates of the opposite answers (Kairouz, Oh and Viswanath 2015). The Clopper-Pearson intervals hold for both rates
//   at once by the union bound. A threshold at an order statistic of one input's scores is as good as a fixed one:
//   given these scores, those of the other input are independent of it. The rate beyond the (j+1)-th largest of n
//   scores is at most a Beta(j + 1, n - j) variable (ties make it smaller), whose quantile is the interval's end for j
//   of n. One run: Steinke, Nasr and Jagielski (Privacy auditing with one (1) training run, 2023), Theorem 5.2.
// Test: tests/audit/lower_bounds_test.cpp (values by SciPy and mpmath; coverage on the Gaussian and the Laplace
//   mechanism).

#include <dplda/accounting/gaussian.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// How often an attack answered "member": in true_positives of the runs with the unit, and in false_positives of the
/// runs without it.
struct attack_counts {
  std::uint64_t true_positives = 0;
  std::uint64_t members = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t others = 0;
};

namespace detail {

struct attack_bounds {
  double true_positive_low, false_positive_high;
};

/// The two ends hold at once with the stated confidence.
inline attack_bounds bounds_of(const attack_counts& counts, double confidence) {
  return {clopper_pearson(counts.true_positives, counts.members, confidence).low,
          clopper_pearson(counts.false_positives, counts.others, confidence).high};
}

/// max(0, log(a / b)); 0 where a is not positive.
inline double log_ratio(double a, double b) { return a > b && a > 0 ? std::log(a / b) : 0; }

}  // namespace detail

/// epsilon >= max(log((TPR - delta) / FPR), log((1 - FPR - delta) / (1 - TPR))) at the worst ends of the rates'
/// intervals; 0 if that is not positive. Throws std::invalid_argument if the counts are impossible, delta is outside
/// [0, 1], or confidence is outside (0, 1).
inline double epsilon_lower_bound(const attack_counts& counts, double delta, double confidence = 0.95) {
  detail::require_delta(delta, "epsilon_lower_bound");
  const auto [tpr, fpr] = detail::bounds_of(counts, confidence);
  return std::max(detail::log_ratio(tpr - delta, fpr), detail::log_ratio(1 - fpr - delta, 1 - tpr));
}

/// The Gaussian-DP parameter mu >= Phi^-1(TPR) - Phi^-1(FPR) (Dong, Roth and Su 2022) at the worst ends; 0 if that is
/// not positive. Throws as epsilon_lower_bound does.
inline double gaussian_mu_lower_bound(const attack_counts& counts, double confidence = 0.95) {
  const auto [tpr, fpr] = detail::bounds_of(counts, confidence);
  if (!(tpr > 0) || !(fpr < 1) || !(tpr > fpr)) return 0;
  return std::max(0.0, (detail::normal_quantile(tpr) - detail::normal_quantile(fpr)) * (1 - 1e-10));
}

/// The epsilon of that mu. For Gaussian mechanisms it is far above epsilon_lower_bound. For others it is valid only if
/// they are at most as distinguishable as some Gaussian mechanism. Throws as epsilon_lower_bound does.
inline double gaussian_epsilon_lower_bound(const attack_counts& counts, double delta, double confidence = 0.95) {
  detail::require_delta(delta, "gaussian_epsilon_lower_bound");
  const double mu = gaussian_mu_lower_bound(counts, confidence);
  return mu > 0 ? gaussian_epsilon(1 / mu, delta) * (1 - 1e-10) : 0;
}

/// How to choose a threshold that was not fixed beforehand.
enum class threshold_choice {
  bonferroni,  ///< the best of a few order statistics, each at a higher confidence so that all bounds hold
  split        ///< the best threshold on every second score, applied to the others
};

struct score_audit_options {
  double delta = 0;
  double confidence = 0.95;
  threshold_choice choice = threshold_choice::bonferroni;
  bool gaussian = false;  ///< gaussian_epsilon_lower_bound instead of epsilon_lower_bound
};

namespace detail {

/// Ranks 0, 1, 2, 4, 8, ... below n.
inline std::vector<std::size_t> doubling_ranks(std::size_t n) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < n; rank = rank == 0 ? 1 : 2 * rank) ranks.push_back(rank);
  return ranks;
}

inline std::uint64_t count_above(std::span<const double> scores, double threshold) {
  return static_cast<std::uint64_t>(
      std::count_if(scores.begin(), scores.end(), [&](double score) { return score > threshold; }));
}

inline std::uint64_t count_from(std::span<const double> scores, double threshold) {
  return static_cast<std::uint64_t>(
      std::count_if(scores.begin(), scores.end(), [&](double score) { return score >= threshold; }));
}

}  // namespace detail

/// A lower bound on epsilon from scores of independent runs with a unit and without it (higher: with). Throws
/// std::invalid_argument if there are no scores on a side (split: fewer than 2), if one is NaN, or as
/// epsilon_lower_bound does.
inline double audited_epsilon(std::vector<double> with, std::vector<double> without,
                              const score_audit_options& options = {}) {
  const char* const function = "audited_epsilon";
  detail::require_confidence(options.confidence, function);
  const bool split = options.choice == threshold_choice::split;
  for (auto* scores : {&with, &without}) {
    detail::require(scores->size() >= (split ? 2u : 1u), function, "number of scores", scores->size(),
                    "must be at least 1 with the unit and 1 without (split: 2)");
    for (const double score : *scores)
      detail::require(!std::isnan(score), function, "score", score, "must be a number");
  }
  const auto bound = [&](const attack_counts& counts, double confidence) {
    return options.gaussian ? gaussian_epsilon_lower_bound(counts, options.delta, confidence)
                            : epsilon_lower_bound(counts, options.delta, confidence);
  };

  if (split) {
    std::vector<double> choosing[2], trying[2];
    for (int side = 0; side < 2; ++side) {
      const auto& scores = side == 0 ? with : without;
      for (std::size_t i = 0; i < scores.size(); ++i) (i % 2 == 0 ? choosing : trying)[side].push_back(scores[i]);
    }
    const auto counts_at = [](std::span<const double> in, std::span<const double> out, double threshold) {
      return attack_counts{detail::count_above(in, threshold), in.size(), detail::count_above(out, threshold),
                           out.size()};
    };
    std::vector<double> candidates = choosing[0];
    candidates.insert(candidates.end(), choosing[1].begin(), choosing[1].end());
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const std::size_t stride = candidates.size() / 128 + 1;
    double best = -1, threshold = candidates.front();
    for (std::size_t i = 0; i < candidates.size(); i += stride) {
      const double here = bound(counts_at(choosing[0], choosing[1], candidates[i]), options.confidence);
      if (here > best) {
        best = here;
        threshold = candidates[i];
      }
    }
    return bound(counts_at(trying[0], trying[1], threshold), options.confidence);
  }

  std::sort(with.begin(), with.end());
  std::sort(without.begin(), without.end(), std::greater<>());
  const auto above = detail::doubling_ranks(without.size()), below = detail::doubling_ranks(with.size());
  const double confidence = 1 - (1 - options.confidence) / static_cast<double>(above.size() + below.size());
  double best = 0;
  for (const std::size_t rank : above) {
    best = std::max(best,
                    bound({detail::count_above(with, without[rank]), with.size(), rank, without.size()}, confidence));
  }
  for (const std::size_t rank : below) {
    best = std::max(
        best,
        bound({with.size() - rank, with.size(), detail::count_from(without, with[rank]), without.size()}, confidence));
  }
  return best;
}

/// Guesses about canaries that independent fair coins included or left out.
struct one_run_counts {
  std::uint64_t canaries = 0;
  std::uint64_t guesses = 0;  ///< the attack abstained on the others
  std::uint64_t correct = 0;
};

/// The p-value of "the mechanism is (epsilon, delta)-DP" given the guesses of one run:
///   beta + 2 m delta max_{i = 1..v} P[v - i <= B < v] / i,   beta = P[B >= v],   B ~ Binomial(r, e^epsilon / (1 +
///   e^epsilon)).
/// Throws std::invalid_argument if correct > guesses, guesses > canaries, epsilon is negative, or delta outside [0, 1].
inline double one_run_p_value(const one_run_counts& counts, double epsilon, double delta) {
  const char* const function = "one_run_p_value";
  detail::require(counts.guesses <= counts.canaries, function, "guesses", counts.guesses,
                  "must be at most the number of canaries");
  detail::require(counts.correct <= counts.guesses, function, "correct", counts.correct,
                  "must be at most the number of guesses");
  detail::require_epsilon(epsilon, function);
  detail::require_delta(delta, function);
  if (counts.correct == 0) return 1;
  const auto r = static_cast<double>(counts.guesses), v = static_cast<double>(counts.correct);
  const double odds = std::exp(-epsilon), wrong = odds / (1 + odds);
  const double beta = boost::math::ibetac(r - v + 1, v, wrong, detail::audit_policy());
  if (delta == 0) return std::min(1.0, beta);
  // Multiples of P[B = v - 1], P[B = v - 2], ..., by P[B = k - 1] = P[B = k] k / (r - k + 1) * wrong / right. The first
  // may be too small for a double while later ones are not, so that their sum, which is P[B < v], gives the scale.
  constexpr double large = 0x1p+500;
  double mass = 1, sum = 0, alpha = 0;
  for (double i = 1; i <= v; ++i) {
    sum += mass;
    alpha = std::max(alpha, sum / i);
    if (mass < sum / i && mass * (v - i) < 1e-18 * sum) break;
    const double k = v - i;
    mass *= k / (r - k + 1) * odds;
    if (mass > large) {
      mass /= large;
      sum /= large;
      alpha /= large;
    }
  }
  alpha *= boost::math::ibeta(r - v + 1, v, wrong, detail::audit_policy()) / sum;
  return std::min(1.0, beta + 2 * static_cast<double>(counts.canaries) * delta * alpha);
}

/// The largest epsilon such that the guesses of one run reject every smaller epsilon. Throws as one_run_p_value does,
/// and if confidence is outside (0, 1).
inline double one_run_epsilon(const one_run_counts& counts, double delta, double confidence = 0.95) {
  detail::require_confidence(confidence, "one_run_epsilon");
  const auto rejected = [&](double epsilon) { return one_run_p_value(counts, epsilon, delta) <= 1 - confidence; };
  if (!rejected(0)) return 0;
  double low = 0, high = 0.125;
  while (high < 64 && rejected(high)) {
    low = high;
    high += 0.125;  // steps instead of doubling, because the first epsilon that is not rejected counts
  }
  for (int round = 0; round < 40; ++round) {
    const double middle = low + (high - low) / 2;
    (rejected(middle) ? low : high) = middle;
  }
  return low;
}

/// Guesses of one run: "in" for the guesses / 2 highest scores (rounded up), "out" for the lowest ones. `guesses` must
/// be fixed before the scores are seen. Throws std::invalid_argument if the sizes differ, if guesses exceeds them, or
/// if a score is NaN.
inline one_run_counts guess_canaries(std::span<const double> scores, const std::vector<bool>& included,
                                     std::size_t guesses) {
  detail::require(included.size() == scores.size(), "guess_canaries", "number of coins", included.size(),
                  detail::text("must be the number of scores, ", scores.size()));
  detail::require(guesses <= scores.size(), "guess_canaries", "guesses", guesses,
                  detail::text("must be at most the number of canaries, ", scores.size()));
  for (const double score : scores) {
    detail::require(!std::isnan(score), "guess_canaries", "score", score, "must be a number");
  }
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  detail::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  one_run_counts counts{scores.size(), guesses, 0};
  const std::size_t in = (guesses + 1) / 2;
  for (std::size_t i = 0; i < guesses; ++i) {
    const bool guess = i < in;
    const std::size_t canary = guess ? order[i] : order[order.size() - 1 - (i - in)];
    if (included[canary] == guess) ++counts.correct;
  }
  return counts;
}

}  // namespace dplda::inline v0_1

#endif

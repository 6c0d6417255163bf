// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_LOWER_BOUNDS_IPP
#define DPLDA_AUDIT_DETAIL_LOWER_BOUNDS_IPP

// Bodies of audit/lower_bounds.hpp, which has their claim, argument and test.

#include <dplda/accounting/gaussian.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <functional>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE attack_bounds bounds_of(const attack_counts& counts, double confidence) {
  return {clopper_pearson(counts.true_positives, counts.members, confidence).low,
          clopper_pearson(counts.false_positives, counts.others, confidence).high};
}

}  // namespace detail

DPLDA_INLINE double epsilon_lower_bound(const attack_counts& counts, double delta, double confidence) {
  detail::require_delta(delta, "epsilon_lower_bound");
  const auto [tpr, fpr] = detail::bounds_of(counts, confidence);
  return std::max(detail::log_ratio(tpr - delta, fpr), detail::log_ratio(1 - fpr - delta, 1 - tpr));
}

DPLDA_INLINE double gaussian_mu_lower_bound(const attack_counts& counts, double confidence) {
  const auto [tpr, fpr] = detail::bounds_of(counts, confidence);
  if (!(tpr > 0) || !(fpr < 1) || !(tpr > fpr)) return 0;
  return std::max(0.0, (detail::normal_quantile(tpr) - detail::normal_quantile(fpr)) * (1 - 1e-10));
}

DPLDA_INLINE double gaussian_epsilon_lower_bound(const attack_counts& counts, double delta, double confidence) {
  detail::require_delta(delta, "gaussian_epsilon_lower_bound");
  const double mu = gaussian_mu_lower_bound(counts, confidence);
  return mu > 0 ? gaussian_epsilon(1 / mu, delta) * (1 - 1e-10) : 0;
}

namespace detail {

DPLDA_INLINE std::vector<std::size_t> doubling_ranks(std::size_t n) {
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

DPLDA_INLINE double audited_epsilon(std::vector<double> with, std::vector<double> without,
                                    const score_audit_options& options) {
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

namespace detail {

DPLDA_INLINE void check_counts(const one_run_counts& counts, const char* function) {
  require(counts.guesses <= counts.canaries, function, "guesses", counts.guesses,
          "must be at most the number of canaries");
  require(counts.correct <= counts.guesses, function, "correct", counts.correct,
          "must be at most the number of guesses");
}

/// The least probability that becomes y or more after the other answer of a coin, rounded down: each point of the curve
/// says that x <= y implies y <= e^epsilon x + delta and 1 - x <= e^epsilon (1 - y) + delta.
inline double least_before(double y, std::span<const curve_point> curve) {
  double least = 0;
  for (const curve_point& point : curve) {
    const double odds = std::exp(point.epsilon), kept = lowered(y, 8) - raised(point.delta.upper, 8);
    least = std::max({least, lowered(kept / odds), (1 - point.delta.upper - odds * (1 - y)) - 64 * libm * ulp});
  }
  return least;
}

}  // namespace detail

DPLDA_INLINE bool one_run_refutes(const one_run_counts& counts, std::span<const curve_point> curve, double confidence) {
  detail::check_counts(counts, "one_run_refutes");
  detail::require_confidence(confidence, "one_run_refutes");
  const auto m = static_cast<double>(counts.canaries), r = static_cast<double>(counts.guesses);
  // Every number is rounded down, so that the tails are below those of the argument.
  double tail = 1 - confidence, later = 0;  // S_{i + 1} and T_{i + 1}
  for (double i = static_cast<double>(counts.correct) - 1; i >= 0 && tail <= 1; --i) {
    const double right = detail::lowered(((i + 1) * tail + later) / m, 4);
    later = detail::lowered(later + tail, 2);  // T_i
    const double least = detail::least_before(std::min(1.0, right), curve);
    tail = std::max(tail, detail::lowered((later + m * least) / (r - i), 4));
  }
  return tail > 1;
}

DPLDA_INLINE double one_run_p_value(const one_run_counts& counts, double epsilon, double delta) {
  const char* const function = "one_run_p_value";
  detail::check_counts(counts, function);
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

DPLDA_INLINE double one_run_epsilon(const one_run_counts& counts, double delta, double confidence) {
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

DPLDA_INLINE one_run_counts guess_canaries(std::span<const double> scores, const std::vector<bool>& included,
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

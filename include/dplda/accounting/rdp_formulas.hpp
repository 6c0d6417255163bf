// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_RDP_FORMULAS_HPP
#define DPLDA_ACCOUNTING_RDP_FORMULAS_HPP

// Renyi divergences of single mechanisms, as functions of their parameters. The claim, its argument and its test are in
// rdp_curves.hpp, which has the curve of an event.

#include <dplda/accounting/detail/renyi_moments.hpp>
#include <dplda/accounting/detail/sampled_gaussian.hpp>
#include <dplda/accounting/detail/sampled_sums.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dplda::inline v0_1 {

namespace detail {

inline void check_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha > 1 && alpha <= std::numeric_limits<double>::max(), function, "order alpha", alpha,
          "must exceed 1 and be finite");
}
inline void check_integer_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha >= 2 && alpha <= largest_sum_order && alpha == std::floor(alpha), function, "order alpha", alpha,
          "must be an integer in [2, 10000]");
}
inline void check_positive(const char* function, const char* name, double value) {
  require(value > 0 && value <= std::numeric_limits<double>::max(), function, name, value,
          "must be positive and finite");
}
inline void check_rate(const char* function, double rate) {
  require(rate > 0 && rate <= 1, function, "sampling rate", rate, "must lie in (0, 1]");
}

/// The binary randomised response that every pure epsilon-DP mechanism post-processes.
inline two_answers worst_pure(double epsilon) { return {-softplus(epsilon), epsilon}; }

/// Randomised response over `buckets` values, on the two values that neighbours exchange.
inline two_answers response_answers(double noise, std::uint64_t buckets) {
  const double low = noise / static_cast<double>(buckets);
  return {std::log(low), std::log1p((1 - noise) / low)};
}

inline double two_answers_rdp(const two_answers& answers, double alpha) {
  if (answers.spread == 0) return 0;
  const double b = alpha - 1;
  return std::min(raised(answers.spread), divergence_above(two_answers_log_moment(answers, 1, 0, b), b));
}

inline void check_response(const char* function, double noise, std::uint64_t buckets) {
  require(noise > 0 && noise <= 1, function, "randomized response's noise", noise, "must lie in (0, 1]");
  require(buckets >= 2, function, "randomized response's buckets", buckets, "must be at least 2");
}

}  // namespace detail

/// Gaussian noise: alpha / (2 multiplier^2). Throws std::invalid_argument unless multiplier > 0 and alpha > 1, both
/// finite. All functions below throw on invalid arguments, too.
inline double gaussian_rdp(double multiplier, double alpha) {
  detail::check_positive("gaussian_rdp", "multiplier", multiplier);
  detail::check_order("gaussian_rdp", alpha);
  return detail::raised(alpha / multiplier / multiplier / 2);
}

/// Laplace noise of scale multiplier * (l1 sensitivity).
inline double laplace_rdp(double multiplier, double alpha) {
  detail::check_positive("laplace_rdp", "multiplier", multiplier);
  detail::check_order("laplace_rdp", alpha);
  const double s = 1 / multiplier, b = alpha - 1;
  if (s == detail::infinite) return s;
  // The moment is (a e^(b s) + b e^(-a s)) / (2 a - 1); its excess has no linear part in s.
  if (b * s > 30) {
    const double rest = std::log1p(-b / (alpha + b)) + std::log1p(b / alpha * std::exp(-(alpha + b) * s));
    return std::min(detail::raised(s), detail::divergence_above(b * s + rest, b));
  }
  const double excess = (alpha * detail::expm1_minus(b * s) + b * detail::expm1_minus(-alpha * s)) / (alpha + b);
  return std::min(detail::raised(s), detail::divergence_above(std::log1p(detail::raised(excess, 64)), b));
}

/// Any epsilon-DP mechanism: the curve of binary randomised response, the worst one. epsilon >= 0, finite.
inline double pure_dp_rdp(double epsilon, double alpha) {
  detail::require(epsilon >= 0 && epsilon <= std::numeric_limits<double>::max(), "pure_dp_rdp", "epsilon", epsilon,
                  "must be at least 0 and finite");
  detail::check_order("pure_dp_rdp", alpha);
  return detail::two_answers_rdp(detail::worst_pure(epsilon), alpha);
}

/// Randomised response over `buckets` values; see struct randomized_response. noise in (0, 1], buckets >= 2.
inline double randomized_response_rdp(double noise, std::uint64_t buckets, double alpha) {
  detail::check_response("randomized_response_rdp", noise, buckets);
  detail::check_order("randomized_response_rdp", alpha);
  return detail::two_answers_rdp(detail::response_answers(noise, buckets), alpha);
}

/// Gaussian noise on a Poisson sample, add/remove. rate in (0, 1].
inline double poisson_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("poisson_gaussian_rdp", rate);
  const double unsampled = gaussian_rdp(multiplier, alpha);
  if (rate == 1) return unsampled;
  detail::sampled_gaussian_moment moment(rate, multiplier, alpha);
  return std::min(unsampled, detail::divergence_above(moment.log_upper(), alpha - 1));
}

/// Which of Zhu and Wang's bounds: `general` for any mechanism, `tight` for those with a proof (Gaussian, Laplace,
/// randomised response).
enum class poisson_bound { general, tight };

/// Any mechanism on a Poisson sample, add/remove, at an integer order in [2, 10000]; `curve(l)` bounds its own
/// divergence of order l in both directions. This is the published bound, even where it exceeds the unsampled one.
template <class Curve>
double poisson_rdp(double rate, Curve&& curve, double alpha, poisson_bound bound) {
  detail::check_rate("poisson_rdp", rate);
  detail::check_integer_order("poisson_rdp", alpha);
  if (rate == 1 && bound == poisson_bound::tight) return curve(alpha);
  const double factor = bound == poisson_bound::tight ? 1 : 3;
  if (rate == 1) return detail::raised(curve(alpha) + (alpha < 3 ? 0 : std::log(factor) / (alpha - 1)));
  return detail::divergence_above(detail::poisson_log_moment(rate, curve, alpha, factor), alpha - 1);
}

/// Any mechanism on a sample of fixed size, replace, at an integer order in [2, 10000] (Theorem 9); rate = size /
/// population, `epsilon_infinity` the mechanism's pure epsilon or infinity. This is the published bound.
template <class Curve>
double fixed_size_rdp(double rate, Curve&& curve, double epsilon_infinity, double alpha) {
  detail::check_rate("fixed_size_rdp", rate);
  detail::check_integer_order("fixed_size_rdp", alpha);
  const auto term = [&](double j) { return detail::fixed_size_log_term(curve, epsilon_infinity, j); };
  return detail::divergence_above(detail::fixed_size_log_moment(rate, alpha, term), alpha - 1);
}

/// Gaussian noise on a sample of fixed size, replace, at an integer order in [2, 10000]; each term is the smaller of
/// Theorem 27 and Theorem 9.
inline double fixed_size_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("fixed_size_gaussian_rdp", rate);
  detail::check_positive("fixed_size_gaussian_rdp", "multiplier", multiplier);
  detail::check_integer_order("fixed_size_gaussian_rdp", alpha);
  detail::gaussian_differences differences(multiplier);
  const auto term = [&](double j) { return detail::fixed_size_gaussian_log_term(differences, multiplier, j); };
  return detail::divergence_above(detail::fixed_size_log_moment(rate, alpha, term), alpha - 1);
}

}  // namespace dplda::inline v0_1

#endif

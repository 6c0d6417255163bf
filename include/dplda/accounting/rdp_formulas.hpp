// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_RDP_FORMULAS_HPP
#define DPLDA_ACCOUNTING_RDP_FORMULAS_HPP

// Renyi divergences of single mechanisms, as functions of their parameters. The claim, its argument and its test are in
// rdp_curves.hpp, which has the curve of an event.

#include <dplda/accounting/detail/renyi_moments.hpp>
#include <dplda/accounting/detail/sampled_sums.hpp>

#include <cmath>
#include <cstdint>

namespace dplda::inline v0_1 {

namespace detail {

void check_order(const char* function, double alpha);
void check_integer_order(const char* function, double alpha);
void check_positive(const char* function, const char* name, double value);
void check_rate(const char* function, double rate);

/// The binary randomised response that every pure epsilon-DP mechanism post-processes.
inline two_answers worst_pure(double epsilon) { return {-softplus(epsilon), epsilon}; }

/// Randomised response over `buckets` values, on the two values that neighbours exchange.
two_answers response_answers(double noise, std::uint64_t buckets);

double two_answers_rdp(const two_answers& answers, double alpha);

void check_response(const char* function, double noise, std::uint64_t buckets);

}  // namespace detail

/// Gaussian noise: alpha / (2 multiplier^2). Throws std::invalid_argument unless multiplier > 0 and alpha > 1, both
/// finite. All functions below throw on invalid arguments, too.
double gaussian_rdp(double multiplier, double alpha);

/// Laplace noise of scale multiplier * (l1 sensitivity).
double laplace_rdp(double multiplier, double alpha);

/// Any epsilon-DP mechanism: the curve of binary randomised response, the worst one. epsilon >= 0, finite.
double pure_dp_rdp(double epsilon, double alpha);

/// Randomised response over `buckets` values; see struct randomized_response. noise in (0, 1], buckets >= 2.
double randomized_response_rdp(double noise, std::uint64_t buckets, double alpha);

/// Gaussian noise on a Poisson sample, add/remove. rate in (0, 1].
double poisson_gaussian_rdp(double rate, double multiplier, double alpha);

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
double fixed_size_gaussian_rdp(double rate, double multiplier, double alpha);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/rdp_formulas.ipp>
#endif

#endif

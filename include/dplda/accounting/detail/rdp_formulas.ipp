// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_RDP_FORMULAS_IPP
#define DPLDA_ACCOUNTING_DETAIL_RDP_FORMULAS_IPP

// Bodies of accounting/rdp_formulas.hpp.

#include <dplda/accounting/detail/sampled_gaussian.hpp>
#include <dplda/accounting/rdp_formulas.hpp>

#include <algorithm>
#include <limits>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void check_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha > 1 && alpha <= std::numeric_limits<double>::max(), function, "order alpha", alpha,
          "must exceed 1 and be finite");
}

DPLDA_INLINE void check_integer_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha >= 2 && alpha <= largest_sum_order && alpha == std::floor(alpha), function, "order alpha", alpha,
          "must be an integer in [2, 10000]");
}

DPLDA_INLINE void check_positive(const char* function, const char* name, double value) {
  require(value > 0 && value <= std::numeric_limits<double>::max(), function, name, value,
          "must be positive and finite");
}

DPLDA_INLINE void check_rate(const char* function, double rate) {
  require(rate > 0 && rate <= 1, function, "sampling rate", rate, "must lie in (0, 1]");
}

DPLDA_INLINE two_answers response_answers(double noise, std::uint64_t buckets) {
  const double low = noise / static_cast<double>(buckets);
  return {std::log(low), std::log1p((1 - noise) / low)};
}

DPLDA_INLINE double two_answers_rdp(const two_answers& answers, double alpha) {
  if (answers.spread == 0) return 0;
  const double b = alpha - 1;
  return std::min(raised(answers.spread), divergence_above(two_answers_log_moment(answers, 1, 0, b), b));
}

DPLDA_INLINE void check_response(const char* function, double noise, std::uint64_t buckets) {
  require(noise > 0 && noise <= 1, function, "randomized response's noise", noise, "must lie in (0, 1]");
  require(buckets >= 2, function, "randomized response's buckets", buckets, "must be at least 2");
}

}  // namespace detail

DPLDA_INLINE double gaussian_rdp(double multiplier, double alpha) {
  detail::check_positive("gaussian_rdp", "multiplier", multiplier);
  detail::check_order("gaussian_rdp", alpha);
  return detail::raised(alpha / multiplier / multiplier / 2);
}

DPLDA_INLINE double laplace_rdp(double multiplier, double alpha) {
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

DPLDA_INLINE double pure_dp_rdp(double epsilon, double alpha) {
  detail::require(epsilon >= 0 && epsilon <= std::numeric_limits<double>::max(), "pure_dp_rdp", "epsilon", epsilon,
                  "must be at least 0 and finite");
  detail::check_order("pure_dp_rdp", alpha);
  return detail::two_answers_rdp(detail::worst_pure(epsilon), alpha);
}

DPLDA_INLINE double randomized_response_rdp(double noise, std::uint64_t buckets, double alpha) {
  detail::check_response("randomized_response_rdp", noise, buckets);
  detail::check_order("randomized_response_rdp", alpha);
  return detail::two_answers_rdp(detail::response_answers(noise, buckets), alpha);
}

DPLDA_INLINE double poisson_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("poisson_gaussian_rdp", rate);
  const double unsampled = gaussian_rdp(multiplier, alpha);
  if (rate == 1) return unsampled;
  detail::sampled_gaussian_moment moment(rate, multiplier, alpha);
  return std::min(unsampled, detail::divergence_above(moment.log_upper(), alpha - 1));
}

DPLDA_INLINE double fixed_size_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("fixed_size_gaussian_rdp", rate);
  detail::check_positive("fixed_size_gaussian_rdp", "multiplier", multiplier);
  detail::check_integer_order("fixed_size_gaussian_rdp", alpha);
  detail::gaussian_differences differences(multiplier);
  const auto term = [&](double j) { return detail::fixed_size_gaussian_log_term(differences, multiplier, j); };
  return detail::divergence_above(detail::fixed_size_log_moment(rate, alpha, term), alpha - 1);
}

}  // namespace dplda::inline v0_1

#endif

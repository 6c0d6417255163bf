// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PUBLISHED_IPP
#define DPLDA_ACCOUNTING_DETAIL_PUBLISHED_IPP

// Bodies of accounting/published.hpp.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/published.hpp>

#include <algorithm>

namespace dplda::inline v0_1 {

namespace published {

DPLDA_INLINE park_step park_chain(const budget& total, std::uint64_t steps, double rate, double delta_iter,
                                  park_composition composition) {
  const char* const function = "published::park_chain";
  detail::require(total.epsilon > 0 && total.epsilon < detail::infinite, function, "epsilon", total.epsilon,
                  "must be positive and finite");
  detail::require(total.delta > 0 && total.delta < 1, function, "delta", total.delta, "must lie in (0, 1)");
  detail::require(steps > 0, function, "steps", steps, "must be at least 1");
  detail::require(rate > 0 && rate <= 1, function, "rate", rate, "must lie in (0, 1]");
  detail::require(delta_iter > 0 && delta_iter < 1, function, "delta_iter", delta_iter, "must lie in (0, 1)");
  const auto j = static_cast<double>(steps);
  budget amplified{0, rate * delta_iter};
  if (composition == park_composition::zcdp) {
    const double rho = zcdp_budget(total.epsilon, total.delta, zcdp_conversion::basic);
    amplified.epsilon = std::sqrt(4 * rho * std::log(1.25 / amplified.delta) / j);
  } else {
    const double slack = total.delta - j * amplified.delta;
    detail::require(slack > 0, function, "steps times rate times delta_iter", j * amplified.delta,
                    "must be below delta");
    amplified.epsilon = total.epsilon / j;
    if (composition == park_composition::advanced) {
      const double spread = std::sqrt(-2 * j * std::log(slack));
      const auto shortage = [&](double e) { return j * e * std::expm1(e) + spread * e - total.epsilon; };
      amplified.epsilon = detail::increasing_root(shortage, 0, total.epsilon / spread);
    }
  }
  const budget iteration{std::log1p(std::expm1(amplified.epsilon) / rate), delta_iter};
  return {amplified, iteration, classic_gaussian_multiplier(iteration.epsilon, iteration.delta, basis::as_published)};
}

DPLDA_INLINE topicdp_samples topicdp_sample_sizes(double gamma) {
  detail::require(gamma > 0 && gamma < 1, "published::topicdp_sample_sizes", "gamma", gamma, "must lie in (0, 1)");
  // With W = log(rho) - 1/2, the equation of Lambert's W is rho (1 - 2 log rho) = gamma. Steps towards its root shrink by
  // a factor of 2 / (1 - 2 log rho) < 0.58, so that 100 of them reach all digits.
  double rho = gamma;
  for (int i = 0; i < 100; ++i) rho = gamma / (1 - 2 * std::log(rho));
  const double log_inverse = -std::log(rho), margin = gamma - rho;
  const double h = std::ceil(log_inverse / (2 * margin * margin));
  const double k = std::ceil(h * (1 - margin + std::sqrt(log_inverse / (2 * h))));
  return {rho, static_cast<std::uint64_t>(h), static_cast<std::uint64_t>(std::min(h, k))};
}

DPLDA_INLINE double topicdp_divergence(const budget& total, double alpha) {
  return std::max(rdp_budget(alpha, total.epsilon, total.delta, rdp_conversion::improved),
                  rdp_budget(alpha, total.epsilon, total.delta, rdp_conversion::branch2));
}

DPLDA_INLINE double topicdp_multiplier(const budget& total, double alpha) {
  return std::sqrt(alpha / (2 * topicdp_divergence(total, alpha)));
}

}  // namespace published

}  // namespace dplda::inline v0_1

#endif

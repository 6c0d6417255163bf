// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_AMPLIFICATION_IPP
#define DPLDA_ACCOUNTING_DETAIL_AMPLIFICATION_IPP

// Bodies of accounting/amplification.hpp, which has their claim, argument and test.

#include <dplda/accounting/amplification.hpp>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE double amplified_epsilon(double epsilon, double q) {
  if (epsilon == 0 || epsilon == infinite || q == 1) return epsilon;
  if (q == 0) return 0;
  return std::min(epsilon, raised(log_mixture(q, epsilon), 3 * libm + 8));
}

DPLDA_INLINE budget amplified(const budget& base, double q, std::string_view function) {
  require_epsilon(base.epsilon, function);
  require_delta(base.delta, function);
  const double delta = base.delta == 0 || q == 1 ? base.delta
                       : q == 0                  ? 0.0
                                                 : std::min(base.delta, raised(q * base.delta, 4));
  return {amplified_epsilon(base.epsilon, q), delta};
}

}  // namespace detail

DPLDA_INLINE budget amplify_by_poisson_sampling(const budget& base, double rate, neighbours relation) {
  const char* const function = "amplify_by_poisson_sampling";
  detail::require(relation == neighbours::add_remove, function, "relation", relation, "must be add_remove");
  detail::require(rate >= 0 && rate <= 1, function, "rate", rate, "must lie in [0, 1]");
  return detail::amplified(base, rate, function);
}

DPLDA_INLINE budget amplify_by_sampling_without_replacement(const budget& base, std::uint64_t size,
                                                            std::uint64_t population, neighbours relation) {
  const char* const function = "amplify_by_sampling_without_replacement";
  detail::require(relation == neighbours::replace, function, "relation", relation, "must be replace");
  detail::require(size > 0 && size <= population, function, "size", size,
                  "must be at least 1 and at most the population");
  // Beyond 2^53 the quotient may be rounded to 1. It is below the truth by no more than the ulps that are added.
  return detail::amplified(base, static_cast<double>(size) / static_cast<double>(population), function);
}

}  // namespace dplda::inline v0_1

#endif

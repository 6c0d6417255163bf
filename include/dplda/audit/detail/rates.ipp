// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_RATES_IPP
#define DPLDA_AUDIT_DETAIL_RATES_IPP

// Bodies of audit/rates.hpp.

#include <dplda/audit/rates.hpp>
#include <dplda/core/errors.hpp>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE double normal_quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, audit_policy());
}

DPLDA_INLINE void require_confidence(double confidence, std::string_view function) {
  require(confidence > 0 && confidence < 1, function, "confidence", confidence, "must lie in (0, 1)");
}

}  // namespace detail

DPLDA_INLINE rate_interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence) {
  const char* const function = "clopper_pearson";
  detail::require(successes <= trials, function, "successes", successes,
                  detail::text("must be at most the number of trials, ", trials));
  detail::require_confidence(confidence, function);
  if (trials == 0) return {};
  const double tail = (1 - confidence) / 2;
  const auto x = static_cast<double>(successes), n = static_cast<double>(trials);
  const auto lower_end = [&](double k) {
    if (k == 0) return 0.0;
    return k == n ? std::exp(std::log(tail) / n) : boost::math::ibeta_inv(k, n - k + 1, tail, detail::audit_policy());
  };
  const auto upper_end = [&](double k) {
    if (k == n) return 1.0;
    return k == 0 ? -std::expm1(std::log(tail) / n)
                  : boost::math::ibetac_inv(k + 1, n - k, tail, detail::audit_policy());
  };
  return {x / n, lower_end(x) * (1 - 1e-10), std::min(1.0, upper_end(x) * (1 + 1e-10))};
}

}  // namespace dplda::inline v0_1

#endif

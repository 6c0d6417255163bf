// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_RATES_HPP
#define DPLDA_AUDIT_RATES_HPP

#include <dplda/core/config.hpp>

#include <boost/math/policies/policy.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace dplda::inline v0_1 {

/// An estimated probability, and the interval that contains it with the stated confidence.
struct rate_interval {
  double rate = 0;
  double low = 0;
  double high = 1;
};

namespace detail {

using audit_policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

inline double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// The x with P(Z < x) = p, for p in (0, 1).
double normal_quantile(double p);

void require_confidence(double confidence, std::string_view function);

}  // namespace detail

/// The exact two-sided interval of Clopper and Pearson (1934) for `successes` in independent trials: on each side it
/// misses the probability with a chance of at most (1 - confidence) / 2. Its ends are moved outwards by 1e-10 of
/// themselves, which exceeds the rounding error. Without trials it is [0, 1].
/// Throws std::invalid_argument if there are more successes than trials, or confidence is outside (0, 1).
rate_interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence = 0.95);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/rates.ipp>
#endif

#endif

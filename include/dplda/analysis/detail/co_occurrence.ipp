// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_CO_OCCURRENCE_IPP
#define DPLDA_ANALYSIS_DETAIL_CO_OCCURRENCE_IPP

// Bodies of analysis/co_occurrence.hpp.

#include <dplda/analysis/co_occurrence.hpp>

#include <algorithm>
#include <limits>

namespace dplda::inline v0_1 {

namespace detail {

// A normal variable is beyond so many standard deviations with probability 0.05 / 3.
inline constexpr double deviations_of_each_of_three = 2.3939797998185104;

inline double lift_of(std::size_t listed, double units, double pairs, double words) {
  const double size = static_cast<double>(listed);
  return units * std::max(0.0, pairs) / (words * words) * size / (size - 1);
}

}  // namespace detail

DPLDA_INLINE bool co_occurrence::tells() const noexcept {
  constexpr double z = detail::deviations_of_each_of_three;
  return listed >= 2 && units > z * units_noise && words > z * words_noise && units > 0 && words > 0;
}

DPLDA_INLINE double co_occurrence::lift() const noexcept {
  return tells() ? detail::lift_of(listed, units, pairs, words) : 1;
}

DPLDA_INLINE ratio_interval co_occurrence::noise_interval() const noexcept {
  if (!tells()) return {0, std::numeric_limits<double>::infinity()};
  constexpr double z = detail::deviations_of_each_of_three;
  const double u = z * units_noise, p = z * pairs_noise, w = z * words_noise;
  return {detail::lift_of(listed, units - u, pairs - p, words + w),
          detail::lift_of(listed, units + u, pairs + p, words - w)};
}

}  // namespace dplda::inline v0_1

#endif

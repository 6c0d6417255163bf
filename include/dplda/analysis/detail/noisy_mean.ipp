// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_NOISY_MEAN_IPP
#define DPLDA_ANALYSIS_DETAIL_NOISY_MEAN_IPP

// Bodies of analysis/noisy_mean.hpp.

#include <dplda/analysis/noisy_mean.hpp>
#include <dplda/analysis/share_interval.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

/// All m that the sums do not contradict, if units differ by this variance.
inline mean_interval mean_interval_of(const noisy_mean& n, double variance) {
  if (!n.tells()) return {-n.bound, n.bound};
  // a m^2 - 2 b m + c <= 0. Since the number of units tells, a is positive, and m = sum / units is a solution.
  constexpr double z2 = deviations_of_95_percent * deviations_of_95_percent;
  const double a = n.units * n.units - z2 * n.units_noise * n.units_noise, b = n.sum * n.units;
  const double c = n.sum * n.sum - z2 * (n.noise * n.noise + n.units * variance);
  const double middle = b / a, half = std::sqrt(std::max(0.0, middle * middle - c / a));
  const double least = std::min(n.noise / n.units, n.bound);
  return {std::clamp(middle - half, -n.bound, n.bound - least), std::clamp(middle + half, -n.bound + least, n.bound)};
}

}  // namespace detail

DPLDA_INLINE bool noisy_mean::tells() const noexcept {
  return units > deviations_of_95_percent * units_noise && units > 0;
}

DPLDA_INLINE double noisy_mean::mean() const noexcept { return tells() ? std::clamp(sum / units, -bound, bound) : 0; }

DPLDA_INLINE double noisy_mean::variance() const noexcept {
  if (!tells()) return bound * bound;
  const double m = mean();
  return std::clamp(squares / units - m * m, 0.0, (bound - m) * (bound + m));
}

DPLDA_INLINE mean_interval noisy_mean::noise_interval() const noexcept { return detail::mean_interval_of(*this, 0); }

DPLDA_INLINE mean_interval noisy_mean::interval() const noexcept { return detail::mean_interval_of(*this, variance()); }

}  // namespace dplda::inline v0_1

#endif

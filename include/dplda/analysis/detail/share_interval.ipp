// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_SHARE_INTERVAL_IPP
#define DPLDA_ANALYSIS_DETAIL_SHARE_INTERVAL_IPP

// Bodies of analysis/share_interval.hpp.

#include <dplda/analysis/share_interval.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE bool noisy_share::tells() const noexcept {
  return row > deviations_of_95_percent * noise * std::sqrt(static_cast<double>(cells)) && row > 0;
}

DPLDA_INLINE share_interval noisy_share::interval() const noexcept {
  if (!tells()) return {};
  // a p^2 - 2 b p + c <= 0. Since the row tells, a is positive.
  constexpr double z2 = deviations_of_95_percent * deviations_of_95_percent;
  const double of_noise = z2 * noise * noise, of_units = z2 * spread * row;
  const double a = row * row - of_noise * static_cast<double>(cells) + of_units;
  const double b = cell * row - of_noise + of_units / 2;
  const double c = cell * cell - of_noise;
  const double middle = b / a, half = std::sqrt(std::max(0.0, middle * middle - c / a));
  const double least = std::min(1.0, noise / row);
  const double low = std::min(std::max(0.0, middle - half), 1 - least);
  return {low, std::max(std::min(1.0, middle + half), low > 0 ? low : least)};
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_SHARE_INTERVAL_HPP
#define DPLDA_ANALYSIS_SHARE_INTERVAL_HPP

#include <dplda/core/config.hpp>

#include <cstddef>

// Intervals for a topic's share, which is the ratio of two noisy sums: see analysis/README.md.

namespace dplda::inline v0_1 {

/// An interval for a share, within [0, 1].
struct share_interval {
  double low = 0;
  double high = 1;

  bool contains(double share) const noexcept { return low <= share && share <= high; }
  double width() const noexcept { return high - low; }
  bool operator==(const share_interval&) const = default;
};

/// Half the width of a 95 % interval, in standard deviations.
inline constexpr double deviations_of_95_percent = 1.9599639845400542;

/// One cell of a row of noisy sums, and what is known about the row.
struct noisy_share {
  double cell = 0;        ///< the sum of one topic
  double row = 0;         ///< the sum of all topics
  std::size_t cells = 1;  ///< the number of topics
  double noise = 0;       ///< the standard deviation of the noise on each cell, independent of all others
  double spread = 0;      ///< the variance between units, as a part of p (1 - p); 0: without sampling

  /// Whether the row differs clearly from its own noise: by more than deviations_of_95_percent standard deviations.
  bool tells() const noexcept;

  /// The 95 % interval: all shares p that cell - p row does not contradict, that is (cell - p row)^2 <= z^2 V(p) with
  ///   V(p) = noise^2 (1 - 2 p + cells p^2) + spread row p (1 - p),
  /// the variance of cell - p row (Fieller's interval for the noise, Wilson's for the sampling). It is [0, 1] if the
  /// row does not tell. It is cut to [0, 1], but is not cut to less than a standard deviation of the noise.
  share_interval interval() const noexcept;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/share_interval.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_NOISY_MEAN_HPP
#define DPLDA_ANALYSIS_NOISY_MEAN_HPP

#include <dplda/core/config.hpp>

// Intervals for the mean of one bounded number of each unit, from noisy sums: see analysis/README.md.

namespace dplda::inline v0_1 {

/// An interval for a mean.
struct mean_interval {
  double low = 0;
  double high = 0;

  bool contains(double mean) const noexcept { return low <= mean && mean <= high; }
  double width() const noexcept { return high - low; }
  bool operator==(const mean_interval&) const = default;
};

/// Sums over units of a number in [-bound, bound] and of its square, and the number of units, with independent noise of
/// these standard deviations.
struct noisy_mean {
  double sum = 0;
  double noise = 0;
  double units = 0;
  double units_noise = 0;  ///< 0: the number of units is public
  double squares = 0;
  double squares_noise = 0;
  double bound = 1;

  /// Whether the number of units differs clearly from its noise: by more than deviations_of_95_percent of it.
  bool tells() const noexcept;
  /// The mean, within [-bound, bound]; 0 if the number of units does not tell.
  double mean() const noexcept;
  /// The variance between units: as the squares tell, but not negative and at most (bound - mean) (bound + mean), which
  /// no bounded numbers exceed. bound^2 if the number of units does not tell.
  double variance() const noexcept;

  /// The 95 % interval for the mean of these units: all m with (sum - m units)^2 <= z^2 (noise^2 + m^2 units_noise^2),
  /// which is Fieller's. It is cut to [-bound, bound], but not to less than a standard deviation of the noise on the
  /// mean. [-bound, bound] if the number of units does not tell.
  mean_interval noise_interval() const noexcept;
  /// The same for the mean of all units of which these are a random sample: `units` variance() is added to the variance
  /// in brackets.
  mean_interval interval() const noexcept;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/noisy_mean.ipp>
#endif

#endif

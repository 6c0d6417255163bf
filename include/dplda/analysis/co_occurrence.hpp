// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_CO_OCCURRENCE_HPP
#define DPLDA_ANALYSIS_CO_OCCURRENCE_HPP

#include <dplda/core/config.hpp>

#include <cstddef>

// How often the first words of a topic are in one document, from noisy sums: see analysis/README.md.

namespace dplda::inline v0_1 {

/// An interval for a ratio. Its upper end may be infinite.
struct ratio_interval {
  double low = 0;
  double high = 0;

  bool contains(double ratio) const noexcept { return low <= ratio && ratio <= high; }
  bool operator==(const ratio_interval&) const = default;
};

/// Sums over units of c and of c (c - 1), where c counts which of a topic's `listed` first words are in the unit's
/// document, at most four, and the number of units; with independent normal noise of these standard deviations.
struct co_occurrence {
  std::size_t listed = 0;
  double words = 0;
  double words_noise = 0;
  double pairs = 0;
  double pairs_noise = 0;
  double units = 0;
  double units_noise = 0;  ///< 0: the number of units is public

  /// Whether the number of units and that of words differ clearly from their noise.
  bool tells() const noexcept;
  /// How many times as often as by chance two of the words are in one document: units * pairs / words^2 * listed /
  /// (listed - 1). At most 1 for words that occur independently; not below 0. 1 if it does not tell.
  double lift() const noexcept;
  /// An interval that holds the lift without noise with probability 0.95 or more: what the three sums may be, each at
  /// 98.3 %. From 0 to infinity if it does not tell.
  ratio_interval noise_interval() const noexcept;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/co_occurrence.ipp>
#endif

#endif

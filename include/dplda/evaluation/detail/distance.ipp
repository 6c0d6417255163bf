// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_DISTANCE_IPP
#define DPLDA_EVALUATION_DETAIL_DISTANCE_IPP

// Bodies of evaluation/distance.hpp.

#include <dplda/evaluation/distance.hpp>

#include <algorithm>
#include <cstdint>

namespace dplda::inline v0_1 {

namespace detail {

/// Number of pairs within runs of equal items in a sorted range; `same` compares two items.
template <class Same>
std::uint64_t tied_pairs(std::size_t n, Same&& same) {
  std::uint64_t pairs = 0, run = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && same(i - 1, i)) {
      pairs += run++;
    } else {
      run = 1;
    }
  }
  return pairs;
}

/// Sorts `values` and returns how many pairs stood in strictly descending order (merge sort).
inline std::uint64_t sort_counting_inversions(std::vector<double>& values) {
  std::uint64_t inversions = 0;
  std::vector<double> merged(values.size());
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, values.size()),
                        end = std::min(begin + 2 * width, values.size());
      std::size_t left = begin, right = middle;
      for (std::size_t i = begin; i < end; ++i) {
        if (left < middle && (right == end || values[left] <= values[right])) {
          merged[i] = values[left++];
        } else {
          merged[i] = values[right++];
          inversions += middle - left;
        }
      }
    }
    values.swap(merged);
  }
  return inversions;
}

}  // namespace detail

DPLDA_INLINE double kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  detail::require(x.size() == y.size(), "kendall_tau_b", "size of the second list", y.size(),
                  detail::text("must be the size of the first list, ", x.size()));
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) {
      detail::refuse("kendall_tau_b", detail::text("item ", i), "NaN", "must be a number");
    }
  }
  if (n < 2) return 0;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return x[i] != x[j] ? x[i] < x[j] : y[i] < y[j]; });
  std::vector<double> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = y[order[i]];

  const std::uint64_t pairs = static_cast<std::uint64_t>(n) * (n - 1) / 2;
  const std::uint64_t tied_x =
      detail::tied_pairs(n, [&](std::size_t i, std::size_t j) { return x[order[i]] == x[order[j]]; });
  const std::uint64_t tied_both = detail::tied_pairs(
      n, [&](std::size_t i, std::size_t j) { return x[order[i]] == x[order[j]] && sorted[i] == sorted[j]; });
  const std::uint64_t discordant = detail::sort_counting_inversions(sorted);
  const std::uint64_t tied_y =
      detail::tied_pairs(n, [&](std::size_t i, std::size_t j) { return sorted[i] == sorted[j]; });
  if (tied_x == pairs || tied_y == pairs) return 0;
  const std::uint64_t untied = pairs - tied_x - tied_y + tied_both;  // concordant + discordant
  const double difference = static_cast<double>(untied - discordant) - static_cast<double>(discordant);
  const double scale = std::sqrt(static_cast<double>(pairs - tied_x) * static_cast<double>(pairs - tied_y));
  return std::clamp(difference / scale, -1.0, 1.0);
}

}  // namespace dplda::inline v0_1

#endif

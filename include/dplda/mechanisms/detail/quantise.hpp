// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_DETAIL_QUANTISE_HPP
#define DPLDA_MECHANISMS_DETAIL_QUANTISE_HPP

// Claim: the integers that quantise() accepts have a norm of at most the bound, and are a function of the values, the
//   factor and the bound alone.
// Preconditions: none on the values; the bound is at most 2^55.
// Argument: values that are not finite or larger than the bound are refused, the others are cut toward zero. The norm is
//   added up from the integers in 128 bits that cannot overflow. Nothing is kept from call to call.
// Test: tests/mechanisms/quantise_test.cpp

#include <dplda/core/detail/int128.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A bound on a unit's contribution in integers: on its l1 or l2 norm, for vectors with or without negative entries.
struct integer_norm_bound {
  std::uint64_t most;  ///< at most 2^55
  bool l1;
  bool negatives;
};

/// integers = values * factor, cut toward zero (negative ones to zero where the bound allows none). False, and then the
/// integers must not be used, if one of them is not finite or their norm exceeds the bound: computed from the integers,
/// in 128 bits, without rounding. This is where sensitivity is decided, whatever the factor is.
template <bool L1, class Real>
bool quantise(std::span<const Real> values, double factor, const integer_norm_bound& bound,
              std::vector<std::int64_t>& integers) {
  integers.resize(values.size());
  const auto largest = static_cast<double>(bound.most);
  const double lowest = bound.negatives ? -std::numeric_limits<double>::infinity() : 0;
  const uint128 limit = L1 ? uint128{bound.most} : uint128{bound.most} * bound.most;
  uint128 norm = 0;
  // No size exceeds 2^55: a group's squares add up to at most 2^118, and 128 bits hold that and a norm within the limit.
  constexpr std::size_t group = 256;
  for (std::size_t begin = 0; begin < values.size(); begin += group) {
    const std::size_t end = std::min(values.size(), begin + group);
    bool sound = true;
    for (std::size_t i = begin; i < end; ++i) {
      const double x = std::max(static_cast<double>(values[i]) * factor, lowest);
      const bool within = std::abs(x) <= largest;  // false for NaN
      sound &= within;
      const auto q = static_cast<std::int64_t>(within ? x : 0);
      const auto size = static_cast<std::uint64_t>(q < 0 ? -q : q);
      norm += L1 ? uint128{size} : uint128{size} * size;
      integers[i] = q;
    }
    if (!sound || norm > limit) return false;
  }
  return true;
}

template <class Real>
bool quantise(std::span<const Real> values, double factor, const integer_norm_bound& bound,
              std::vector<std::int64_t>& integers) {
  return bound.l1 ? quantise<true>(values, factor, bound, integers) : quantise<false>(values, factor, bound, integers);
}

/// A factor from values to integers under which a norm of at most `clip` is within the bound, and longer vectors are
/// shortened to it; not positive if a value or the norm is not finite. A bad factor costs no privacy: quantise
/// refuses what exceeds the bound.
template <class Real>
double quantising_factor(std::span<const Real> values, double clip, const integer_norm_bound& bound) {
  constexpr double huge = std::numeric_limits<double>::max();
  const double lowest = bound.negatives ? -huge : 0;
  double sums[4] = {};  // four, so that the additions do not wait for each other
  const auto sum_up = [&](auto size) {
    const auto term = [&](Real value) {
      const auto x = static_cast<double>(value);
      return size(x < -huge ? x : std::max(x, lowest));  // NaN stays NaN
    };
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
      for (std::size_t j = 0; j < 4; ++j) sums[j] += term(values[i + j]);
    }
    for (; i < values.size(); ++i) sums[0] += term(values[i]);
  };
  bound.l1 ? sum_up([](double x) { return std::abs(x); }) : sum_up([](double x) { return x * x; });
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]), norm = bound.l1 ? sum : std::sqrt(sum);
  if (!(sum <= huge)) return 0;
  // Long vectors are shortened to a hair below the bound, so that rounding errors do not cost the whole unit.
  const auto most = static_cast<double>(bound.most);
  return norm > clip * (1 - 0x1p-20) ? most * (1 - 0x1p-20) / norm : most / clip;
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_DETAIL_UNIT_SHARES_HPP
#define DPLDA_MECHANISMS_DETAIL_UNIT_SHARES_HPP

// How a unit's weight goes to the cells that it names: in integers, with a bound on what one unit more can change.
//
// Claim: let sums(D) start at zero and be updated by the units of D, one after the other. With one unit more, at any
//   place, the sums change by at most `most` in the l1 norm (pour_evenly, pour_in_order, share_of for l1) or in the
//   l2 norm (share_of for l2); for step_to_cap by at most most + later * step_slack(k) in the l2 norm, where `later` units
//   follow and none names more than k cells. Cells that no unit named count as zero.
// Preconditions: the cells of a unit are distinct, and their order and demands are the same with and without the other
//   units; caps are below 2^62.
// Argument:
//   - share_of gives the q with which q m_i is added to cell i, the same whatever the sums are. q = floor(most / sum m)
//     or floor(sqrt(most^2 / sum m^2)), so that sum q m_i <= most, or sum (q m_i)^2 <= most^2. What is kept is the
//     smaller of the sum and the cap, which moves no two sums apart, and is the same in any order of the units.
//   - Pouring gives away `most` pieces of 1 along a sequence of cells that the unit fixes (all cells in turn, again and
//     again; or the first cell for ever, then the second, ...); a full cell is passed over. Let A be the map on sums.
//     It is monotone: it is enough to raise one sum j by 1 (if below the cap). If j was not full afterwards, its turns
//     remain what they were, and so do all others'. If it was, it now takes one piece fewer, ends as full, and the
//     piece goes on along the sequence: no other cell gets less. And if s <= t, then A adds no more to t in total than
//     to s: min(most, the room that is left). Now let s and t be any sums, and u the larger of both in each cell. Then
//     |A(s) - A(t)| = sum (2 max(A(s), A(t)) - A(s) - A(t)) <= sum (A(u) - A(s)) + sum (A(u) - A(t)) <= sum (u - s) +
//     sum (u - t) = |s - t| in l1 (after Crandall and Tartar 1980). So what the additional unit changed, `most` at the
//     most, does not grow with the units after it.
//   - step_to_cap (Policy Gaussian of Gopi et al. 2020) multiplies the gaps g = cap - s by max(0, 1 - most / |g|): that
//     is the proximal map of the norm, which moves no two points apart in l2. What is done is that up to rounding: the
//     step floor(most g_i / N) with N = ceil(|g|) > most is below the true one by a vector along g of norm most (N -
//     |g|) / N < 1 and by a fraction in each cell. Vectors without negative entries of norm below 1 differ by less than
//     2, fractions by less than 1: two sums part by less than 2 + sqrt(k) more at each later unit.
// Test: tests/mechanisms/unit_shares_test.cpp

#include <dplda/core/detail/int128.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// floor(sqrt(x)) for x < 2^124. The double is a guess; integers decide.
inline std::uint64_t floor_sqrt(uint128 x) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x)));
  // One Newton step from within 2^-50 of the root is within a few units of it.
  if (root > 0) root = static_cast<std::uint64_t>((root + x / root) / 2);
  while (uint128{root} * root > x) --root;
  while (uint128{root + 1} * (root + 1) <= x) ++root;
  return root;
}

/// The share q of each demanded unit of weight, for demands of this sum (l1) or sum of squares (l2).
inline std::uint64_t share_of(std::uint64_t most, std::uint64_t demanded, bool l1) {
  if (demanded == 0) return 0;
  return l1 ? most / demanded : floor_sqrt(uint128{most} * most / demanded);
}

inline void add_up_to(std::uint64_t& sum, std::uint64_t weight, std::uint64_t cap) {
  sum = std::min(sum + weight, cap);
}

/// What a unit gives in l1: most / k to each of k cells, and less to those that are nearly full, so that the others get
/// more (Policy Laplace of Gopi et al. 2020). `gaps` is work space.
inline void pour_evenly(std::span<std::uint64_t> sums, std::span<const std::uint32_t> cells, std::uint64_t most,
                        std::uint64_t cap, std::vector<std::uint64_t>& gaps) {
  gaps.clear();
  for (const std::uint32_t cell : cells) gaps.push_back(cap - sums[cell]);
  std::sort(gaps.begin(), gaps.end());
  std::size_t open = gaps.size();
  for (const std::uint64_t gap : gaps) {
    if (gap > most / open) break;
    most -= gap;
    --open;
  }
  if (open == 0) {
    for (const std::uint32_t cell : cells) sums[cell] = cap;
    return;
  }
  const std::uint64_t level = most / open;
  std::uint64_t pieces = most % open;
  for (const std::uint32_t cell : cells) {
    const std::uint64_t gap = cap - sums[cell];
    const bool one_more = gap > level && pieces > 0;
    sums[cell] += std::min(gap, level) + (one_more ? 1 : 0);
    if (one_more) --pieces;
  }
}

/// What a unit gives in l1 if it fills its cells one after the other.
inline void pour_in_order(std::span<std::uint64_t> sums, std::span<const std::uint32_t> cells, std::uint64_t most,
                          std::uint64_t cap) {
  for (const std::uint32_t cell : cells) {
    const std::uint64_t given = std::min(most, cap - sums[cell]);
    sums[cell] += given;
    most -= given;
  }
}

/// What a unit gives in l2: a step of length `most` towards the cap in all its cells. Precondition: the number of cells
/// times cap^2 is below 2^124.
inline void step_to_cap(std::span<std::uint64_t> sums, std::span<const std::uint32_t> cells, std::uint64_t most,
                        std::uint64_t cap) {
  uint128 squares = 0;
  for (const std::uint32_t cell : cells) squares += uint128{cap - sums[cell]} * (cap - sums[cell]);
  if (squares <= uint128{most} * most) {
    for (const std::uint32_t cell : cells) sums[cell] = cap;
    return;
  }
  const std::uint64_t root = floor_sqrt(squares), length = root + (uint128{root} * root < squares ? 1 : 0);
  for (const std::uint32_t cell : cells)
    sums[cell] += static_cast<std::uint64_t>(uint128{most} * (cap - sums[cell]) / length);
}

/// Upper bound on what rounding in step_to_cap adds to the distance of two sums, for each unit with this many cells.
inline std::uint64_t step_slack(std::uint64_t cells) { return 3 + floor_sqrt(cells); }

}  // namespace dplda::inline v0_1::detail

#endif

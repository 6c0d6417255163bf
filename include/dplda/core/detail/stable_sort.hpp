// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_STABLE_SORT_HPP
#define DPLDA_CORE_DETAIL_STABLE_SORT_HPP

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Does what std::stable_sort does, by merging. libstdc++'s version uses a buffer that C++17 deprecates; from version
/// 19
/// on, clang warns about it in every program that includes such a header.
template <class Iterator, class Less>
void stable_sort(Iterator begin, Iterator end, Less less) {
  constexpr std::ptrdiff_t run = 16;
  const std::ptrdiff_t size = end - begin;
  for (std::ptrdiff_t first = 0; first < size; first += run) {
    const std::ptrdiff_t last = std::min(size, first + run);
    for (std::ptrdiff_t i = first + 1; i < last; ++i) {
      auto moved = std::move(begin[i]);
      std::ptrdiff_t at = i;
      for (; at > first && less(moved, begin[at - 1]); --at) begin[at] = std::move(begin[at - 1]);
      begin[at] = std::move(moved);
    }
  }
  if (size <= run) return;
  std::vector<typename std::iterator_traits<Iterator>::value_type> left;
  left.reserve(static_cast<std::size_t>(size));
  for (std::ptrdiff_t width = run; width < size; width *= 2) {
    for (std::ptrdiff_t first = 0; first + width < size; first += 2 * width) {
      const Iterator middle = begin + (first + width), last = begin + std::min(size, first + 2 * width);
      left.assign(std::move_iterator(begin + first), std::move_iterator(middle));
      // The output never overtakes the right half: it is as long as the items taken from both halves.
      Iterator out = begin + first, right = middle;
      for (auto item = left.begin(); item != left.end(); ++out) {
        if (right != last && less(*right, *item)) {
          *out = std::move(*right++);
        } else {
          *out = std::move(*item++);
        }
      }
    }
  }
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_PREFETCH_HPP
#define DPLDA_CORE_DETAIL_PREFETCH_HPP

#include <dplda/core/config.hpp>

#include <cstddef>

namespace dplda::inline v0_1::detail {

/// Asks the processor to load these numbers into its cache, where the compiler offers that. Changes no result.
template <class Number>
void prefetch([[maybe_unused]] const Number* first, [[maybe_unused]] std::size_t count) {
#if defined(__GNUC__)
  constexpr std::size_t line = 64 / sizeof(Number);
  for (std::size_t i = 0; i < count; i += line) __builtin_prefetch(first + i);
#endif
}

}  // namespace dplda::inline v0_1::detail

#endif

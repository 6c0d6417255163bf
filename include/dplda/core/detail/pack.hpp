// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_PACK_HPP
#define DPLDA_CORE_DETAIL_PACK_HPP

// The vector type that all kernels are written on. A pack is 32 bytes of numbers on every platform: one register of
// AVX2, or two registers of 16 bytes (SSE2, NEON). So every platform adds in the same order, and results of two
// platforms differ at most by the rounding of fused multiplications.

#include <dplda/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dplda::inline v0_1::detail {

/// How many numbers a pack holds. Rows of topics and lists of words are padded to multiples of it.
template <class Number>
inline constexpr std::size_t lanes = 32 / sizeof(Number);

template <class Number>
constexpr std::size_t padded(std::size_t n) {
  return (n + lanes<Number> - 1) / lanes<Number> * lanes<Number>;
}

/// The integer type of a number's size. Comparing packs gives a pack of these: all bits set where true, else 0.
template <class Number>
using integer_of = std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>;

/// 0, 1, 2, ... to load a pack from.
inline constexpr std::int32_t lane_numbers[lanes<std::int32_t>] = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace dplda::inline v0_1::detail

#define DPLDA_KERNELS <dplda/core/detail/pack.inl>
#include <dplda/core/detail/for_each_isa.hpp>

#endif

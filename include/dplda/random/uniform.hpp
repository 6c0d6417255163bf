// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_UNIFORM_HPP
#define DPLDA_RANDOM_UNIFORM_HPP

#include <dplda/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace dplda::inline v0_1 {

/// A generator of uniform 64-bit words, such as dplda::chacha20 or std::mt19937_64.
template <class Generator>
concept BitGenerator64 = std::uniform_random_bit_generator<Generator> && Generator::min()
== 0 && Generator::max() == ~std::uint64_t{0};

/// An exactly uniform integer in [0, n): words of the incomplete last block of n are drawn again. Precondition: n > 0.
template <BitGenerator64 Generator>
std::uint64_t uniform_below(Generator& bits, std::uint64_t n) {
  const std::uint64_t incomplete = (0 - n) % n;  // 2^64 mod n
  std::uint64_t word;
  do word = bits();
  while (word < incomplete);
  return word % n;
}

/// A uniform double in (0, 1), a multiple of 2^-52 plus 2^-53: never 0, never 1. (With one bit more the largest value
/// would round to 1.)
template <BitGenerator64 Generator>
double uniform_open(Generator& bits) {
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

/// Puts the items in uniformly random order (Fisher-Yates).
template <class T, BitGenerator64 Generator>
void shuffle(std::span<T> items, Generator& bits) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[uniform_below(bits, i)]);
}

}  // namespace dplda::inline v0_1

#endif

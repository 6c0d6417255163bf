// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_FLOORED_GAUSSIAN_HPP
#define DPLDA_RANDOM_FLOORED_GAUSSIAN_HPP

// Claim: if the bits are uniform and independent, floored_gaussian(bits, s) has exactly the distribution of floor(2^s
//   Z), Z standard normal, as far as int64 holds it (|Z| < 256; beyond that, with a probability below 10^-14000, it
//   wraps). No rounding of a double decides a bit.
// Preconditions: 0 <= s <= 55.
// Argument: the bell exp(-z^2 / 2) on z >= 0 is covered by a wall of 2^14 regions of equal area
//   (detail/gaussian_bricks.hpp): bricks wholly under the bell, bricks that cross it, four for the tail beyond 4, and
//   some void ones. 14 bits choose a region, one a sign, and the others a point. A point under the bell is kept; any
//   other is rejected and drawn again. So |Z| is the abscissa of a uniform point under the bell: half-normal.
//   - A brick under the bell (97 in 100 draws) needs no test and only shifts: z = (column + v) / 64 with the bits of v
//     as drawn, and floor(2^s z) is read off the bits.
//   - In a brick that crosses the bell, y < exp(-z^2 / 2) is first tested in double precision, whose error there is
//     proven to be below the margin (gaussian_wall::compare). If that does not decide, in at most one draw in 2^34,
//     bits are added to y and z, and fixed-point numbers of growing length are compared until the test is decided
//     (under_the_bell_exactly). Equality has probability zero, so this ends.
//   - The tail's bricks together have the area of strips [4 + m/4, 4 + (m+1)/4) of height 2^-m * brick_height / 8, m =
//     0, 1, ..., which cover the bell: exp(-8) < brick_height / 8 and the bell falls by more than half from strip to
//     strip. m is geometric, and y < exp(-z^2 / 2) is decided exactly.
//   - floor(-x) = -floor(x) - 1 for a real x that is not an integer. Flipping all bits does exactly that.
// Test: tests/random/floored_gaussian_test.cpp (enumeration of the decision tree against 50-digit probabilities, forced
//   fall-back, chi-square, Kolmogorov-Smirnov, moments), benchmarks/micro/exact_noise.cpp (the same at 10^8 draws).

#include <dplda/core/errors.hpp>
#include <dplda/random/detail/gaussian_bricks.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace dplda::inline v0_1 {

/// The largest s of floored_gaussian: one word of the generator has this many bits for the value's position.
inline constexpr int floored_gaussian_max_bits = 55;

namespace detail {

// Positions are multiples of 2^-55, as given by the first word of a draw.
template <BitGenerator64 Generator>
[[gnu::noinline]] std::uint64_t gaussian_place_at_the_edge(std::uint64_t word, const gaussian_wall& wall,
                                                           Generator& bits) {
  for (;; word = bits()) {
    const std::size_t index = word >> 50;
    const std::uint64_t v = word >> 1 & ((std::uint64_t{1} << 49) - 1), sign = word & 1;
    std::uint64_t place;
    if (index < wall.full()) {
      place = wall.column(index) << 49 | v;
    } else if (index < wall.full() + wall.edges()) {
      const brick& edge = wall.edge(index - wall.full());
      const std::uint64_t v_word = v << 15 | bits() >> 49, u_word = bits();
      auto side = wall.compare(edge, v_word, u_word);
      if (side == gaussian_wall::side::undecided) {
        lazy_fraction v_bits{v_word}, u_bits{u_word};
        side =
            under_the_bell_exactly(edge, v_bits, u_bits, bits) ? gaussian_wall::side::under : gaussian_wall::side::over;
      }
      if (side == gaussian_wall::side::over) continue;
      place = std::uint64_t{edge.left} << 49 | v;
    } else if (index < wall.full() + wall.edges() + tail_bricks) {
      std::uint32_t strip = 0;
      while ((bits() & 1) != 0) ++strip;
      lazy_fraction v_bits{bits()}, u_bits{bits()};
      if (!under_the_bell_exactly({16 + strip, 2, 0, 3 + strip}, v_bits, u_bits, bits)) continue;
      place = (std::uint64_t{16} + strip) << 53 | v_bits[0] >> 11;
    } else {
      continue;
    }
    return place ^ (0 - sign);
  }
}

/// floor(2^55 Z) in two's complement.
template <BitGenerator64 Generator>
[[gnu::always_inline]] inline std::uint64_t gaussian_place(const gaussian_wall& wall, Generator& bits) {
  const std::uint64_t word = bits();
  const std::size_t index = word >> 50;
  if (index >= wall.full()) [[unlikely]]
    return gaussian_place_at_the_edge(word, wall, bits);
  return (wall.column(index) << 49 | (word >> 1 & ((std::uint64_t{1} << 49) - 1))) ^ (0 - (word & 1));
}

}  // namespace detail

/// floor(2^s Z) for a standard normal Z, exactly. Throws std::invalid_argument unless 0 <= s <= 55.
template <BitGenerator64 Generator>
std::int64_t floored_gaussian(Generator& bits, int s) {
  detail::require(s >= 0 && s <= floored_gaussian_max_bits, "floored_gaussian", "s", s, "must lie in [0, 55]");
  const auto place = static_cast<std::int64_t>(detail::gaussian_place(detail::gaussian_wall::get(), bits));
  return place >> (floored_gaussian_max_bits - s);  // arithmetic: rounds down
}

/// Adds an independent floored_gaussian(bits, s) to each cell, modulo 2^64.
template <BitGenerator64 Generator>
void add_floored_gaussian(Generator& bits, int s, std::span<std::uint64_t> cells) {
  detail::require(s >= 0 && s <= floored_gaussian_max_bits, "add_floored_gaussian", "s", s, "must lie in [0, 55]");
  const detail::gaussian_wall& wall = detail::gaussian_wall::get();
  const int shift = floored_gaussian_max_bits - s;
  for (std::uint64_t& cell : cells) {
    cell += static_cast<std::uint64_t>(static_cast<std::int64_t>(detail::gaussian_place(wall, bits)) >> shift);
  }
}

}  // namespace dplda::inline v0_1

#endif

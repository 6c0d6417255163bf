// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/int128.hpp>

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#if defined(__SIZEOF_INT128__)

using dplda::detail::uint128;
using dplda::detail::wide_integer;

namespace {

wide_integer wide(uint128 value) {
  return (wide_integer(static_cast<std::uint64_t>(value >> 64)) << 64) +
         wide_integer(static_cast<std::uint64_t>(value));
}

std::vector<uint128> samples() {
  std::vector<uint128> values;
  for (int bit = 0; bit < 128; bit += 1) {
    const uint128 power = uint128{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1, ~power});
  }
  std::mt19937_64 bits(1);
  for (int i = 0; i < 200; ++i) values.push_back((uint128{bits()} << 64 | bits()) >> (bits() % 128));
  return values;
}

}  // namespace

TEST_CASE("the portable 128-bit integers calculate like the compiler's", "[core][int128]") {
  const std::vector<uint128> values = samples();
  std::array<std::size_t, 6> wrong{};
  std::size_t i = 0;
  for (const uint128 a : values) {
    for (const uint128 b : values) {
      wrong[0] += wide(a) + wide(b) != wide(a + b);
      wrong[1] += wide(a) - wide(b) != wide(a - b);
      wrong[2] += wide(a) * wide(b) != wide(a * b);
      wrong[3] +=
          (wide(a) < wide(b)) != (a < b) || (wide(a) <= wide(b)) != (a <= b) || (wide(a) == wide(b)) != (a == b);
      if (b != 0 && ++i % 8 == 0) wrong[4] += wide(a) / wide(b) != wide(a / b);
    }
    for (int shift = 0; shift < 128; ++shift) wrong[5] += (wide(a) << shift) != wide(a << shift);
  }
  CHECK(wrong == std::array<std::size_t, 6>{});
}

TEST_CASE("the portable 128-bit integers convert like the compiler's", "[core][int128]") {
  for (const uint128 a : samples()) {
    CHECK(static_cast<std::uint64_t>(wide(a)) == static_cast<std::uint64_t>(a));
    const auto exact = static_cast<double>(a);
    CHECK(std::abs(static_cast<double>(wide(a)) - exact) <= std::ldexp(exact, -51));
  }
  CHECK(wide_integer(-1) == wide(~uint128{0}));
  CHECK(wide_integer(7u) == wide(7));
  CHECK(wide_integer{} == wide(0));
  wide_integer sum = 0;
  sum += ~std::uint64_t{0};
  sum += 1u;
  CHECK(sum == wide(uint128{1} << 64));
}

#endif

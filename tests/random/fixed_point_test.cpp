// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/detail/fixed_point.hpp>
#include <dplda/random/uniform.hpp>

#include "support/catch.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

using boost::multiprecision::cpp_int;
using dplda::chacha20;
using dplda::uniform_below;
using dplda::detail::exp_minus_square;
using dplda::detail::fixed_point;

namespace {

using real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<250>>;

// The number in units of its last digit. It shows its digits by comparison alone, so they are found by bisection.
cpp_int in_ulps(const fixed_point& x) {
  fixed_point found(0, x.fraction_digits());
  cpp_int value = 0;
  for (std::size_t digit = x.fraction_digits() + 1; digit-- > 0;) {
    for (int bit = 32; bit-- > 0;) {
      fixed_point trial(std::uint32_t{1} << bit, x.fraction_digits());
      trial >>= 32 * (x.fraction_digits() - digit);
      trial += found;
      if (x < trial) continue;
      found = trial;
      value += cpp_int(1) << static_cast<unsigned>(32 * digit + static_cast<unsigned>(bit));
    }
  }
  return value;
}

cpp_int one(std::size_t fraction_digits) { return cpp_int(1) << static_cast<unsigned>(32 * fraction_digits); }

// Numbers with long runs of zeros and ones among their bits, where carries go wrong.
std::vector<std::uint64_t> nasty_words(chacha20& bits, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) {
    switch (bits() % 4) {
      case 0:
        word = 0;
        break;
      case 1:
        word = ~std::uint64_t{0};
        break;
      case 2:
        word = ~std::uint64_t{0} << (bits() % 64);
        break;
      default:
        word = bits();
    }
  }
  return words;
}

cpp_int words_in_ulps(std::uint32_t integer, const std::vector<std::uint64_t>& words, std::size_t more) {
  cpp_int value = integer;
  for (const std::uint64_t word : words) value = (value << 64) + word;
  return value << static_cast<unsigned>(32 * more);
}

}  // namespace

TEST_CASE("fixed_point agrees with integers of any length, rounded down", "[random][fixed_point]") {
  chacha20 bits({11}, 0);
  for (int i = 0; i < 400; ++i) {
    const std::size_t words = 1 + bits() % 3, more = bits() % 5;
    const auto a_words = nasty_words(bits, words), b_words = nasty_words(bits, words);
    const auto a_integer = static_cast<std::uint32_t>(bits() % 60000),
               b_integer = static_cast<std::uint32_t>(bits() % 60000);
    const fixed_point a(a_integer, a_words, more), b(b_integer, b_words, more);
    const cpp_int x = words_in_ulps(a_integer, a_words, more), y = words_in_ulps(b_integer, b_words, more);
    const std::size_t digits = a.fraction_digits();
    REQUIRE(digits == 2 * words + more);
    REQUIRE(in_ulps(a) == x);
    CHECK((a < b) == (x < y));
    CHECK(!(a < a));
    CHECK(a.is_zero() == (x == 0));

    fixed_point sum = a;
    sum += b;
    CHECK(in_ulps(sum) == x + y);
    fixed_point difference = x < y ? b : a;
    difference -= x < y ? a : b;
    CHECK(in_ulps(difference) == abs(x - y));
    CHECK(in_ulps(a * b) == x * y / one(digits));
    const std::uint32_t divisor = bits() % 2 == 0 ? ~std::uint32_t{0} - static_cast<std::uint32_t>(bits() % 3)
                                                  : static_cast<std::uint32_t>(1 + bits() % 1000);
    fixed_point quotient = a;
    quotient /= divisor;
    CHECK(in_ulps(quotient) == x / divisor);
    for (const unsigned places : {0u, 1u, 30u, 31u, 32u, 62u, 63u, 64u, 100u, 128u}) {
      fixed_point shifted = a;
      shifted >>= places;
      CHECK(in_ulps(shifted) == x >> places);
    }
    const std::uint64_t count = bits() >> (bits() % 64);
    CHECK(in_ulps(a.ulps(count)) == count);
  }
}

TEST_CASE("fixed_point to double is right to 2^-50", "[random][fixed_point]") {
  chacha20 bits({11}, 1);
  for (int i = 0; i < 400; ++i) {
    const auto words = nasty_words(bits, 3);
    const auto integer = static_cast<std::uint32_t>(bits() % 3);
    const real exact = real(words_in_ulps(integer, words, 0)) / real(one(6));
    if (exact < real(0x1p-64)) continue;
    const auto value = static_cast<double>(fixed_point(integer, words, 0));
    CHECK(abs(real(value) - exact) < ldexp(exact, -50));
  }
}

TEST_CASE("exp_minus_square keeps its stated error bound", "[random][fixed_point]") {
  chacha20 bits({11}, 2);
  real worst = 0;
  for (int i = 0; i < 800; ++i) {
    const std::size_t words = 1 + static_cast<std::size_t>(i) % 3, doublings = static_cast<std::size_t>(i) % 12;
    // Random arguments of all sizes, and the ends: 0, an ulp, the largest below 1, and 1, where the wall's table ends.
    fixed_point r(0, nasty_words(bits, words), 4);
    r >>= bits() % 2 == 0 ? 0 : uniform_below(bits, 64);
    if (i < 12) r = fixed_point(0, 6);
    if (i >= 12 && i < 24) r = r.ulps(1);
    if (i >= 24 && i < 36) (r = fixed_point(1, 6)) -= r.ulps(1);
    if (i >= 36 && i < 48) r = fixed_point(1, 6);
    const auto [value, error] = exp_minus_square(r, doublings);
    const real ulp = 1 / real(one(r.fraction_digits()));
    const real exact_r = real(in_ulps(r)) * ulp;
    const real exact = exp(-ldexp(exact_r * exact_r, static_cast<int>(doublings)));
    const real off = abs(real(in_ulps(value)) * ulp - exact) / ulp;
    CAPTURE(i, doublings, error, off);
    CHECK(off <= real(error));
    CHECK(error < std::uint64_t{1000} << doublings);  // a bound, but no empty one
    worst = std::max<real>(worst, off / real(error));
  }
  std::cout << "exp_minus_square: largest error " << static_cast<double>(worst) << " of the stated one\n";
  CHECK(worst > real(0.01));
}

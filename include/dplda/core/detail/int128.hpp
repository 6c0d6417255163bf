// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_INT128_HPP
#define DPLDA_CORE_DETAIL_INT128_HPP

// Unsigned integers of 128 bits, for the norms that sensitivity rests on.
//
// Claim: uint128 counts exactly modulo 2^128, by the compiler's own type where there is one and by wide_integer
//   elsewhere (32-bit targets, MSVC).
// Argument: wide_integer carries from the low half to the high one, multiplies in 32-bit digits whose products and
//   carries fit 64 bits, and divides bit by bit, by long division.
// Test: tests/core/int128_test.cpp compares each operation with the compiler's type.

#include <dplda/core/config.hpp>

#include <compare>
#include <concepts>
#include <cstdint>

namespace dplda::inline v0_1::detail {

/// The operations on 128 bits that the library uses.
class wide_integer {
 public:
  constexpr wide_integer() = default;
  constexpr wide_integer(std::unsigned_integral auto value) : low_(value) {}
  constexpr wide_integer(std::signed_integral auto value)
      : high_(value < 0 ? ~std::uint64_t{0} : 0), low_(static_cast<std::uint64_t>(value)) {}

  explicit constexpr operator std::uint64_t() const { return low_; }
  explicit constexpr operator double() const {
    return 18446744073709551616.0 * static_cast<double>(high_) + static_cast<double>(low_);
  }

  friend constexpr bool operator==(const wide_integer&, const wide_integer&) = default;
  friend constexpr std::strong_ordering operator<=>(const wide_integer&, const wide_integer&) = default;

  friend constexpr wide_integer operator+(const wide_integer& a, const wide_integer& b) {
    const std::uint64_t low = a.low_ + b.low_;
    return {a.high_ + b.high_ + (low < a.low_ ? 1 : 0), low};
  }
  friend constexpr wide_integer operator-(const wide_integer& a, const wide_integer& b) {
    return {a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_};
  }
  constexpr wide_integer& operator+=(const wide_integer& other) { return *this = *this + other; }

  friend constexpr wide_integer operator*(const wide_integer& a, const wide_integer& b) {
    constexpr std::uint64_t digit = 0xffffffff;
    const std::uint64_t a0 = a.low_ & digit, a1 = a.low_ >> 32, b0 = b.low_ & digit, b1 = b.low_ >> 32;
    const std::uint64_t first = a0 * b0, second = a1 * b0 + (first >> 32), third = a0 * b1 + (second & digit);
    return {a1 * b1 + (second >> 32) + (third >> 32) + a.high_ * b.low_ + a.low_ * b.high_,
            third << 32 | (first & digit)};
  }

  /// 0 <= shift < 128
  friend constexpr wide_integer operator<<(const wide_integer& a, int shift) {
    if (shift == 0) return a;
    if (shift >= 64) return {a.low_ << (shift - 64), 0};
    return {a.high_ << shift | a.low_ >> (64 - shift), a.low_ << shift};
  }

  /// b > 0
  friend constexpr wide_integer operator/(const wide_integer& a, const wide_integer& b) {
    wide_integer quotient, rest;
    for (int bit = 128; bit-- > 0;) {
      const bool lost = rest.high_ >> 63 != 0;  // the doubled remainder is at least 2^128, so it exceeds b
      rest = (rest << 1) + wide_integer((bit < 64 ? a.low_ >> bit : a.high_ >> (bit - 64)) & 1);
      if (lost || rest >= b) {
        rest = rest - b;
        quotient += wide_integer(1) << bit;
      }
    }
    return quotient;
  }

 private:
  constexpr wide_integer(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  std::uint64_t high_ = 0, low_ = 0;  // in the order of comparison
};

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 uint128;
#else
using uint128 = wide_integer;
#endif

}  // namespace dplda::inline v0_1::detail

#endif

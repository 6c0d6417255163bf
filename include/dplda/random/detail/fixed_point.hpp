// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_DETAIL_FIXED_POINT_HPP
#define DPLDA_RANDOM_DETAIL_FIXED_POINT_HPP

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A number in [0, 2^32): one integer digit and any number of 32-bit binary fraction digits. Every operation rounds
/// down, by less than one unit of the last digit ("ulp"). For the exact fall-backs of samplers: short, not fast.
class fixed_point {
 public:
  fixed_point(std::uint32_t integer, std::size_t fraction_digits) : digits_(fraction_digits + 1) {
    digits_[fraction_digits] = integer;
  }

  /// integer + 0.words in binary, with fraction digits for all words and `more` further ones.
  fixed_point(std::uint32_t integer, const std::vector<std::uint64_t>& words, std::size_t more)
      : fixed_point(integer, 2 * words.size() + more) {
    std::size_t at = digits_.size() - 1;
    for (const std::uint64_t word : words) {
      digits_[--at] = static_cast<std::uint32_t>(word >> 32);
      digits_[--at] = static_cast<std::uint32_t>(word);
    }
  }

  std::size_t fraction_digits() const { return digits_.size() - 1; }
  bool is_zero() const {
    return std::all_of(digits_.begin(), digits_.end(), [](std::uint32_t digit) { return digit == 0; });
  }

  /// Precondition: the sum is below 2^32.
  fixed_point& operator+=(const fixed_point& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      carry += std::uint64_t{digits_[i]} + other.digits_[i];
      digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }

  /// Precondition: other <= *this.
  fixed_point& operator-=(const fixed_point& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const std::uint64_t difference = std::uint64_t{digits_[i]} - other.digits_[i] - borrow;
      digits_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
    return *this;
  }

  /// Precondition: the product is below 2^32.
  friend fixed_point operator*(const fixed_point& a, const fixed_point& b) {
    const std::size_t size = a.digits_.size();
    std::vector<std::uint32_t> product(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < size; ++j) {
        carry += std::uint64_t{a.digits_[i]} * b.digits_[j] + product[i + j];
        product[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product[i + size] = static_cast<std::uint32_t>(carry);
    }
    fixed_point result(0, size - 1);
    std::copy_n(product.begin() + static_cast<std::ptrdiff_t>(size - 1), size, result.digits_.begin());
    return result;
  }

  fixed_point& operator/=(std::uint32_t divisor) {
    std::uint64_t remainder = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      remainder = remainder << 32 | digits_[i];
      digits_[i] = static_cast<std::uint32_t>(remainder / divisor);
      remainder %= divisor;
    }
    return *this;
  }

  /// Divides by 2^places, with a single rounding.
  fixed_point& operator>>=(std::size_t places) {
    for (; places > 31; places -= 31) *this /= 1u << 31;
    return *this /= 1u << places;
  }

  friend bool operator<(const fixed_point& a, const fixed_point& b) {
    return std::lexicographical_compare(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(), b.digits_.rend());
  }

  /// `count` units of the last digit, as a number of the same size.
  fixed_point ulps(std::uint64_t count) const {
    fixed_point result(0, fraction_digits());
    for (std::uint32_t& digit : result.digits_) {
      digit = static_cast<std::uint32_t>(count);
      count >>= 32;
    }
    return result;
  }

  /// To double. The relative error is below 2^-50 if the value is at least 2^-64 (and there are four digits).
  explicit operator double() const {
    double value = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) value = value * 0x1p32 + digits_[i];
    for (std::size_t i = 0; i < fraction_digits(); ++i) value *= 0x1p-32;
    return value;
  }

 private:
  std::vector<std::uint32_t> digits_;  // lowest first
};

/// exp(-2^doublings r^2) within `error` ulps, either way, for 0 <= r <= 1: the Taylor sum of exp(-r^2), squared
/// `doublings` times.
///
/// Terms: t_n is floor(floor(t_{n-1} r^2) / n) with r^2 rounded down, so if t_{n-1} is less than e too small, t_n is
/// less than (e + t_{n-1} + 1) / n + 1 too small: 3, 3.5, 2.7, ... and less than 4 for every n. The sum stops where a
/// term is 0; the true term is then less than 4 ulps, and the rest of the alternating sum is smaller still. So the sum
/// of N terms is within 4 N + 4 ulps. Squaring a number <= 1 that is wrong by e ulps gives an error below 2 e + 1 ulps
/// (e^2 of an ulp is less than one, as ulps are at most 2^-64 here) and one more for rounding.
inline std::pair<fixed_point, std::uint64_t> exp_minus_square(const fixed_point& r, std::size_t doublings) {
  const fixed_point square = r * r;
  fixed_point even(1, r.fraction_digits()), odd(0, r.fraction_digits()), term = even;
  std::uint32_t n = 0;
  while (!term.is_zero()) {
    term = term * square;
    term /= ++n;
    (n % 2 == 0 ? even : odd) += term;
  }
  even -= odd;
  std::uint64_t error = 4 * std::uint64_t{n} + 4;
  for (; doublings > 0; --doublings) {
    even = even * even;
    error = 2 * error + 2;
  }
  return {even, error};
}

}  // namespace dplda::inline v0_1::detail

#endif

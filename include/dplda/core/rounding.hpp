// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_ROUNDING_HPP
#define DPLDA_CORE_ROUNDING_HPP

#include <dplda/core/config.hpp>
#include <dplda/core/detail/numbers.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

// Numbers for people to read. A promise must not be printed smaller than it is, and a finding must not be printed
// larger: promises are rounded up, findings down.

namespace dplda::inline v0_1 {

/// x with `digits` significant digits: 0.125, 1e-06.
inline std::string significant(double x, int digits = 4) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits).ptr};
}

/// x with `decimals` decimals: 0.125.
inline std::string with_decimals(double x, int decimals) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, decimals).ptr};
}

/// A number of people or documents as it may be published: two significant digits, below 100 one. 1234 becomes 1200, and
/// 57 becomes 60. If somebody counted, the rounded number tells less.
inline std::uint64_t rounded_count(std::uint64_t number) {
  std::uint64_t unit = number >= 10 ? 10 : 1;
  while (number / unit >= 100) unit *= 10;
  return (number / unit + (number % unit >= unit - unit / 2 ? 1 : 0)) * unit;
}

namespace detail {

inline double value_of(const std::string& number) {
  double value = 0;
  read_double(number, value);
  return value;
}

}  // namespace detail

/// x >= 0 with `digits` significant digits, rounded up.
inline std::string rounded_up(double x, int digits = 5) {
  for (double raised = x;; raised += std::max(x * 1e-5, std::numeric_limits<double>::denorm_min())) {
    std::string text = significant(raised, digits);
    if (!(detail::value_of(text) < x)) return text;
  }
}

/// x with `digits` significant digits, rounded down if it is positive and finite.
inline std::string rounded_down(double x, int digits = 5) {
  if (!(x > 0) || std::isinf(x)) return significant(x, digits);
  for (double lowered = x;; lowered -= std::max(x * 1e-5, std::numeric_limits<double>::denorm_min())) {
    std::string text = significant(lowered, digits);
    if (detail::value_of(text) <= x) return text;
  }
}

namespace detail {

/// With three digits, or with as many as distinguish it from 100%.
inline std::string percent(double probability, bool up) {
  const double x = 100 * std::clamp(probability, 0.0, 1.0);
  if (x == 0 || x == 100) return with_decimals(x, 0) + '%';
  if (x < 1e-6) return (up ? rounded_up(x) : rounded_down(x)) + '%';
  const double near_end = std::min(x, 100 - x);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(near_end))), 1, 8);
  const double scale = std::pow(10, decimals), moved = x * scale;
  const double whole = up ? std::ceil(moved - 1e-7) : std::floor(moved + 1e-7);
  return with_decimals(whole / scale, decimals) + '%';
}

}  // namespace detail

/// A probability in per cent, rounded up (down): "99.01%". Values outside [0, 1] count as 0 or 1.
inline std::string percent_at_most(double probability) { return detail::percent(probability, true); }
inline std::string percent_at_least(double probability) { return detail::percent(probability, false); }

}  // namespace dplda::inline v0_1

#endif

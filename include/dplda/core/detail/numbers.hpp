// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_NUMBERS_HPP
#define DPLDA_CORE_DETAIL_NUMBERS_HPP

// Claim: read_double returns the double nearest to the decimal number in the text, ties to even, in every locale and on
//   every platform. Other texts and numbers out of range are refused, never read in part. So the epsilon of a ledger
//   written on one machine is the same double on another.
// Preconditions: the floating-point environment rounds to nearest, which is the default.
// Argument: is_decimal decides whether the text is a number before either converter sees it. std::from_chars is
//   specified to round to nearest and ignores the locale. Where the standard library lacks it for double (libc++ before
//   version 20), the C library's strtod reads the same text under its own "C" locale object, so the process's locale
//   has
//   no effect. glibc, the C libraries of macOS and the BSDs, musl and Windows' UCRT round to nearest. The code checks
//   the result instead of strtod's errno, because platforms differ in whether a subnormal result counts as an error.
// Test: tests/core/numbers_test.cpp runs both converters on the same texts (round trips, ties, limits of the range,
//   malformed text, another locale).

#include <dplda/core/config.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <version>

#include <locale.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif

namespace dplda::inline v0_1::detail {

#if defined(__cpp_lib_to_chars)
inline constexpr bool standard_reads_doubles = true;
#else
inline constexpr bool standard_reads_doubles = false;
#endif

/// Whether the whole text is a number as std::to_chars or JSON writes it: an optional '-', then either digits with an
/// optional decimal point before, among or after them and an optional exponent, or "inf" or "nan".
inline bool is_decimal(std::string_view text) {
  const auto take = [&text](std::string_view any) {
    const bool there = !text.empty() && any.find(text.front()) != std::string_view::npos;
    if (there) text.remove_prefix(1);
    return there;
  };
  const auto digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  take("-");
  if (text == "inf" || text == "nan") return true;
  std::size_t mantissa = digits();
  if (take(".")) mantissa += digits();
  if (mantissa == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

/// strtod in the "C" locale. Precondition: is_decimal(text), and the text has digits.
inline double convert_in_c_locale(const std::string& text) {
#if defined(_WIN32)
  static const _locale_t plain = ::_create_locale(LC_ALL, "C");
  return ::_strtod_l(text.c_str(), nullptr, plain);
#else
  static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", locale_t{});
  return ::strtod_l(text.c_str(), nullptr, plain);
#endif
}

/// Reads the whole text into `value` and returns std::errc{}. On failure `value` is unchanged: returns
/// std::errc::invalid_argument if the text is not a number, and std::errc::result_out_of_range if the nearest double is
/// infinite, or is zero although the number is not. Standard: whether to use std::from_chars; both ways agree.
template <bool Standard = standard_reads_doubles, class Real>
std::errc read_double(std::string_view text, Real& value) {
  static_assert(std::is_same_v<Real, double>);
  if (!is_decimal(text)) return std::errc::invalid_argument;
  if constexpr (Standard) {
    return std::from_chars(text.data(), text.data() + text.size(), value).ec;
  } else {
    if (text.ends_with("inf") || text.ends_with("nan")) {  // not every strtod reads these words
      using limits = std::numeric_limits<double>;
      value = std::copysign(text.back() == 'f' ? limits::infinity() : limits::quiet_NaN(), text[0] == '-' ? -1.0 : 1.0);
      return std::errc{};
    }
    const double read = convert_in_c_locale(std::string(text));
    const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
    if (std::isinf(read)) return std::errc::result_out_of_range;
    if (read == 0 && mantissa.find_first_of("123456789") != std::string_view::npos)
      return std::errc::result_out_of_range;
    value = read;
    return std::errc{};
  }
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_REPORT_TEXT_HPP
#define DPLDA_EXAMPLES_DPLDA_REPORT_TEXT_HPP

// Text and numbers as the report's page writes them: any text made harmless, promises rounded up, findings down.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/io/detail/json.hpp>
#include <dplda/io/detail/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace dplda_program::page {

/// Valid UTF-8 without control characters: what is neither becomes U+FFFD.
inline std::string clean(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = dplda::detail::decode_utf8(text.data() + at, text.data() + text.size());
    const bool control = bytes > 0 && (value < 0x20 || (value >= 0x7F && value < 0xA0)) && value != '\n';
    if (bytes == 0 || control) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(at, bytes);
    }
    at += std::max<std::size_t>(1, bytes);
  }
  return out;
}

/// Any text, as content of an element or of an attribute in quotes.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A word, which may be written from right to left without disturbing what stands beside it.
inline std::string word_html(std::string_view word, std::string_view kind = {}) {
  std::string out = "<bdi";
  if (!kind.empty()) out.append(" class=\"").append(kind).append("\"");
  return out.append(">").append(escaped(word)).append("</bdi>");
}

/// JSON that may stand in a script element.
inline std::string json_html(const dplda::detail::json& value) {
  std::string out;
  for (const char c : value.dump()) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

inline std::string base64_of_hex(std::string_view hex) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : hex) {
    bits = (bits << 4 | static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10)) & 0xFFF;
    held += 4;
    if (held >= 6) out += letters[bits >> (held -= 6) & 63];
  }
  if (held > 0) out += letters[bits << (6 - held) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

inline std::string digits(double x, int count = 4) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, count).ptr};
}

inline std::string fixed(double x, int decimals) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, decimals).ptr};
}

/// "1e-06" as 10 with an exponent.
inline std::string powers(const std::string& number) {
  if (number == "inf") return "∞";
  const std::size_t at = number.find('e');
  if (at == std::string::npos) return number;
  const std::string mantissa = number.substr(0, at);
  const int exponent = std::stoi(number.substr(at + 1));
  return (mantissa == "1" ? "" : mantissa + " × ") + "10<sup>" + (exponent < 0 ? "−" : "") +
         std::to_string(std::abs(exponent)) + "</sup>";
}

inline double value_of(const std::string& number) {
  double value = 0;
  dplda::detail::read_double(number, value);
  return value;
}

/// A promise is printed rounded up, a finding rounded down.
inline std::string raised(double x, int count) {
  for (double moved = x;; moved += x * 1e-5) {
    const std::string text = digits(moved, count);
    if (!(value_of(text) < x)) return powers(text);
  }
}
inline std::string upper(double x) { return powers(dplda::detail::rounded_up(x)); }
inline std::string lower(double x) {
  if (!(x > 0) || std::isinf(x)) return powers(digits(x));
  for (double moved = x;; moved -= x * 1e-5) {
    const std::string text = digits(moved, 5);
    if (value_of(text) <= x) return powers(text);
  }
}

/// A probability in per cent, rounded to the stated side, in three digits or as many as tell it from 100%.
inline std::string percent(double p, bool up) {
  const double x = 100 * std::clamp(p, 0.0, 1.0);
  if (x == 0 || x == 100) return fixed(x, 0) + '%';
  if (x < 1e-6) return (up ? upper(x) : lower(x)) + '%';
  const double near_end = std::min(x, 100 - x);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(near_end))), 1, 8);
  const double scale = std::pow(10, decimals), moved = x * scale;
  const double whole = up ? std::ceil(moved - 1e-7) : std::floor(moved + 1e-7);
  return fixed(whole / scale, decimals) + '%';
}
inline std::string at_most(double p) { return percent(p, true); }
inline std::string at_least(double p) { return percent(p, false); }

}  // namespace dplda_program::page

#endif

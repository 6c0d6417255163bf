// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_HTML_TEXT_HPP
#define DPLDA_REPORT_DETAIL_HTML_TEXT_HPP

#include <dplda/core/rounding.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// Text and numbers as the page writes them: text is escaped, promises are rounded up, findings are rounded down.

namespace dplda::inline v0_1::detail::page {

/// Valid UTF-8 without control characters: invalid bytes and control characters become U+FFFD.
inline std::string clean(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = decode_utf8(text.data() + at, text.data() + text.size());
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

/// A word, which may be written from right to left without disturbing its neighbours.
inline std::string word_html(std::string_view word, std::string_view kind = {}) {
  std::string out = "<bdi";
  if (!kind.empty()) out.append(" class=\"").append(kind).append("\"");
  return out.append(">").append(escaped(word)).append("</bdi>");
}

/// JSON that may stand in a script element.
inline std::string json_html(const json_value& value) {
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

/// A promise is printed rounded up, a finding rounded down.
inline std::string upper(double x, int digits = 5) { return powers(rounded_up(x, digits)); }
inline std::string lower(double x) { return powers(rounded_down(x)); }

/// A probability in per cent, rounded to the stated side.
inline std::string powers_of_percent(std::string percent) {
  percent.pop_back();
  return powers(percent) + '%';
}
inline std::string at_most(double p) { return powers_of_percent(percent_at_most(p)); }
inline std::string at_least(double p) { return powers_of_percent(percent_at_least(p)); }

}  // namespace dplda::inline v0_1::detail::page

#endif

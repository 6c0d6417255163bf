// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_UTF8_HPP
#define DPLDA_IO_DETAIL_UTF8_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace dplda::inline v0_1::detail {

/// A code point and the number of its bytes; 0 bytes where the text holds no valid one.
struct code_point {
  char32_t value = 0;
  std::size_t bytes = 0;
};

/// The first code point of [begin, end), not empty. Overlong forms, surrogates and values above U+10FFFF are invalid
/// (RFC 3629).
inline code_point decode_utf8(const char* begin, const char* end) {
  const auto lead = static_cast<unsigned char>(*begin);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || static_cast<std::size_t>(end - begin) < bytes) return {};
  char32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(begin[i]);
    if ((next & 0xC0u) != 0x80u) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

/// Position of the first byte that is not valid UTF-8, or npos.
inline std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = decode_utf8(text.data() + at, text.data() + text.size()).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::string_view::npos;
}

/// Precondition: the text is valid UTF-8.
inline std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return count;
}

/// Appends a code point. Precondition: it is one (no surrogate, at most U+10FFFF).
inline void append_utf8(std::string& text, char32_t value) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80u | ((value >> shift) & 0x3Fu)); };
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0u | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0u | (value >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0u | (value >> 18));
    tail(12), tail(6), tail(0);
  }
}

/// The text, cut at a code point to about 60 bytes, for messages.
inline std::string shortened(std::string_view text) {
  std::size_t size = 60;
  if (text.size() <= size) return std::string(text);
  while (size > 56 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
  return std::string(text.substr(0, size)) + "...";
}

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace dplda::inline v0_1::detail

#endif

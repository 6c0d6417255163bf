// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_JSON_IPP
#define DPLDA_IO_DETAIL_JSON_IPP

// Bodies of io/json.hpp.

#include <dplda/io/detail/json_parser.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/json.hpp>

#include <algorithm>
#include <charconv>

namespace dplda::inline v0_1 {

DPLDA_INLINE const json_value* json_value::find(std::string_view key) const {
  if (const auto* members = get_if<object>()) {
    for (const auto& [name, value] : *members) {
      if (name == key) return &value;
    }
  }
  return nullptr;
}

DPLDA_INLINE const json_value& json_value::at(std::string_view key) const {
  const json_value* const value = find(key);
  detail::require(value != nullptr, "json_value::at", "the value", kind(),
                  std::string("must be an object with a member \"").append(key) + '"');
  return *value;
}

DPLDA_INLINE void json_value::set(std::string_view key, json_value value) {
  if (is_null()) value_ = object();
  auto* const members = std::get_if<object>(&value_);
  detail::require(members != nullptr, "json_value::set", "the value", kind(), "must be an object");
  const auto place = std::find_if(members->begin(), members->end(), [&](const member& m) { return m.first == key; });
  if (place != members->end()) {
    place->second = std::move(value);
  } else {
    members->emplace_back(std::string(key), std::move(value));
  }
}

DPLDA_INLINE const char* json_value::kind() const noexcept {
  static constexpr const char* names[] = {"null", "a truth value", "a number", "text", "an array", "an object"};
  return names[value_.index()];
}

DPLDA_INLINE std::string json_value::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

namespace detail {

inline void write_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t bytes = decode_utf8(text.data(), text.data() + text.size()).bytes;
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 0x20) {
      ((out += "\\u00") += "01"[byte >> 4]) += "0123456789abcdef"[byte & 15];
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  out += '"';
}

}  // namespace detail

DPLDA_INLINE void json_value::write(std::string& out, int indent, int depth) const {
  const auto new_line = [&](int level) {
    if (indent > 0) (out += '\n').append(static_cast<std::size_t>(indent * level), ' ');
  };
  const auto list = [&](char open, char close, const auto& items, const auto& write_item) {
    out += open;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      new_line(depth + 1);
      write_item(items[i]);
    }
    if (!items.empty()) new_line(depth);
    out += close;
  };
  if (const auto* b = get_if<bool>()) {
    out += *b ? "true" : "false";
  } else if (const auto* number = get_if<double>()) {
    char digits[32];
    char* const end = digits + sizeof digits;
    out.append(digits, (whole_ ? std::to_chars(digits, end, static_cast<std::int64_t>(*number))
                               : std::to_chars(digits, end, *number))
                           .ptr);
  } else if (const auto* text = get_if<std::string>()) {
    detail::write_json_string(out, *text);
  } else if (const auto* items = get_if<array>()) {
    list('[', ']', *items, [&](const json_value& item) { item.write(out, indent, depth + 1); });
  } else if (const auto* members = get_if<object>()) {
    list('{', '}', *members, [&](const member& m) {
      detail::write_json_string(out, m.first);
      out += indent > 0 ? ": " : ":";
      m.second.write(out, indent, depth + 1);
    });
  } else {
    out += "null";
  }
}

DPLDA_INLINE json_value whole_number(std::uint64_t value) {
  if (value <= (std::uint64_t{1} << 53)) return value;
  return std::to_string(value);
}

DPLDA_INLINE json_value number_or_infinity(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "infinity" : "-infinity";
  return number;
}

DPLDA_INLINE json_value json_value::parse(std::string_view text, const std::string& name) {
  return detail::json_parser(text, name).whole();
}

}  // namespace dplda::inline v0_1

#endif

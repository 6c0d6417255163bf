// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_JSON_HPP
#define DPLDA_IO_DETAIL_JSON_HPP

#include <dplda/core/detail/numbers.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::detail {

/// A JSON value (RFC 8259). Objects keep the order of their members; numbers are doubles, so integers are exact up to
/// 2^53.
class json {
 public:
  using member = std::pair<std::string, json>;
  using array = std::vector<json>;
  using object = std::vector<member>;

  json(std::nullptr_t = nullptr) {}
  json(bool b) : value_(b) {}
  /// Throws std::invalid_argument if the number is not finite, or an integer beyond 2^53.
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>) json(Number number)
      : value_(static_cast<double>(number)) {
    const double magnitude = std::abs(static_cast<double>(number));
    require(std::is_integral_v<Number> ? magnitude <= 9007199254740992.0 : std::isfinite(magnitude), "json", "number",
            number, "must be finite, and an integer at most 2^53 in magnitude");
  }
  json(std::string text) : value_(std::move(text)) {}
  json(const char* text) : value_(std::string(text)) {}
  json(array items) : value_(std::move(items)) {}
  json(object members) : value_(std::move(members)) {}

  bool is_null() const noexcept { return value_.index() == 0; }
  /// The value as bool, double, std::string, array or object; null where it is another.
  template <class T>
  const T* get_if() const noexcept {
    return std::get_if<T>(&value_);
  }
  /// The member of this name; null where this is no object or has none.
  const json* find(std::string_view key) const {
    if (const auto* members = get_if<object>()) {
      for (const auto& [name, value] : *members) {
        if (name == key) return &value;
      }
    }
    return nullptr;
  }

  /// Reads a whole text. Throws parse_error on anything that is not JSON, invalid UTF-8, a number beyond double, a name
  /// that occurs twice in an object, and nesting deeper than 64. `name` stands for the file in messages.
  static json parse(std::string_view text, const std::string& name);

  /// The value as text: on one line, or with `indent` blanks a level. Doubles are written so that reading gives the
  /// same bits. Precondition: strings are UTF-8.
  std::string dump(int indent = 0) const {
    std::string out;
    write(out, indent, 0);
    return out;
  }

  friend bool operator==(const json& a, const json& b) { return a.value_ == b.value_; }

 private:
  void write(std::string& out, int indent, int depth) const;

  std::variant<std::nullptr_t, bool, double, std::string, array, object> value_;
};

inline void write_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 0x20) {
      ((out += "\\u00") += "01"[byte >> 4]) += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

inline void json::write(std::string& out, int indent, int depth) const {
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
    out.append(digits, std::to_chars(digits, digits + sizeof digits, *number).ptr);
  } else if (const auto* text = get_if<std::string>()) {
    write_json_string(out, *text);
  } else if (const auto* items = get_if<array>()) {
    list('[', ']', *items, [&](const json& item) { item.write(out, indent, depth + 1); });
  } else if (const auto* members = get_if<object>()) {
    list('{', '}', *members, [&](const member& m) {
      write_json_string(out, m.first);
      out += indent > 0 ? ": " : ":";
      m.second.write(out, indent, depth + 1);
    });
  } else {
    out += "null";
  }
}

class json_parser {
 public:
  json_parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  json whole() {
    json read = value(0);
    skip_space();
    if (at_ != text_.size()) refuse("expected the end of the text");
    return read;
  }

 private:
  static constexpr int deepest = 64;

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(const char* expected) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw parse_error(name_, static_cast<std::size_t>(lines) + 1, expected);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return peek() == c && at_ < text_.size() ? (++at_, true) : false; }
  bool take(std::string_view word) { return text_.substr(at_).starts_with(word) ? (at_ += word.size(), true) : false; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }
  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  json value(int depth) {
    if (depth > deepest) refuse("expected at most 64 levels of nesting");
    skip_space();
    if (take('{')) return members(depth);
    if (take('[')) return items(depth);
    if (take('"')) return string();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return nullptr;
    return number();
  }

  json items(int depth) {
    json::array read;
    skip_space();
    if (take(']')) return read;
    do {
      read.push_back(value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take(']')) refuse("expected ',' or ']'");
    return read;
  }

  json members(int depth) {
    json::object read;
    skip_space();
    if (take('}')) return read;
    do {
      skip_space();
      if (!take('"')) refuse("expected a member's name in quotes");
      std::string key = string();
      skip_space();
      if (!take(':')) refuse("expected ':'");
      read.emplace_back(std::move(key), value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take('}')) refuse("expected ',' or '}'");
    std::vector<std::string_view> keys;
    for (const json::member& m : read) keys.push_back(m.first);
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) refuse("expected members of different names");
    return read;
  }

  json number() {
    const std::size_t begin = at_;
    take('-');
    const std::size_t first = at_;
    if (!digits()) refuse("expected a value");
    if (text_[first] == '0' && at_ > first + 1) refuse("expected a number without a leading 0");
    if (take('.') && !digits()) refuse("expected digits behind the point");
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take('+')) take('-');
      if (!digits()) refuse("expected digits of an exponent");
    }
    double read = 0;
    if (read_double(text_.substr(begin, at_ - begin), read) == std::errc::result_out_of_range)
      refuse("expected a number in the range of double");
    return read;
  }

  unsigned four_hex_digits() {
    unsigned read = 0;
    const char* begin = text_.data() + at_;
    if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, read, 16).ptr != begin + 4)
      refuse("expected four hexadecimal digits");
    at_ += 4;
    return read;
  }

  std::string string() {
    std::string read;
    for (;;) {
      if (at_ == text_.size()) refuse("expected '\"' at the end of a string");
      if (take('"')) return read;
      if (take('\\')) {
        escape(read);
        continue;
      }
      const std::size_t bytes = decode_utf8(text_.data() + at_, text_.data() + text_.size()).bytes;
      if (bytes == 0) refuse("expected UTF-8");
      if (static_cast<unsigned char>(peek()) < 0x20) refuse("expected an escape instead of a control character");
      read.append(text_.substr(at_, bytes));
      at_ += bytes;
    }
  }

  void escape(std::string& out) {
    static constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (take('u')) {
      char32_t point = four_hex_digits();
      if (point >= 0xD800 && point <= 0xDBFF && take("\\u")) {
        const char32_t low = four_hex_digits();
        if (low < 0xDC00 || low > 0xDFFF) refuse("expected the second half of a surrogate pair");
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      }
      if (point >= 0xD800 && point <= 0xDFFF) refuse("expected a whole surrogate pair");
      append_utf8(out, point);
      return;
    }
    const std::size_t which = at_ < text_.size() ? names.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) refuse("expected an escape sequence");
    out += meanings[which];
    ++at_;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

inline json json::parse(std::string_view text, const std::string& name) { return json_parser(text, name).whole(); }

}  // namespace dplda::detail

#endif

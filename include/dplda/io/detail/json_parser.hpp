// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_JSON_PARSER_HPP
#define DPLDA_IO_DETAIL_JSON_PARSER_HPP

#include <dplda/core/detail/numbers.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

class json_parser {
 public:
  json_parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  json_value whole() {
    json_value read = value(0);
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

  json_value value(int depth) {
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

  json_value items(int depth) {
    json_value::array read;
    skip_space();
    if (take(']')) return read;
    do {
      read.push_back(value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take(']')) refuse("expected ',' or ']'");
    return read;
  }

  json_value members(int depth) {
    json_value::object read;
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
    for (const json_value::member& m : read) keys.push_back(m.first);
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) refuse("expected members of different names");
    return read;
  }

  json_value number() {
    const std::size_t begin = at_;
    take('-');
    const std::size_t first = at_;
    if (!digits()) refuse("expected a value");
    if (text_[first] == '0' && at_ > first + 1) refuse("expected a number without a leading 0");
    const std::size_t whole_end = at_;
    if (take('.') && !digits()) refuse("expected digits after the point");
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take('+')) take('-');
      if (!digits()) refuse("expected digits of an exponent");
    }
    double read = 0;
    if (read_double(text_.substr(begin, at_ - begin), read) == std::errc::result_out_of_range)
      refuse("expected a number in the range of double");
    json_value number = read;
    number.whole_ = at_ == whole_end && std::abs(read) <= json_value::largest_whole && !(read == 0 && first > begin);
    return number;
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

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

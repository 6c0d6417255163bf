// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_READER_HPP
#define DPLDA_IO_DETAIL_TEXT_READER_HPP

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/encoding_error.hpp>
#include <dplda/io/files.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Reads numbers and lines from a stream in large blocks, counts lines, and says where and why a text is refused. A
/// byte order mark at the beginning is skipped.
class text_reader {
 public:
  static constexpr int end_of_file = -1;

  /// `first_line` is the line that the stream begins in; beyond 1, it is a part of a text, which begins with no mark.
  text_reader(std::istream& in, std::string name, std::size_t first_line = 1)
      : in_(in),
        name_(std::move(name)),
        size_(remaining_bytes(in)),
        block_(static_cast<std::size_t>(std::min<std::uint64_t>(size_.value_or(largest_block), largest_block - 1) + 1)),
        buffer_(std::make_unique_for_overwrite<char[]>(block_ + padding)),
        line_(first_line),
        line_begins_(first_line) {
    next_ = end_ = buffer_.get();
    fill();
    if (first_line == 1 && ahead().starts_with(byte_order_mark)) {
      next_ += byte_order_mark.size();
    }
  }

  const std::string& name() const noexcept { return name_; }
  /// What was read ahead: before anything is taken, all of a small file, or the first megabyte.
  std::string_view ahead() const noexcept { return {next_, static_cast<std::size_t>(end_ - next_)}; }
  /// How many bytes were taken from the stream, a byte order mark included.
  std::uint64_t position() const noexcept { return received_ - static_cast<std::uint64_t>(end_ - next_); }
  /// The line of the next byte, from 1.
  std::size_t line() const noexcept { return line_; }
  /// The stream's size; if unknown, the number of bytes read so far.
  std::uint64_t bytes() const noexcept { return size_.value_or(received_); }
  bool size_is_known() const noexcept { return size_.has_value(); }

  int peek() {
    if (next_ == end_ && !drained_) fill();
    return next_ == end_ ? end_of_file : static_cast<unsigned char>(*next_);
  }
  bool at_end() { return peek() == end_of_file; }

  /// Precondition: not at the end, and the next byte is no line feed.
  void skip() { ++next_; }

  void skip_blanks() {
    for (;;) {
      while (*next_ == ' ' || *next_ == '\t') ++next_;
      if (next_ != end_ || drained_) return;
      fill();
    }
  }

  void skip_blank_lines() {
    for (skip_blanks(); peek() == '\n' || peek() == '\r'; skip_blanks()) end_of_line();
  }

  /// Skips blanks and reads an unsigned decimal number; `what` names it in the message.
  /// Throws parse_error if there is none, or one above 2^64 - 1.
  std::uint64_t number(const char* what) {
    // The usual case, one blank or none and a short number, stays small enough to be inlined.
    if (end_ - next_ >= 16) {
      const char* begin = next_ + (*next_ == ' ');
      std::uint64_t value;
      const int digits = up_to_eight_digits(begin, value);
      if (digits > 0 && digits < 8) {
        next_ = begin + digits;
        return value;
      }
    }
    return any_number(what);
  }

  /// As above; refuses numbers outside [low, high].
  std::uint64_t number(const char* what, std::uint64_t low, std::uint64_t high) {
    const std::uint64_t value = number(what);
    if (value < low || value > high) refuse_range(what, low, high, value);
    return value;
  }

  /// Throws parse_error unless `c` follows, and skips it.
  void expect(char c) {
    if (peek() != static_cast<unsigned char>(c)) refuse(text("expected '", c, "', found ", next_thing()));
    skip();
  }

  /// Skips blanks and a line's end: LF, CR LF, or the end of the file. Throws parse_error on anything else.
  void end_of_line() {
    if (*next_ == '\n' && next_ != end_) {
      ++next_;
      ++line_;
      return;
    }
    other_end_of_line();
  }

  /// The next line without its end, or nothing at the end of the file. The view lives until the next call.
  std::optional<std::string_view> next_line() {
    if (at_end()) return std::nullopt;
    line_begins_ = line_;
    if (std::memchr(next_, '\n', static_cast<std::size_t>(end_ - next_)) == nullptr && !drained_) fill();
    std::string_view found = rest_of_block();
    if (found.size() == static_cast<std::size_t>(end_ - next_) && !drained_) {
      long_line_.clear();
      do {
        long_line_.append(found);
        next_ += found.size();
        fill();
        found = rest_of_block();
      } while (next_ != end_ && found.size() == static_cast<std::size_t>(end_ - next_));
      long_line_.append(found);
      next_ += found.size();
      found = long_line_;
    } else {
      next_ += found.size();
    }
    if (next_ != end_) {
      ++next_;
      ++line_;
    }
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
  }

  /// The line that next_line() gave last.
  std::size_t last_line() const noexcept { return line_begins_; }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(const std::string& expected) const {
    throw parse_error(name_, line_, expected);
  }

  /// The next byte in words, for messages.
  std::string next_thing() {
    const int c = peek();
    if (c == end_of_file) return "the end of the file";
    if (c == '\n' || c == '\r') return "the end of the line";
    if (c > 0x20 && c < 0x7F) return text("'", static_cast<char>(c), "'");
    return text("a byte of value ", c);
  }

 private:
  static constexpr std::size_t largest_block = std::size_t{1} << 20;
  static constexpr std::size_t padding = 8;  // zeros after the last byte, so that eight bytes can be loaded anywhere

  void fill() {
    const auto kept = static_cast<std::size_t>(end_ - next_);
    std::memmove(buffer_.get(), next_, kept);
    in_.read(buffer_.get() + kept, static_cast<std::streamsize>(block_ - kept));
    const auto got = static_cast<std::size_t>(in_.gcount());
    if (in_.bad()) throw parse_error(name_, 0, "expected a file that can be read");
    drained_ = got < block_ - kept;
    received_ += got;
    next_ = buffer_.get();
    end_ = next_ + kept + got;
    std::memset(buffer_.get() + kept + got, 0, padding);
  }

  /// From the next byte to the line's end or the block's, whichever comes first.
  std::string_view rest_of_block() const {
    const auto size = static_cast<std::size_t>(end_ - next_);
    const void* feed = std::memchr(next_, '\n', size);
    return {next_, feed == nullptr ? size : static_cast<std::size_t>(static_cast<const char*>(feed) - next_)};
  }

  /// Reads the digits among eight bytes in one go, because a loop over digits mispredicts its end at nearly every
  /// number. Returns the number of digits before the first other byte; `value` is meaningless if there is none.
  static int up_to_eight_digits(const char* begin, std::uint64_t& value) {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t chunk;
      std::memcpy(&chunk, begin, sizeof chunk);
      chunk ^= 0x3030303030303030u;  // a digit becomes its value
      // The lowest set bit marks the first byte above 9; carries reach higher bytes only.
      const std::uint64_t others = ((chunk + 0x7676767676767676u) | chunk) & 0x8080808080808080u;
      const int digits = std::countr_zero(others) / 8;
      if (digits == 0) return 0;
      chunk <<= 8 * (8 - digits);                                   // zeros in front
      chunk = (10 * chunk + (chunk >> 8)) & 0x00FF00FF00FF00FFu;    // pairs of digits
      chunk = (100 * chunk + (chunk >> 16)) & 0x0000FFFF0000FFFFu;  // groups of four
      value = (10000 * chunk + (chunk >> 32)) & 0xFFFFFFFFu;
      return digits;
    } else {
      int digits = 0;
      for (value = 0; digits < 8 && begin[digits] >= '0' && begin[digits] <= '9'; ++digits) {
        value = 10 * value + static_cast<std::uint64_t>(begin[digits] - '0');
      }
      return digits;
    }
  }

  [[gnu::noinline]] std::uint64_t any_number(const char* what) {
    skip_blanks();
    int c = peek();
    if (c < '0' || c > '9') refuse(text("expected ", what, ", found ", next_thing()));
    std::uint64_t value = 0;
    for (; c >= '0' && c <= '9'; c = peek()) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
        refuse(text("expected ", what, ", found a number above 2^64 - 1"));
      }
      value = 10 * value + digit;
      ++next_;
    }
    return value;
  }

  [[gnu::noinline]] void other_end_of_line() {
    skip_blanks();
    if (peek() == '\r') skip();
    const int c = peek();
    if (c == end_of_file) return;
    if (c != '\n') refuse(text("expected the end of the line, found ", next_thing()));
    ++next_;
    ++line_;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_range(const char* what, std::uint64_t low, std::uint64_t high,
                                                           std::uint64_t value) const {
    refuse(text("expected ", what, " from ", low, " to ", high, ", found ", value));
  }

  std::istream& in_;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::size_t block_;  // one byte more than a small file, so that one read finds its end
  std::unique_ptr<char[]> buffer_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  bool drained_ = false;
  std::uint64_t received_ = 0;
  std::size_t line_;
  std::size_t line_begins_;
  std::string long_line_;
};

/// How many documents or words a file of this many bytes may announce. Empty documents and unused words take no bytes,
/// so the bound is generous; a header that would exhaust the memory is still refused.
inline std::uint64_t plausible_count(std::uint64_t bytes) { return bytes + 1'000'000; }

/// Calls take(line) for each line of a list with one item per line; blank lines are allowed only at the end. An item is
/// valid UTF-8 without control characters. Throws parse_error, also what `take` throws.
template <class Take>
void for_each_item(text_reader& reader, const char* what, Take&& take) {
  std::size_t blank = 0;
  while (const auto line = reader.next_line()) {
    if (line->empty()) {
      if (blank == 0) blank = reader.last_line();
      continue;
    }
    if (blank != 0) throw parse_error(reader.name(), blank, text("expected ", what, ", found an empty line"));
    for (const char c : *line) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        throw parse_error(reader.name(), reader.last_line(), text("expected ", what, ", found a control character"));
      }
    }
    if (find_invalid_utf8(*line) != std::string_view::npos) {
      throw encoding_error(reader.name(), reader.last_line(),
                           text("expected ", what, " in UTF-8, found an invalid byte"));
    }
    take(*line);
  }
}

}  // namespace dplda::inline v0_1::detail

#endif

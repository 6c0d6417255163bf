// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_WRITER_HPP
#define DPLDA_IO_DETAIL_TEXT_WRITER_HPP

#include <dplda/core/config.hpp>
#include <dplda/io/files.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace dplda::inline v0_1::detail {

/// Collects text and numbers and passes them to a stream in large pieces; the last piece is passed on by finish().
/// Everything throws std::runtime_error once the stream has failed.
class text_writer {
 public:
  explicit text_writer(std::ostream& out) : out_(out) { pending_.reserve(piece + 64); }

  text_writer& operator<<(char c) {
    pending_ += c;
    return *this;
  }
  text_writer& operator<<(std::string_view words) {
    pending_ += words;
    if (pending_.size() >= piece) pass_on();
    return *this;
  }
  text_writer& operator<<(std::uint64_t number) {
    char digits[20];
    pending_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    if (pending_.size() >= piece) pass_on();
    return *this;
  }

  /// Passes on the rest and flushes the stream, which may fail only then.
  void finish() {
    pass_on();
    check_stream(out_.flush());
  }

 private:
  void pass_on() {
    check_stream(out_.write(pending_.data(), static_cast<std::streamsize>(pending_.size())));
    pending_.clear();
  }

  static constexpr std::size_t piece = std::size_t{1} << 20;
  std::ostream& out_;
  std::string pending_;
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_BYTE_RANGE_HPP
#define DPLDA_IO_DETAIL_BYTE_RANGE_HPP

// Ranges of bytes of a stream that can seek: where they begin, and how they are read as a stream of their own.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <streambuf>
#include <string>
#include <vector>

namespace dplda::inline v0_1::detail {

struct byte_range {
  std::uint64_t begin = 0, end = 0;
};

inline void check_part(const input_part& part) {
  require(part.of >= 1, "input_part", "of", part.of, "must be at least 1");
  require(part.index < part.of, "input_part", "index", part.index,
          text("must be below the number of parts, ", part.of));
}

/// The first of `size` things that is in part `index` of `of`, or in a later one.
inline std::uint64_t part_begins(std::uint64_t size, std::size_t index, std::size_t of) {
  return size / of * index + size % of * index / of;
}

/// The even share of a part.
inline byte_range even_share(std::uint64_t size, const input_part& part) {
  return {part_begins(size, part.index, part.of), part_begins(size, part.index + 1, part.of)};
}

/// The number of bytes from a stream's position to its end. Throws parse_error if the stream cannot seek.
inline std::uint64_t size_to_cut(std::istream& in, const std::string& name) {
  const auto size = remaining_bytes(in);
  if (!size && in.peek() == std::istream::traits_type::eof()) {
    in.clear();
    return 0;
  }
  if (!size) throw parse_error(name, 0, "expected a file, found a pipe, of which no part can be read");
  return *size;
}

/// Puts the stream at this place. Throws parse_error if that fails.
inline void seek(std::istream& in, const std::string& name, std::uint64_t place) {
  in.clear();
  in.seekg(static_cast<std::streamoff>(place));
  if (!in) throw parse_error(name, 0, "expected a file that can be read");
}

/// Bytes of another stream, for a stream of their own, which cannot seek.
class range_buffer final : public std::streambuf {
 public:
  range_buffer(std::istream& source, const std::string& name, const byte_range& range)
      : source_(source), left_(range.end - range.begin) {
    seek(source, name, range.begin);
  }

 private:
  std::streamsize xsgetn(char* place, std::streamsize most) override {
    constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;
    source_.read(place, std::min(most, static_cast<std::streamsize>(std::min(left_, most_at_once))));
    if (source_.bad()) throw std::ios_base::failure("the file cannot be read");
    left_ -= static_cast<std::uint64_t>(source_.gcount());
    return source_.gcount();
  }
  int_type underflow() override {
    if (xsgetn(&byte_, 1) != 1) return traits_type::eof();
    setg(&byte_, &byte_, &byte_ + 1);
    return traits_type::to_int_type(byte_);
  }

  std::istream& source_;
  std::uint64_t left_;
  char byte_ = 0;
};

/// Where the first line begins that begins at `place` or later; `size` if there is none.
inline std::uint64_t line_from(std::istream& in, const std::string& name, std::uint64_t place, std::uint64_t size) {
  if (place == 0 || place >= size) return std::min(place, size);
  seek(in, name, place - 1);
  std::vector<char> block(1 << 16);
  for (std::uint64_t at = place - 1; at < size;) {
    in.read(block.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(block.size(), size - at)));
    const auto end = block.begin() + in.gcount();
    if (end == block.begin()) break;
    const auto feed = std::find(block.begin(), end, '\n');
    if (feed != end) return at + static_cast<std::uint64_t>(feed - block.begin()) + 1;
    at += static_cast<std::uint64_t>(end - block.begin());
  }
  return size;
}

/// The line that the byte at `place` is in, from 1.
inline std::size_t line_at(std::istream& in, const std::string& name, std::uint64_t place) {
  range_buffer bytes(in, name, {0, place});
  std::istream before(&bytes);
  std::size_t line = 1;
  std::vector<char> block(1 << 16);
  do {
    before.read(block.data(), static_cast<std::streamsize>(block.size()));
    line += static_cast<std::size_t>(std::count(block.begin(), block.begin() + before.gcount(), '\n'));
  } while (before);
  return line;
}

/// Returns read(stream, first_line) for a part that begins at the range's begin. The line is known only if something is
/// refused: then the lines before are counted, and the part is read again, so that the message has the right one.
template <class Read>
auto read_range(std::istream& in, const std::string& name, const byte_range& range, Read&& read) {
  const auto attempt = [&](std::size_t first_line) {
    range_buffer bytes(in, name, range);
    std::istream part(&bytes);  // an exception of the buffer makes it bad
    return read(part, first_line);
  };
  if (range.begin == 0) return attempt(1);
  constexpr std::size_t unknown = 2;
  try {
    return attempt(unknown);
  } catch (const parse_error&) {
    return attempt(line_at(in, name, range.begin));
  }
}

/// The lines of a part: those whose first byte lies in its even share of the bytes.
inline byte_range lines_of_part(std::istream& in, const std::string& name, std::uint64_t size, const input_part& part) {
  const byte_range share = even_share(size, part);
  return {line_from(in, name, share.begin, size), line_from(in, name, share.end, size)};
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_IO_IO_SUPPORT_HPP
#define DPLDA_TESTS_IO_IO_SUPPORT_HPP

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

namespace dplda_tests {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A stream like a pipe: it cannot seek, and gives a few bytes at a time.
class pipe_buffer : public std::streambuf {
 public:
  explicit pipe_buffer(std::string bytes) : bytes_(std::move(bytes)) {}

 protected:
  int_type underflow() override {
    if (at_ >= bytes_.size()) return traits_type::eof();
    const std::size_t end = std::min(bytes_.size(), at_ + 7);
    setg(bytes_.data() + at_, bytes_.data() + at_, bytes_.data() + end);
    at_ = end;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// A disk that gets full: it takes a given number of bytes, and reports that it is full at once or, like a cache, when
/// it is flushed. It keeps the size of the largest piece written at once.
class disk_buffer : public std::streambuf {
 public:
  explicit disk_buffer(std::size_t room, bool caches = false) : room_(room), caches_(caches) {}
  std::size_t taken() const { return taken_; }
  std::size_t largest_piece() const { return largest_piece_; }

 protected:
  std::streamsize xsputn(const char*, std::streamsize size) override {
    const auto piece = static_cast<std::size_t>(size);
    largest_piece_ = std::max(largest_piece_, piece);
    const std::size_t fits = caches_ ? piece : std::min(piece, room_ - taken_);
    taken_ += fits;
    return static_cast<std::streamsize>(fits);
  }
  int_type overflow(int_type c) override {
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return taken_ <= room_ ? 0 : -1; }

 private:
  std::size_t room_;
  bool caches_;
  std::size_t taken_ = 0;
  std::size_t largest_piece_ = 0;
};

/// Checks that write(stream), which writes `size` bytes, throws where the stream cannot take them all, and only there.
template <class Write>
void check_told_of_a_full_disk(std::size_t size, Write&& write) {
  for (const bool caches : {false, true}) {
    for (const std::size_t room : {std::size_t{0}, size / 2, size - 1}) {
      CAPTURE(caches, room, size);
      disk_buffer disk(room, caches);
      std::ostream out(&disk);
      CHECK_THROWS_WITH(write(out), "the output stream failed before everything was written");
      CHECK_THROWS_AS(write(out), std::runtime_error);
    }
    disk_buffer disk(size, caches);
    std::ostream out(&disk);
    CHECK_NOTHROW(write(out));
    CHECK(disk.taken() == size);
  }
}

/// Checks that `read` refuses with this line and a message that holds `words`.
template <class Read>
void check_refused(Read&& read, std::size_t line, const std::string& words) {
  CAPTURE(words);
  try {
    read();
  } catch (const dplda::parse_error& error) {
    CHECK(error.line() == line);
    CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(words));
    return;
  }
  FAIL_CHECK("nothing was refused");
}

}  // namespace dplda_tests

#endif

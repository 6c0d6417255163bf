// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <dplda/io/encoding_error.hpp>

#include "program.hpp"

#if __has_include(<iconv.h>) && !defined(_WIN32)
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#define DPLDA_WITH_ICONV
#endif

namespace dplda_program {

#ifdef DPLDA_WITH_ICONV

namespace {

class converter {
 public:
  explicit converter(const std::string& encoding) : handle_(iconv_open("UTF-8", encoding.c_str())) {}
  ~converter() {
    if (known()) iconv_close(handle_);
  }
  converter(const converter&) = delete;
  converter& operator=(const converter&) = delete;

  bool known() const { return handle_ != reinterpret_cast<iconv_t>(-1); }  // as iconv_open reports an error

  /// Converts until the end or an invalid byte, whose position it returns.
  std::size_t convert(std::string_view bytes, std::string& text) {
    std::array<char, 1 << 16> block;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write to it
    std::size_t left = bytes.size();
    for (bool flush = false;;) {
      char* out = block.data();
      std::size_t space = block.size();
      const std::size_t done =
          flush ? iconv(handle_, nullptr, nullptr, &out, &space) : iconv(handle_, &in, &left, &out, &space);
      const int problem = errno;
      text.append(block.data(), block.size() - space);
      if (done != static_cast<std::size_t>(-1)) {
        if (flush) return bytes.size();
        flush = true;
      } else if (problem != E2BIG) {
        return bytes.size() - left;
      }
    }
  }

  void restart() { iconv(handle_, nullptr, nullptr, nullptr, nullptr); }

 private:
  iconv_t handle_;
};

}  // namespace

void check_encoding(const std::string& encoding) {
  if (!converter(encoding).known())
    throw usage_error("--encoding " + encoding +
                      ": the system's iconv does not know it; 'iconv -l' lists what it knows, such as UTF-8, "
                      "WINDOWS-1252, ISO-8859-15 and UTF-16");
}

std::string to_utf8(std::string_view bytes, const std::string& encoding, const std::string& name, bool separate) {
  converter from(encoding);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (std::size_t begin = 0;;) {
    begin += from.convert(bytes.substr(begin), text);
    if (begin >= bytes.size()) return text;
    if (!separate) {
      const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
      throw dplda::encoding_error(name, lines + 1,
                                  "expected " + encoding + ", found an invalid byte of value " +
                                      std::to_string(static_cast<unsigned>(static_cast<unsigned char>(bytes[begin]))) +
                                      ", byte " + std::to_string(begin + 1) + " of the file");
    }
    text += "\xEF\xBF\xBD";
    ++begin;
    from.restart();
  }
}

#else

void check_encoding(const std::string& encoding) {
  throw usage_error("--encoding " + encoding +
                    ": this dplda was built without iconv; convert the files to UTF-8 first");
}

std::string to_utf8(std::string_view, const std::string& encoding, const std::string&, bool) {
  check_encoding(encoding);
  return {};
}

#endif

}  // namespace dplda_program

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_NPY_IPP
#define DPLDA_IO_DETAIL_NPY_IPP

// Bodies of io/npy.hpp.

#include <dplda/io/npy.hpp>

#include <charconv>
#include <cstddef>
#include <system_error>

namespace dplda::inline v0_1 {

namespace detail {

/// Parses the header's dictionary: exactly the keys descr, fortran_order and shape, in any order.
class npy_header_parser {
 public:
  npy_header_parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  npy_header parse() {
    npy_header header;
    bool has_type = false, has_order = false, has_shape = false;
    expect("{");
    while (!take("}")) {
      const std::string key = quoted();
      expect(":");
      if (key == "descr" && !has_type) {
        has_type = true;
        header.type = quoted();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.columns_first = take("True");
        if (!header.columns_first) expect("False");
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        expect("(");
        header.rows = number();
        expect(",");
        if (take(")")) {
          header.dimensions = 1;
        } else {
          header.columns = number();
          take(",");
          expect(")");
        }
      } else {
        refuse("the keys descr, fortran_order and shape, each once");
      }
      if (!take(",")) {
        expect("}");
        break;
      }
    }
    skip_space();
    if (!text_.empty()) refuse("nothing after the dictionary");
    if (!has_type || !has_order || !has_shape) refuse("the keys descr, fortran_order and shape");
    return header;
  }

 private:
  /// Far above any memory, and low enough that two of them can be multiplied with care.
  static constexpr std::uint64_t largest = std::uint64_t{1} << 48;

  [[noreturn]] void refuse(std::string_view expected) const {
    throw parse_error(name_, 0, text("expected ", expected, " in the header of an array"));
  }
  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) refuse(text("'", word, "'"));
  }
  std::string quoted() {
    expect("'");
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) refuse("a closing quote");
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return found;
  }
  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    const auto result = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (result.ec != std::errc() || value > largest) refuse("a number of rows or columns");
    text_.remove_prefix(static_cast<std::size_t>(result.ptr - text_.data()));
    return value;
  }

  std::string_view text_;
  const std::string& name_;
};

DPLDA_INLINE npy_header read_npy_header(std::istream& in, const std::string& name) {
  char start[10];
  if (!in.read(start, sizeof start) || std::string_view(start, npy_magic.size()) != npy_magic) {
    throw parse_error(name, 0, "expected a NumPy array file of version 1.0");
  }
  std::string dictionary(static_cast<unsigned char>(start[8]) + std::size_t{256} * static_cast<unsigned char>(start[9]),
                         '\0');
  if (!in.read(dictionary.data(), static_cast<std::streamsize>(dictionary.size()))) {
    throw parse_error(name, 0, "expected a whole header, found the end of the file");
  }
  return npy_header_parser(dictionary, name).parse();
}

DPLDA_INLINE std::string npy_start(std::string_view type, std::string_view shape) {
  std::string header = text("{'descr': '", type, "', 'fortran_order': False, 'shape': ", shape, ", }");
  header.append(63 - (npy_magic.size() + 2 + header.size()) % 64, ' ') += '\n';
  return text(npy_magic, static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8), header);
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

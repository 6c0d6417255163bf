// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_NPY_HPP
#define DPLDA_IO_NPY_HPP

#include <dplda/core/errors.hpp>
#include <dplda/io/files.hpp>

#include <Eigen/Core>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

// NumPy's array file, version 1.0: a magic string, a header in Python's notation, and the numbers. Matrices of float32
// and float64 in little-endian order only; every bit of a number is kept, NaN included.

namespace dplda::inline v0_1 {

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "dplda writes .npy files in the machine's own order of bytes");

inline constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);

template <class Real>
inline constexpr std::string_view npy_type = std::is_same_v<Real, float> ? "<f4" : "<f8";

struct npy_header {
  std::string type;
  bool columns_first = false;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

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
        header.columns = number();
        take(",");
        expect(")");
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
    throw parse_error(name_, 0, text("expected ", expected, " in the header of a matrix"));
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

inline npy_header read_npy_header(std::istream& in, const std::string& name) {
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

template <class Matrix>
Matrix read_npy_numbers(std::istream& in, const std::string& name, const npy_header& header) {
  const auto bytes = static_cast<std::streamsize>(header.rows * header.columns * sizeof(typename Matrix::Scalar));
  Matrix matrix(static_cast<Eigen::Index>(header.rows), static_cast<Eigen::Index>(header.columns));
  if (bytes > 0 && !in.read(reinterpret_cast<char*>(matrix.data()), bytes))
    throw parse_error(name, 0, "expected a file that can be read");
  return matrix;
}

}  // namespace detail

/// A matrix as read_npy gives it.
template <class Real>
using npy_matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Reads a matrix of two dimensions in C or Fortran order from a seekable stream; `name` stands for the
/// file in messages. As double it also reads float32, which is exact. Throws parse_error on any other type (above all
/// objects, which can run code), a header that NumPy would not write, and missing or surplus numbers.
template <class Real = double>
npy_matrix<Real> read_npy(std::istream& in, const std::string& name) {
  static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>);
  const detail::npy_header header = detail::read_npy_header(in, name);
  const bool same = header.type == detail::npy_type<Real>;
  if (!same && !(std::is_same_v<Real, double> && header.type == detail::npy_type<float>)) {
    throw parse_error(name, 0,
                      detail::text("expected numbers of type ", detail::npy_type<Real>, ", found ", header.type));
  }
  const std::uint64_t size = header.type == detail::npy_type<float> ? 4 : 8;
  const std::uint64_t found = detail::remaining_bytes(in).value_or(0);
  const bool fits = header.rows == 0 || header.columns == 0
                        ? found == 0
                        : header.columns <= found / size / header.rows && header.rows * header.columns * size == found;
  if (!fits) {
    throw parse_error(name, 0,
                      detail::text("expected ", header.rows, " x ", header.columns, " numbers of ", size,
                                   " bytes, found ", found, " bytes"));
  }
  using float_columns = Eigen::MatrixXf;
  using columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  if (same && header.columns_first) return detail::read_npy_numbers<columns>(in, name, header);
  if (same) return detail::read_npy_numbers<npy_matrix<Real>>(in, name, header);
  if (header.columns_first) return detail::read_npy_numbers<float_columns>(in, name, header).template cast<Real>();
  return detail::read_npy_numbers<npy_matrix<float>>(in, name, header).template cast<Real>();
}

/// As above; throws parse_error also if the file cannot be read.
template <class Real = double>
npy_matrix<Real> read_npy(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_npy<Real>(in, path.string());
}

/// Writes a matrix of float or double in C order. Throws std::runtime_error if the stream fails.
template <class Derived>
void write_npy(std::ostream& out, const Eigen::MatrixBase<Derived>& matrix) {
  using real = typename Derived::Scalar;
  static_assert(std::is_same_v<real, float> || std::is_same_v<real, double>);
  std::string header = detail::text("{'descr': '", detail::npy_type<real>, "', 'fortran_order': False, 'shape': (",
                                    matrix.rows(), ", ", matrix.cols(), "), }");
  // The numbers begin at a multiple of 64 bytes.
  header.append(63 - (detail::npy_magic.size() + 2 + header.size()) % 64, ' ') += '\n';
  out << detail::npy_magic << static_cast<char>(header.size() & 0xFF) << static_cast<char>(header.size() >> 8)
      << header;
  const Eigen::Index rows = matrix.size() == 0 ? 0 : matrix.rows();  // Eigen would take empty rows from a null pointer
  for (Eigen::Index i = 0; i < rows && out; ++i) {
    const Eigen::Matrix<real, 1, Eigen::Dynamic> row = matrix.row(i);
    out.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(sizeof(real)) * row.size());
  }
  detail::check_stream(out.flush());
}

/// As above, with the file's name in the error.
template <class Derived>
void write_npy(const std::filesystem::path& path, const Eigen::MatrixBase<Derived>& matrix) {
  write_file(path, [&](std::ostream& out) { write_npy(out, matrix); });
}

}  // namespace dplda::inline v0_1

#endif

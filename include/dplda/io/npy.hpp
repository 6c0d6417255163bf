// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_NPY_HPP
#define DPLDA_IO_NPY_HPP

#include <dplda/core/errors.hpp>
#include <dplda/io/files.hpp>

#include <Eigen/Core>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

// NumPy's array file, version 1.0: a magic string, a header in Python's notation, and the numbers. Matrices of float32
// and float64 in little-endian order only; every bit of a number is kept, NaN included. (A packed corpus has arrays of
// integers, of one dimension.)

namespace dplda::inline v0_1 {

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "dplda writes .npy files in the machine's own order of bytes");

inline constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);

template <class Number>
inline constexpr std::string_view npy_type = "";
template <>
inline constexpr std::string_view npy_type<float> = "<f4";
template <>
inline constexpr std::string_view npy_type<double> = "<f8";
template <>
inline constexpr std::string_view npy_type<std::uint32_t> = "<u4";
template <>
inline constexpr std::string_view npy_type<std::uint64_t> = "<u8";

struct npy_header {
  std::string type;
  bool columns_first = false;
  int dimensions = 2;  // 1 or 2
  std::uint64_t rows = 0;
  std::uint64_t columns = 1;
};

npy_header read_npy_header(std::istream& in, const std::string& name);

/// All that stands before the numbers, which then begin at a multiple of 64 bytes. `shape` is in Python's notation.
std::string npy_start(std::string_view type, std::string_view shape);

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
  if (header.dimensions != 2) throw parse_error(name, 0, "expected a matrix, found an array of one dimension");
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
  out << detail::npy_start(detail::npy_type<real>, detail::text('(', matrix.rows(), ", ", matrix.cols(), ')'));
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

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/npy.ipp>
#endif

#endif

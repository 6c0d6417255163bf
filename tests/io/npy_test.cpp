// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/npy.hpp>

#include "io/io_support.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

using dplda_tests::check_refused;

namespace {

template <class Matrix>
std::string written(const Matrix& matrix) {
  std::ostringstream out;
  dplda::write_npy(out, matrix);
  return out.str();
}

template <class Real = double>
dplda::npy_matrix<Real> read(const std::string& bytes) {
  std::istringstream in(bytes);
  return dplda::read_npy<Real>(in, "npy");
}

/// A file with this dictionary and these numbers, as NumPy would lay it out.
std::string file(const std::string& dictionary, const std::string& numbers) {
  const std::string header = dictionary + std::string(117 - dictionary.size(), ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + numbers;
}

template <class Real>
std::string raw(std::initializer_list<Real> numbers) {
  return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(Real)};
}

}  // namespace

TEST_CASE("a matrix is written as NumPy writes it", "[npy]") {
  Eigen::MatrixXd matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6.5;
  const std::string expected =
      file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", raw<double>({1, 2, 3, 4, 5, 6.5}));
  CHECK(written(matrix) == expected);
  CHECK(written(dplda::npy_matrix<double>(matrix)) == expected);
  CHECK(written(matrix.transpose().transpose()) == expected);
  CHECK(written(Eigen::MatrixXf(matrix.cast<float>())) ==
        file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", raw<float>({1, 2, 3, 4, 5, 6.5f})));
  for (Eigen::Index cols : {1, 10, 1000, 1000000})
    CHECK((written(Eigen::MatrixXf::Zero(1, cols)).size() - 4 * static_cast<std::size_t>(cols)) % 64 == 0);
}

TEST_CASE("C and Fortran order, float and double are read", "[npy]") {
  Eigen::MatrixXd matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6.5;
  const auto f8 = raw<double>({1, 2, 3, 4, 5, 6.5}), f8_columns = raw<double>({1, 4, 2, 5, 3, 6.5});
  const auto f4 = raw<float>({1, 2, 3, 4, 5, 6.5f}), f4_columns = raw<float>({1, 4, 2, 5, 3, 6.5f});
  CHECK(read(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", f8)) == matrix);
  CHECK(read(file("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", f8_columns)) == matrix);
  CHECK(read(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", f4)) == matrix);
  CHECK(read(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", f4_columns)) == matrix);
  CHECK(read<float>(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", f4_columns)) ==
        matrix.cast<float>());
  CHECK(read(file("{'shape':(2,3),'descr':'<f8','fortran_order':False}", f8)) == matrix);
}

TEST_CASE("every bit of every number comes back", "[npy]") {
  dplda::npy_matrix<double> matrix(1, 8);
  const double values[] = {0.0,
                           -0.0,
                           std::numeric_limits<double>::denorm_min(),
                           std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::infinity(),
                           std::bit_cast<double>(std::uint64_t{0x7FF8000000001234u}),
                           std::bit_cast<double>(std::uint64_t{0xFFF4000000000001u}),
                           1.0 / 3.0};
  for (Eigen::Index i = 0; i < 8; ++i) matrix(0, i) = values[i];
  const auto copy = read(written(matrix));
  for (Eigen::Index i = 0; i < 8; ++i)
    CHECK(std::bit_cast<std::uint64_t>(copy(0, i)) == std::bit_cast<std::uint64_t>(values[i]));
  const dplda_tests::temporary_folder folder;
  dplda::write_npy(folder.path() / "a.npy", matrix);
  CHECK(std::isnan(dplda::read_npy(folder.path() / "a.npy")(0, 5)));
}

TEST_CASE("matrices without numbers are read", "[npy]") {
  CHECK(read(written(Eigen::MatrixXd(0, 3))).cols() == 3);
  CHECK(read(written(Eigen::MatrixXd(3, 0))).rows() == 3);
  CHECK(read(written(Eigen::MatrixXd(0, 0))).size() == 0);
}

TEST_CASE("wrong array files are refused", "[npy]") {
  const auto f8 = raw<double>({1, 2, 3, 4, 5, 6});
  const auto refuse = [&](const std::string& dictionary, const std::string& numbers, const std::string& why) {
    check_refused([&] { read(file(dictionary, numbers)); }, 0, why);
  };
  refuse("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", f8, "expected numbers of type <f8, found |O");
  refuse("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", f8, "found >f8");
  refuse("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }", f8, "found <i8");
  refuse("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", f8, "expected '''");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", f8 + "x", "found 49 bytes");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", f8.substr(1), "found 47 bytes");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", "", "found 0 bytes");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", f8, "found 48 bytes");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", f8,
         "expected a matrix, found an array of one dimension");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", f8, "expected ')'");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3), }", f8, "a number of rows or columns");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", f8, "found 48 bytes");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551618, 3), }", f8,
         "a number of rows or columns");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (281474976710656, 65536), }", f8, "found 48 bytes");
  refuse("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3), }", f8, "expected 'False'");
  refuse("{'descr': '<f8', 'shape': (2, 3), }", f8, "the keys descr, fortran_order and shape");
  refuse("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", f8, "each once");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1, }", f8, "each once");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } x", f8, "nothing after the dictionary");
  refuse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)", f8, "expected '}'");
  refuse("{'descr: ", f8, "a closing quote");
  refuse("", f8, "expected '{'");
  check_refused([&] { read<float>(written(Eigen::MatrixXd::Zero(1, 1))); }, 0,
                "expected numbers of type <f4, found <f8");

  const std::string good = written(Eigen::MatrixXd::Zero(2, 3));
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_THROWS_AS(read(good.substr(0, size)), dplda::parse_error);
  std::string version_2 = good;
  version_2[6] = 2;
  check_refused([&] { read(version_2); }, 0, "version 1.0");
}

TEST_CASE("a stream that fails while a matrix is written is reported", "[npy]") {
  const Eigen::MatrixXd matrix = Eigen::MatrixXd::Ones(3, 2), none(0, 3);
  dplda_tests::check_told_of_a_full_disk(written(matrix).size(),
                                         [&](std::ostream& out) { dplda::write_npy(out, matrix); });
  dplda_tests::check_told_of_a_full_disk(written(none).size(), [&](std::ostream& out) { dplda::write_npy(out, none); });
}

// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

namespace {

template <class Real>
void read(const std::string& bytes) {
  std::istringstream in(bytes);
  dplda::npy_matrix<Real> matrix;
  try {
    matrix = dplda::read_npy<Real>(in, "fuzz");
  } catch (const dplda::parse_error&) {
    return;
  }
  std::ostringstream out;
  dplda::write_npy(out, matrix);
  std::istringstream again(out.str());
  const auto copy = dplda::read_npy<Real>(again, "again");
  must(copy.rows() == matrix.rows() && copy.cols() == matrix.cols(), "the shape stays");
  must(matrix.size() == 0 ||
           std::memcmp(copy.data(), matrix.data(), sizeof(Real) * static_cast<std::size_t>(matrix.size())) == 0,
       "the bits stay");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read<double>(bytes);
  read<float>(bytes);
  return 0;
}

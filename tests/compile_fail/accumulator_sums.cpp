// SPDX-License-Identifier: Apache-2.0
// The sums can only be read with noise.
// expected: private
#include <dplda/mechanisms/accumulator.hpp>

std::size_t look(const dplda::accumulator& sums) {
#ifdef DPLDA_COMPILE_FAIL
  return sums.cells_[0];
#else
  return sums.cells();
#endif
}

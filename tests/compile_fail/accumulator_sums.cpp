// SPDX-License-Identifier: Apache-2.0
// The sums leave with noise only.
// expected: private
#include <dplda/mechanisms/accumulator.hpp>

std::size_t look(const dplda::accumulator& sums) {
#ifdef DPLDA_COMPILE_FAIL
  return sums.cells_[0];
#else
  return sums.cells();
#endif
}

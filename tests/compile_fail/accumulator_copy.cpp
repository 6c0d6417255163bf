// SPDX-License-Identifier: Apache-2.0
// Two copies of the sums could be released twice.
// expected: deleted
#include <dplda/mechanisms/accumulator.hpp>

#include <utility>

dplda::accumulator moved(dplda::accumulator& sums) {
#ifdef DPLDA_COMPILE_FAIL
  return sums;
#else
  return std::move(sums);
#endif
}

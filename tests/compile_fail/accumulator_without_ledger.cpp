// SPDX-License-Identifier: Apache-2.0
// There is no release without a ledger entry.
// expected: no matching
#include <dplda/mechanisms/accumulator.hpp>

#include <vector>

std::vector<double> noisy(dplda::accumulator& sums, dplda::random_source& random, dplda::ledger& spent) {
#ifdef DPLDA_COMPILE_FAIL
  (void)spent;
  return sums.publish(random);
#else
  return sums.publish(random, spent);
#endif
}

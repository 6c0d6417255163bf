// SPDX-License-Identifier: Apache-2.0
// A batch can be released only once: it is moved, not copied.
// expected: deleted
#include <dplda/mechanisms/accumulator.hpp>

#include <utility>

void use(dplda::accumulator& sums, dplda::unit_batch& batch, dplda::random_source& random, dplda::ledger& spent) {
#ifdef DPLDA_COMPILE_FAIL
  sums.publish(batch, random, spent);
#endif
  sums.publish(std::move(batch), random, spent);
}

// SPDX-License-Identifier: Apache-2.0
// A release cannot be default-constructed.
// expected: no matching
#include <dplda/mechanisms/release.hpp>

dplda::release<int> make(const dplda::guarantee& proven, const dplda::ledger& spent) {
#ifdef DPLDA_COMPILE_FAIL
  dplda::release<int> nothing;
  (void)proven, (void)spent;
  return nothing;
#else
  return dplda::release<int>(1, proven, spent);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// A value without a guarantee does not become a release.
// expected: no matching
#include <dplda/mechanisms/release.hpp>

dplda::release<int> make(const dplda::guarantee& proven, const dplda::ledger& spent) {
#ifdef DPLDA_COMPILE_FAIL
  (void)proven, (void)spent;
  return dplda::release<int>(1);
#else
  return dplda::release<int>(1, proven, spent);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// A budget is not a proven guarantee.
// expected: no matching
#include <dplda/mechanisms/release.hpp>

dplda::release<int> make(const dplda::guarantee& proven, const dplda::ledger& spent) {
#ifdef DPLDA_COMPILE_FAIL
  const dplda::budget allowed{.epsilon = proven.epsilon, .delta = proven.delta};
  return dplda::release<int>(1, allowed, spent);
#else
  return dplda::release<int>(1, proven, spent);
#endif
}

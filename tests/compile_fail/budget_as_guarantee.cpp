// SPDX-License-Identifier: Apache-2.0
// What may be spent is not what was proven.
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

// SPDX-License-Identifier: Apache-2.0
// Two copies would give the same noise.
// expected: deleted
#include <dplda/random/source.hpp>

dplda::random_source twin(dplda::random_source& source) {
#ifdef DPLDA_COMPILE_FAIL
  return dplda::random_source(source);
#else
  return source.fork();
#endif
}

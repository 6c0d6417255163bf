// SPDX-License-Identifier: Apache-2.0
// A purpose with the same hash as "noise" would draw the same bits as the noise.
// expected: purpose_has_the_hash_of_another
#include <dplda/random/source.hpp>

dplda::chacha20 own_stream(const dplda::random_source& source) {
#ifdef DPLDA_COMPILE_FAIL
  return source.stream("nplnla\x1b!38\b>\x13\x0e\xbap\xe3");
#else
  return source.stream("own purpose");
#endif
}

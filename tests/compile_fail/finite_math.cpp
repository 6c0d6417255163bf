// SPDX-License-Identifier: Apache-2.0
// flags: -ffinite-math-only
// expected: dplda: -ffast-math and -ffinite-math-only remove
#include <dplda/core/corpus.hpp>

// SPDX-License-Identifier: Apache-2.0
// flags: -ffast-math
// expected: dplda: -ffast-math and -ffinite-math-only remove the NaN checks
#include <dplda/core/corpus.hpp>

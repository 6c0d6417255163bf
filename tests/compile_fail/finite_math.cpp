// SPDX-License-Identifier: Apache-2.0
// flags: -ffinite-math-only
// expected: dplda: -ffast-math and -ffinite-math-only remove the NaN checks
#include <dplda/core/corpus.hpp>

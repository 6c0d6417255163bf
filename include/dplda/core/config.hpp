// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_CONFIG_HPP
#define DPLDA_CORE_CONFIG_HPP

// What the whole library assumes of its compiler. A header-only library lives under its user's flags, so the flags that
// would break it are refused here: with them NaN tests vanish, and a NaN in one document could pass a privacy check
// unseen.

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "dplda: -ffast-math and -ffinite-math-only remove the NaN checks that the privacy guarantee rests on; compile without them"
#endif

#include <climits>
#include <limits>

namespace dplda::detail {

static_assert(CHAR_BIT == 8, "dplda needs 8-bit bytes");
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559,
              "dplda needs IEEE 754 floating point");

}  // namespace dplda::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_CONFIG_HPP
#define DPLDA_CORE_CONFIG_HPP

// What the library requires of the compiler. A header-only library is compiled under its user's flags, so this header
// refuses flags that would break it. Without NaN support, a NaN in one document could pass a privacy check unnoticed.
// With reordered sums, rounding steps fold away. (Under clang a header cannot detect that flag; the kernels disable
// it.)

#if (defined(_MSVC_LANG) && _MSVC_LANG < 202002L) || (!defined(_MSVC_LANG) && __cplusplus < 202002L)
#error "dplda needs C++20: compile with -std=c++20 (CMake: link dplda::dplda, or set CMAKE_CXX_STANDARD to 20)"
#include <dplda needs C++20>  // no such file: the compiler stops here, instead of listing what C++17 does not know
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "dplda: -ffast-math and -ffinite-math-only remove NaN checks that privacy rests on; compile without them"
#endif

#if defined(__ASSOCIATIVE_MATH__)
#error "dplda: -fassociative-math lets the compiler undo the rounding steps that exp is made of; compile without it"
#endif

// Functions that are no templates have their bodies in detail/*.ipp. The headers include these files, unless the program
// links dplda::compiled, which defines DPLDA_COMPILED and has the bodies in a library.
#ifdef DPLDA_COMPILED
#define DPLDA_INLINE
#else
#define DPLDA_INLINE inline
#endif

#include <climits>
#include <limits>

namespace dplda::inline v0_1::detail {

static_assert(CHAR_BIT == 8, "dplda needs 8-bit bytes");
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559,
              "dplda needs IEEE 754 floating point");

}  // namespace dplda::inline v0_1::detail

#endif

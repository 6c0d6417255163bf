// SPDX-License-Identifier: Apache-2.0
// flags: -funsafe-math-optimizations
// compiler: GNU
// expected: dplda: -fassociative-math lets the compiler undo the rounding steps that exp is made of
#include <dplda/core/config.hpp>

// SPDX-License-Identifier: Apache-2.0
// flags: -fassociative-math -fno-signed-zeros -fno-trapping-math
// compiler: GNU
// expected: dplda: -fassociative-math lets the compiler undo the rounding steps that exp is made of
#include <dplda/core/config.hpp>

// SPDX-License-Identifier: Apache-2.0
// Under C++17 the library says in a few lines that it needs C++20, instead of printing thousands of errors.
// flags: -std=c++17
// expected: dplda needs C++20: compile with -std=c++20
// lines: 20
#ifdef DPLDA_COMPILE_FAIL
#include <dplda/dplda.hpp>
#else
#include <dplda/core/config.hpp>
#endif

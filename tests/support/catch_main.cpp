// SPDX-License-Identifier: Apache-2.0
// The main of the tests, for standard libraries and machines that the installed Catch2 library was not compiled for.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

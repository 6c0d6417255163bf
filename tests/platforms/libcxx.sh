#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds everything by clang 19 with libc++ and runs every test. Arguments go to ctest. (The macro is for
# Boost.Multiprecision 1.74, which some tests use and the library does not.)
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
install_missing tests
install_missing libcxx
begin=$(date +%s)
jobs=$(job_count)
configure build/libcxx --preset dev -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_CXX_FLAGS="-stdlib=libc++ -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION" \
  -DDPLDA_COMPILE_CATCH2=ON
cmake --build build/libcxx --parallel "$jobs"
ctest --test-dir build/libcxx --output-on-failure --parallel "$jobs" "$@"
say "libc++: $(($(date +%s) - begin)) s; processor time of this shell and of its commands:"
times >&2

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds everything by clang 16 and clang 19 with libstdc++ and runs every test. Arguments go to ctest. DPLDA_CLANG names
# other versions, e.g. "17 18".
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
install_missing tests
[ -n "${DPLDA_CLANG:-}" ] || install_missing clang
begin=$(date +%s)
jobs=$(job_count)
for version in ${DPLDA_CLANG:-16 19}; do
  configure "build/clang-$version" --preset dev -DCMAKE_CXX_COMPILER="clang++-$version"
  cmake --build "build/clang-$version" --parallel "$jobs"
  ctest --test-dir "build/clang-$version" --output-on-failure --parallel "$jobs" "$@"
done
say "clang: $(($(date +%s) - begin)) s; processor time of this shell and of its commands:"
times >&2

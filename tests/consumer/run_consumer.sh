#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_consumer.sh <cmake> <project> <build directory> <option>...: configure, build and run a project that uses dplda.
set -eu
cmake=$1 project=$2 build=$3
shift 3
unset CXXFLAGS CMAKE_BUILD_TYPE || true # so that every flag seen below would be dplda's

rm -rf "$build"
"$cmake" -S "$project" -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
if grep -E -- ' -([WOgmf]|pedantic)' "$build/compile_commands.json"; then
  echo "dplda imposes flags on its users"
  exit 1
fi
"$cmake" --build "$build"
"$build/consumer"

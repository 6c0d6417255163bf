#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_consumer.sh <cmake> <project> <build directory> <warnings> <option>...: configure, build and run a project that
# uses dplda and compiles its own program with these warnings, a list of CMake's.
set -eu
cmake=$1 project=$2 build=$3 warnings=$4
shift 4
unset CXXFLAGS CMAKE_BUILD_TYPE || true # so that every flag seen below would be dplda's

rm -rf "$build"
"$cmake" -S "$project" -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DCONSUMER_WARNINGS=$warnings" "$@"

own=$(printf %s "$warnings" | tr ';' ' ')
grep -F -- " $own " "$build/compile_commands.json" || { echo "the warnings are not those asked for"; exit 1; }
if sed "s/ $own / /" "$build/compile_commands.json" | grep -E -- ' -([WOgmf]|pedantic)'; then
  echo "dplda imposes flags on its users"
  exit 1
fi
if grep -E -- ' -I' "$build/compile_commands.json"; then
  echo "dplda's headers are not system headers, so that its users' warnings reach into them"
  exit 1
fi
"$cmake" --build "$build"
"$build/consumer"

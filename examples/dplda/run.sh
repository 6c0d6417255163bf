#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the program dplda and runs it with these arguments: sh examples/dplda/run.sh fit --help
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing program

build=$root/build/examples
# All of it is built at once, so sources that share their headers are compiled together, in a batch for each of two cores.
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_WARNINGS_AS_ERRORS=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=13
say "building the program"
quietly cmake --build "$build" --target dplda_program --parallel "$(job_count)"
exec "$build/examples/dplda/dplda" "$@"

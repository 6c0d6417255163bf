#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the program dplda and runs it with these arguments: sh examples/dplda/run.sh fit --help
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing program

build=$root/build/examples
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_WARNINGS_AS_ERRORS=OFF
say "building the program"
quietly cmake --build "$build" --target dplda_program --parallel "$(job_count)"
exec "$build/examples/dplda/dplda" "$@"

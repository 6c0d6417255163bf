#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the tour and runs it. Arguments go to the tour.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

build=$root/build/examples
say "building the tour"
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_WARNINGS_AS_ERRORS=OFF
quietly cmake --build "$build" --target tour --parallel "$(job_count)"
exec "$build/examples/tour" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests. Arguments go to ctest, e.g. -R core. Where CI is set, as it is by
# the services that test each change, also the checks that take long: each header alone, all headers under strict
# warnings, and the tests labelled ci.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
. cmake/setup.sh
install_missing tests

# Some tests read real corpora if they are there.
if [ -z "${DPLDA_DATA_DIR:-}" ] && [ -d ../shared/data ]; then
  DPLDA_DATA_DIR=$(cd ../shared/data && pwd)
  export DPLDA_DATA_DIR
fi

jobs=$(job_count)
configure build/dev --preset dev
cmake --build build/dev --parallel "$jobs"
if [ -n "${CI:-}" ]; then
  cmake --build build/dev --parallel "$jobs" --target dplda_header_checks
else
  set -- --label-exclude '^ci$' "$@"
fi
ctest --test-dir build/dev --output-on-failure --parallel "$jobs" "$@"

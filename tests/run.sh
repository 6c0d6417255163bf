#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything and runs every test. Arguments go to ctest, e.g. -R core.
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
ctest --test-dir build/dev --output-on-failure --parallel "$jobs" "$@"

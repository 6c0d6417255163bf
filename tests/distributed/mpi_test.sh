#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mpi_test.sh PROGRAM: mpi_operations by real processes. They agree, fail together, and none waits for one that is gone.
set -eu
if [ -z "$1" ]; then
  echo "SKIPPED: MPI was not found when this was built (Debian: libopenmpi-dev)" >&2
  exit 77
fi
. "$(dirname "$0")/../support/mpi.sh"

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

for size in 1 2 3 4; do
  several "$size" "$1" | grep -qx "$size processes, 0 wrong" || fail "$size processes do not agree"
done

code=0
told=$(several 3 "$1" fail 2>/dev/null) || code=$?
[ "$code" = 3 ] || fail "exit code $code, not 3"
[ "$(echo "$told" | grep -c '^file 7: no$')" = 3 ] || fail "not all tell of the failure: $told"

for way in throw die; do
  code=0
  timeout 60 mpirun -q --oversubscribe --bind-to none -n 3 "$1" "$way" >/dev/null 2>&1 || code=$?
  [ "$code" != 0 ] && [ "$code" != 124 ] || fail "after '$way' the others end with $code"
done

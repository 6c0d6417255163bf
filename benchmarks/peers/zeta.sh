#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The likelihood of documents at their best topic proportions by dplda and by SciPy's SLSQP; see zeta.py.
#   sh benchmarks/peers/zeta.sh [--quick]
# DPLDA_DATA_DIR names the corpora (default: ../shared/data beside the repository).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing peers

data=${DPLDA_DATA_DIR:-$root/../shared/data}
[ -d "$data" ] || { say "no corpora in $data: set DPLDA_DATA_DIR"; exit 1; }
build=$root/build/peers-plain
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_peers_zeta --parallel "$(job_count)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 "$root/benchmarks/peers/zeta.py" \
  "$build/benchmarks/peers/zeta" "$data" "$work" "$@"

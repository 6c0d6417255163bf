#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Spectral LDA by dplda and by the same algorithm in numpy and scipy on the same documents; see spectral.py.
#   sh benchmarks/peers/spectral.sh [--quick] [--runs N] [--products unbiased|plug_in] [--method simultaneous|deflation]
# DPLDA_DATA_DIR names the corpora (default: ../shared/data beside the repository).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing peers

data=${DPLDA_DATA_DIR:-$root/../shared/data}
[ -d "$data" ] || { say "no corpora in $data: set DPLDA_DATA_DIR"; exit 1; }
build=$root/build/peers-plain
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON -DCMAKE_CXX_FLAGS=
quietly cmake --build "$build" --target benchmark_peers_spectral --parallel "$(job_count)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 "$root/benchmarks/peers/spectral.py" "$build/benchmarks/peers/spectral" "$data" "$work" "$@"

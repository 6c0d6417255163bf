#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Collapsed Gibbs sampling by dplda beside scikit-learn on the same documents; see gibbs.py for what is compared.
#   sh benchmarks/peers/gibbs.sh [--quick] [--runs N]
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
quietly cmake --build "$build" --target benchmark_peers_gibbs --parallel "$(job_count)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 "$root/benchmarks/peers/gibbs.py" "$build/benchmarks/peers/gibbs" "$data" "$work" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Variational inference by dplda and by scikit-learn on the same documents; see svi.py for what is compared.
#   sh benchmarks/peers/svi.sh [--quick] [--passes P] [--seeds N]
# DPLDA_DATA_DIR names the corpora (default: ../shared/data beside the repository).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing peers

data=${DPLDA_DATA_DIR:-$root/../shared/data}
[ -d "$data" ] || { say "no corpora in $data: set DPLDA_DATA_DIR"; exit 1; }
for kind in plain native; do
  build=$root/build/peers-$kind
  configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
    -DDPLDA_BUILD_BENCHMARKS=ON -DCMAKE_CXX_FLAGS="$([ $kind = plain ] || echo -march=native)"
  quietly cmake --build "$build" --target benchmark_peers_svi --parallel "$(job_count)"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 "$root/benchmarks/peers/svi.py" "$root/build/peers-plain/benchmarks/peers/svi" \
  "$root/build/peers-native/benchmarks/peers/svi" "$data" "$work" "$@"

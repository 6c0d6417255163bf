#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Spectral LDA by dplda and by the same algorithm in numpy and scipy on the same documents; see spectral.py.
#   sh benchmarks/peers/spectral.sh [--quick] [FOLDER [--runs N] [--products unbiased|plug_in]
#                                                     [--method simultaneous|deflation]]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

need "$(if_quick kos nips)"
about "$(if_quick kos nips), seeds 1 to 3"
[ "$size" = full ] || set -- --quick "$@"
program=$(build_program)
/usr/bin/python3 "$root/benchmarks/peers/spectral.py" "$program" "$data" "$work" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The likelihood of documents at their best topic proportions by dplda and by SciPy's SLSQP; see zeta.py.
#   sh benchmarks/peers/zeta.sh [--quick] [FOLDER]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

need tweetrumors nips 20news
about "tweetrumors, nips and 20news, fixed seeds"
[ "$size" = full ] || set -- --quick "$@"
program=$(build_program)
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 "$root/benchmarks/peers/zeta.py" "$program" "$data" "$work" "$@"

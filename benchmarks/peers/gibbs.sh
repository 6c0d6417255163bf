#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Collapsed Gibbs sampling by dplda beside scikit-learn on the same documents; see gibbs.py for what is compared.
#   sh benchmarks/peers/gibbs.sh [--quick] [FOLDER [--runs N]]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

# shellcheck disable=SC2046  # a list
need $(if_quick kos "kos nips 20news")
about "$(if_quick kos "kos, nips, 20news"), seeds 1 and on, the held-out documents of seed 2"
[ "$size" = full ] || set -- --quick "$@"
program=$(build_program)
/usr/bin/python3 "$root/benchmarks/peers/gibbs.py" "$program" "$data" "$work" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# LSI and HDP by dplda beside gensim on the same documents; see gensim.py for what is compared.
#   sh benchmarks/peers/gensim.sh [--quick] [FOLDER [--runs N]]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

# shellcheck disable=SC2046  # a list
need $(if_quick kos "kos nips")
about "$(if_quick kos "kos, nips"), seeds 1 and on, the held-out documents of seed 2"
[ "$size" = full ] || set -- --quick "$@"
program=$(build_program)
/usr/bin/python3 "$root/benchmarks/peers/gensim.py" "$program" "$data" "$work" "$@"

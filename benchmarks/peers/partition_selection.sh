#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Weights of private partition selection, MAD and MAD2R of Chen et al. 2025 among them, simulated; see partition_selection.py.
#   sh benchmarks/peers/partition_selection.sh [--quick] [FOLDER [--seeds N]]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick tweetrumors 'tweetrumors 20newsall')
# shellcheck disable=SC2086  # a list
need $corpora
names=
for corpus in $corpora; do names="$names $(name_of "$corpus")"; done
[ "$size" = full ] || set -- --seeds 1 "$@"
about "$names, per document"
# shellcheck disable=SC2086  # a list
/usr/bin/python3 "$root/benchmarks/peers/partition_selection.py" "$data" $names "$@"

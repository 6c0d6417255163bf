#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Variational inference by dplda, by scikit-learn and by gensim on the same documents; see svi.py for what is compared.
#   sh benchmarks/peers/svi.sh [--quick] [FOLDER [--passes P] [--seeds N]]
set -eu
. "$(dirname -- "$0")/../support/start.sh"

# shellcheck disable=SC2046  # a list
need $(if_quick kos "kos nips 20news imdb")
about "$(if_quick "kos, seed 1" "kos, nips, 20news and imdb, seeds 1 to 3")"
[ "$size" = full ] || set -- --quick "$@"
plain=$(build_program)
native=$plain # in a quick run: it takes as long to build as all the rest
[ "$size" = quick ] || native=$(build_program -march=native)
/usr/bin/python3 "$root/benchmarks/peers/svi.py" "$plain" "$native" "$data" "$work" "$@"

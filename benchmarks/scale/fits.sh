#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long the library's own fits take, beside each other in one run: private over plain variational inference with the same
# documents, steps and limits; floats over doubles; two threads over one; growth with documents, topics, words and
# threads, as curves; and `dplda fit` as a whole. Medians of the runs, with the machine's load. It needs a quiet machine.
#   sh benchmarks/scale/fits.sh [--quick] [FOLDER [RUNS]]        (default 3)
# Other software: benchmarks/peers/.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick 20news "20news imdb")
about "$corpora, seed 1"
program=$(build_program)
# shellcheck disable=SC2086  # a list
unpack $corpora
largest=$(name_of "${corpora##* }")
sh "$root/examples/dplda/run.sh" --version >/dev/null
dplda=$root/build/examples/examples/dplda/dplda
# shellcheck disable=SC2086
"$program" "$work" "$folder" corpora "$(names_of $corpora)" growth "$largest" program "$dplda" \
  units "$(head -n 1 "$work/docword.$largest.txt")" steps "$(if_quick 3 10)" runs "${1:-$(if_quick 1 3)}"

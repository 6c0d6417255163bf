#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table 3 and Figures 1 to 6 of Huang and Chen (SUB-LDA, 2021) on the corpora nips and 20news: tables, CSV files and SVG
# plots.
#   sh benchmarks/papers/sub_lda.sh [--quick] [FOLDER [--full] [NAME VALUE]...]       (sub_lda.cpp tells the names)
# On one core a part of the corpora takes 5 minutes, --quick a smaller one; --full, all of them and the paper's number of
# sweeps, more than an hour.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack nips 20news
about "nips and 20news, seed 1"
[ "$size" = full ] || set -- tokens 30000 sweeps 30 "$@"
program=$(build_program)
"$program" "$work" "$folder" "$@"

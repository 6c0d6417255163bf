#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table 3 and Figures 1 to 6 of Huang and Chen (SUB-LDA, 2021) on the corpora nips and 20news: tables, CSV files and SVG
# plots.
#   sh benchmarks/papers/sub_lda.sh [--quick] [FOLDER [SETTING VALUE]...]       (sub_lda.cpp lists the settings)
# On one core a part of the corpora takes 5 minutes, --quick a smaller one; all of them and the paper's number of sweeps
# (tokens 0 words 0 sweeps 100 step 20), more than an hour.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack nips 20news
about "$(names_of nips 20news), seed 1"
[ "$size" = full ] || set -- tokens 30000 sweeps 30 "$@"
"$(build_program)" "$work" "$folder" corpora "$(names_of nips 20news)" "$@"

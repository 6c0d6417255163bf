#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 4 of DeCarolis et al. (2020): tables, CSV files and SVG plots, on synthetic documents, imdb and nips.
#   sh benchmarks/papers/spectral.sh [--quick] [FOLDER [CORPORA]]      (default: 5 corpora for Figure 2)
# --quick: one corpus for Figure 2, and no large vocabularies (Figure 3, 8000 and 30,000 words).
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack nips
about "Figure 2: synthetic, corpora of seeds 1001 and on; Figure 4: $(name_of nips), seed 1$(if_quick "" "; Figure 3: imdb, seed 2")"
program=$(build_program)
echo "The paper shows its results only as plots, without numbers to compare with ours."
"$program" "$work" "$folder" do figure2 corpora "${1:-$(if_quick 1 5)}"
"$program" "$work" "$folder" do figure4
[ "$size" = full ] || exit 0
unpack imdb
"$program" "$work" "$folder" do figure3
"$program" "$work" "$folder" do large words 8000
"$program" "$work" "$folder" do large words 30000

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 3, 4 and 8 of Manzonelli et al. (fully private topic models, 2024) on tweetrumors, as published (words by Carvalho
# et al., topics by Zhu et al.) and with proven learners, and the best division of a budget between words and topics, on tweetrumors and airtweets: tables, CSV files and SVG plots.
#   sh benchmarks/papers/fdptm.sh [--quick] [FOLDER [SEEDS]]        (default 10 seeds, with --quick 2)
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack tweetrumors airtweets
seeds=${1:-$(if_quick 2 10)}
about "$(name_of tweetrumors) (per document), $(name_of airtweets) (per user); seeds 1 to $seeds"
"$(build_program)" "$work" "$folder" seeds "$seeds"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 3 and 4 of Manzonelli et al. (fully private topic models, 2024) on tweetrumors, with proven learners, and how a
# budget is best divided between words and topics, on tweetrumors and airtweets: tables, CSV files and SVG plots.
#   sh benchmarks/papers/fdptm.sh [--quick] [FOLDER [SEEDS]]        (default 10 seeds, with --quick 2)
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack tweetrumors airtweets
about "tweetrumors (per document), airtweets (per user); seeds 1 to ${1:-$(if_quick 2 10)}"
program=$(build_program)
"$program" "$work" "$folder" "${1:-$(if_quick 2 10)}"

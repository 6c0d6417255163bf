#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 10, 12 and 13 of Wang et al. (TopicDP, 2022): tables, CSV files and SVG plots, from a corpus with users.
#   sh benchmarks/papers/topicdp.sh [--quick] [FOLDER [CORPUS]]        (default airtweets; gitlog has users too)
# It takes four minutes, with --quick one.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpus=${1:-airtweets}
unpack "$corpus"
about "$(name_of "$corpus"), per user, seeds 1, 2, and from 100 on"
"$(build_program)" "$work" "$folder" corpus "$(name_of "$corpus")" quick "$(if_quick 1 0)"

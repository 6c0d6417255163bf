#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 10 of Wang et al. (TopicDP, 2022): tables, CSV files and SVG plots, from a corpus with users.
#   sh benchmarks/papers/topicdp.sh [--quick] [FOLDER [CORPUS]]        (default airtweets; gitlog has users too)
# It takes four minutes, with --quick one.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

name=${1:-airtweets}
unpack "$name"
about "$name, per user, seeds 1, 2, and from 100 on"
program=$(build_program)
"$program" "$folder" "$size" "$work/docword.$name.txt" "$work/vocab.$name.txt" "$work/users.$name.txt"

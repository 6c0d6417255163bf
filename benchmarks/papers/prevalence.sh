#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How often the 95 % intervals of prevalence cover, and how wide they are beside the plan, at epsilon 0.5, 1 and 2 and
# delta = 1e-6: twelve synthetic months with trends by document, and twentieths of 20news by user; then the same with all
# documents as one group, whose shares are the topics' sizes.
#   sh benchmarks/papers/prevalence.sh [--quick] [FOLDER [RUNS]]        (default 200)
# --quick: 20 runs.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack 20news
runs=${1:-$(if_quick 20 200)}
names=$(names_of 20news)
about "$names; $runs runs"
program=$(build_program)
"$program" "$work" "$folder" corpora "synthetic,$names" runs "$runs"
"$program" "$work" "$folder/one_group" corpora "synthetic,$names" runs "$runs" one_group 1

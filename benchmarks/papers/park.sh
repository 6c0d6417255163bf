#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figure 1 and Table 1 of Park et al. (2016) on the corpus imdb: tables, CSV files and SVG plots.
#   sh benchmarks/papers/park.sh [--quick] [FOLDER [SETTING VALUE]...]        (park.cpp lists the settings)
# --quick: a quarter of the documents.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack imdb
about "$(name_of imdb), $(if_quick 5000 20,000) documents, seed 1"
"$(build_program)" "$work" "$folder" corpus "$(name_of imdb)" documents "$(if_quick 5000 20000)" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figure 1 and Table 1 of Park et al. (2016) on the corpus imdb: tables, CSV files and SVG plots.
#   sh benchmarks/papers/park.sh [--quick] [FOLDER [NAME VALUE]...]        (park.cpp tells the names)
# --quick: a quarter of the documents.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack imdb
about "imdb, $(if_quick 5000 20,000) documents, seed 1"
[ "$size" = full ] || set -- documents 5000 "$@"
program=$(build_program)
"$program" "$work/docword.imdb.txt" "$work/vocab.imdb.txt" "$folder" "$@"

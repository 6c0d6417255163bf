#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figure 1 and Table 1 of Park et al. (2016) on the corpus imdb of DPLDA_DATA_DIR: tables, CSV files and SVG plots.
#   sh benchmarks/papers/park.sh [FOLDER [NAME VALUE]...]        (default: build/papers/park; see park.cpp for the names)
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

data=${DPLDA_DATA_DIR:-$root/../shared/data}
[ -d "$data/imdb" ] || { say "no corpus $data/imdb: set DPLDA_DATA_DIR"; exit 1; }
build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_park --parallel "$(job_count)"
folder=${1:-$build/park}
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in docword vocab; do gzip -dc "$data/imdb/$part.imdb.txt.gz" > "$work/$part.txt"; done
"$build/benchmarks/papers/park" "$work/docword.txt" "$work/vocab.txt" "$folder" "$@"

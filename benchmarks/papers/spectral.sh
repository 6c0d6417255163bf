#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 4 of DeCarolis et al. (2020): tables, CSV files and SVG plots. Figures 3 and 4 need the corpora imdb and
# nips of DPLDA_DATA_DIR.
#   sh benchmarks/papers/spectral.sh [FOLDER [CORPORA]]      (default: build/papers/spectral, 5 corpora for Figure 2)
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_spectral --parallel "$(job_count)"
program=$build/benchmarks/papers/spectral
folder=${1:-$build/spectral}
"$program" figure2 "$folder" "${2:-5}"
data=${DPLDA_DATA_DIR:-$root/../shared/data}
if [ -d "$data/imdb" ] && [ -d "$data/nips" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for name in imdb nips; do
    for part in docword vocab; do gzip -dc "$data/$name/$part.$name.txt.gz" > "$work/$part.$name.txt"; done
  done
  "$program" figure4 "$folder" "$work/docword.nips.txt" "$work/vocab.nips.txt"
  "$program" figure3 "$folder" "$work/docword.imdb.txt" "$work/vocab.imdb.txt"
else
  say "no corpora imdb and nips in $data: Figures 3 and 4 are left out (set DPLDA_DATA_DIR)"
fi
"$program" large "$folder" 8000
"$program" large "$folder" 30000

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 3 and 4 of Manzonelli et al. (fully private topic models, 2024) on tweetrumors, with proven learners, and how a
# budget is best divided between words and topics, on tweetrumors and airtweets of DPLDA_DATA_DIR: tables, CSV files and
# SVG plots.
#   sh benchmarks/papers/fdptm.sh [FOLDER [SEEDS]]        (default build/papers/fdptm, 10 seeds)
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

data=${DPLDA_DATA_DIR:-$root/../shared/data}
for name in tweetrumors airtweets; do
  [ -d "$data/$name" ] || { say "no corpus $data/$name: set DPLDA_DATA_DIR"; exit 1; }
done
build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_fdptm --parallel "$(job_count)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in tweetrumors airtweets; do
  for file in "$data/$name"/*.txt.gz; do gzip -dc "$file" > "$work/$(basename "$file" .gz)"; done
done
"$build/benchmarks/papers/fdptm" "$work" "${1:-$build/fdptm}" ${2:+"$2"}

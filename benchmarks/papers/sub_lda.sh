#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Table 3 and Figures 1 to 6 of Huang and Chen (SUB-LDA, 2021) on the corpora nips and 20news of DPLDA_DATA_DIR: tables,
# CSV files and SVG plots.
#   sh benchmarks/papers/sub_lda.sh [FOLDER [--full] [NAME VALUE]...]
# The folder is build/papers/sub_lda unless it is named; sub_lda.cpp tells the names. On one core a part of the corpora
# takes 5 minutes; --full, all of them and the paper's number of sweeps, more than an hour.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

data=${DPLDA_DATA_DIR:-$root/../shared/data}
for name in nips 20news; do
  [ -d "$data/$name" ] || { say "no corpus $data/$name: set DPLDA_DATA_DIR"; exit 1; }
done
build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_sub_lda --parallel "$(job_count)"
folder=${1:-$build/sub_lda}
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in nips 20news; do
  for part in docword vocab; do gzip -dc "$data/$name/$part.$name.txt.gz" > "$work/$part.$name.txt"; done
done
"$build/benchmarks/papers/sub_lda" "$work" "$folder" "$@"

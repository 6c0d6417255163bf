#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 10 of Wang et al. (TopicDP, 2022): tables, CSV files and SVG plots, from a corpus with users.
#   DPLDA_DATA_DIR=... sh benchmarks/papers/topicdp.sh [--quick] [FOLDER [CORPUS]]
# Default: build/papers/topicdp and airtweets (gitlog has users too). It takes four minutes, with --quick one.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples
size=full
if [ "${1:-}" = --quick ]; then
  size=quick
  shift
fi
data=${DPLDA_DATA_DIR:-$root/../shared/data}
name=${2:-airtweets}
[ -f "$data/$name/users.$name.txt.gz" ] || {
  say "no corpus $name with users in $data: set DPLDA_DATA_DIR"
  exit 1
}

build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_topicdp --parallel "$(job_count)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in docword vocab users; do gzip -dc "$data/$name/$part.$name.txt.gz" > "$work/$part.txt"; done
"$build/benchmarks/papers/topicdp" "${1:-$build/topicdp}" "$size" "$work/docword.txt" "$work/vocab.txt" "$work/users.txt"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many words each method of private vocabulary selection releases, at delta = 1e-5.
#   DPLDA_DATA_DIR=... sh benchmarks/papers/vocabulary.sh [SEEDS]        (default 3)
# DPLDA_DATA_DIR names the corpora tweetrumors and imdb (by document), airtweets and 20news (by user).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples
: "${DPLDA_DATA_DIR:?must name the folder of the corpora}"

build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_vocabulary --parallel "$(job_count)"
program=$build/benchmarks/papers/vocabulary
seeds=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| corpus | method | epsilon 1 | 3 | 5 | 10 |"
echo "| --- | --- | --- | --- | --- | --- |"
for name in tweetrumors airtweets 20news imdb; do
  for file in "$DPLDA_DATA_DIR/$name"/*.txt.gz; do gzip -dc "$file" > "$work/$(basename "$file" .gz)"; done
  if [ -f "$work/users.$name.txt" ]; then
    "$program" "$name" user "$seeds" "$work/docword.$name.txt" "$work/vocab.$name.txt" "$work/users.$name.txt"
  else
    "$program" "$name" document "$seeds" "$work/docword.$name.txt" "$work/vocab.$name.txt"
  fi
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Held-out perplexity of the private learners against epsilon (ratio to non-private inference), and their speed.
#   sh benchmarks/papers/private_topics.sh [SEEDS]        (default 3)
# DPLDA_DATA_DIR names the corpora imdb and gitlog; without it, only the package descriptions of this Debian are used.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_private_topics --parallel "$(job_count)"
program=$build/benchmarks/papers/private_topics
seeds=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The descriptions of all packages, in English, one a line.
mkdir -p "$work/lists/partial" "$work/debian"
quietly apt-get -o Dir::State::lists="$work/lists" -o Acquire::Languages=en -o Acquire::GzipIndexes=false update
cat "$work"/lists/*_main_i18n_Translation-en | awk '
  function put() { if (text != "") print text; text = "" }
  /^Description-en:/ { text = substr($0, 17); inside = 1; next }
  /^ / { if (inside) text = text " " $0; next }
  { inside = 0 }
  /^$/ { put() }
  END { put() }' > "$work/debian.txt"
"$program" corpus "$work/debian.txt" "$work/debian"

echo "| corpus | learner | epsilon 1 | 2 | 4 | 8 |"
echo "| --- | --- | --- | --- | --- | --- |"
"$program" utility debian document "$seeds" one,variational,gibbs,park "$work/debian/docword.txt" "$work/debian/vocab.txt"
if [ -n "${DPLDA_DATA_DIR:-}" ]; then
  for name in imdb gitlog; do
    for file in "$DPLDA_DATA_DIR/$name"/*.txt.gz; do gzip -dc "$file" > "$work/$(basename "$file" .gz)"; done
  done
  "$program" utility imdb document "$seeds" one,variational,park "$work/docword.imdb.txt" "$work/vocab.imdb.txt"
  "$program" utility gitlog user "$seeds" one,variational "$work/docword.gitlog.txt" "$work/vocab.gitlog.txt" "$work/users.gitlog.txt"
fi
"$program" speed "$work/debian/docword.txt" "$work/debian/vocab.txt"

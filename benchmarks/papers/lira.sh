#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables 1 to 3 of Manzonelli, Zhang and Vadhan (2024): membership inference on topic models; see lira.cpp.
#   sh benchmarks/papers/lira.sh [--quick] [FOLDER [NAME VALUE]...]        (default: build/papers/lira)
# --quick: 32 shadow models and 4 targets, without 20news and with one number of topics on nips.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
install_missing examples

nips=5,10,15,20,25
corpora='tweetrumors nips 20news'
quick=
if [ "${1:-}" = --quick ]; then
  shift
  nips=10
  corpora='tweetrumors nips'
  quick='shadows 32 targets 4'
fi
data=${DPLDA_DATA_DIR:-$root/../shared/data}
build=$root/build/papers
configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
  -DDPLDA_BUILD_BENCHMARKS=ON
quietly cmake --build "$build" --target benchmark_papers_lira --parallel "$(job_count)"
folder=${1:-$build/lira}
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $corpora; do
  [ -d "$data/$name" ] || { say "no corpus $data/$name: set DPLDA_DATA_DIR"; exit 1; }
  for part in docword vocab; do gzip -dc "$data/$name/$part.$name.txt.gz" > "$work/$part.txt"; done
  case $name in
  tweetrumors) topics=5 ;;
  nips) topics=$nips ;;
  *) topics=20 ;;
  esac
  # shellcheck disable=SC2086  # a list
  "$build/benchmarks/papers/lira" "$name" "$work/docword.txt" "$work/vocab.txt" "$folder" "$topics" $quick "$@"
done

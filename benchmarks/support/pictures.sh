#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of README.md in .github/pictures: frontier.svg, from a long CSV file of papers/private_topics, and
# report.png, the report of the tour's letters as a page.
#   sh benchmarks/support/pictures.sh [frontier|report]... [--from CSV]
# CSV: a run's frontier_debian.csv; default: frontier_0.1.0.csv beside this script, the figures of benchmarks/README.md.
# report needs chromium.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$root/cmake/setup.sh"
csv=$root/benchmarks/support/frontier_0.1.0.csv
asked=
while [ $# -gt 0 ]; do
  case $1 in
  frontier | report) asked="$asked $1" ;;
  --from)
    csv=${2:?--from needs a file}
    shift
    ;;
  *)
    say "unknown picture $1: choose frontier or report"
    exit 2
    ;;
  esac
  shift
done
pictures=$root/.github/pictures
mkdir -p "$pictures"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

frontier() {
  install_missing examples
  build=$(configure_benchmarks)
  quietly cmake --build "$build" --target benchmark_support_plot
  "$build/benchmarks/support/plot" "$csv" debian token_ratio \
    "60,000 package descriptions, 20 topics, delta = 1e-5" "$pictures/frontier.svg"
}

report() {
  has_command chromium || {
    say "the picture of the report needs chromium"
    return 1
  }
  install_missing examples
  configure "$root/build/examples" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_WARNINGS_AS_ERRORS=OFF
  quietly cmake --build "$root/build/examples" --target letters
  "$root/build/examples/examples/letters" "$work" 20000
  sh "$root/examples/dplda/run.sh" fit "$work/letters.txt" --epsilon 2 --units 20000 --output "$work/topics"
  quietly chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=900,1000 \
    --screenshot="$pictures/report.png" "file://$work/topics/report.html"
  [ "$(wc -c <"$pictures/report.png")" -lt 150000 ] || say "report.png is larger than 150 kB"
}

for picture in ${asked:-frontier report}; do
  "$picture"
  say "$pictures: $picture"
done

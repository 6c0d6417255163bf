#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks and gathers their output, CSV files and plots on one page.
#   sh benchmarks/run.sh [--quick] [--output FOLDER] [papers|peers|scale|micro|<group>/<name>]...        (default: all)
# Results go to FOLDER (default: build/benchmarks/results): index.html, and for each benchmark a folder with output.txt.
# A --quick run takes minutes, a full run hours. A benchmark that fails is reported, and the others still run.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/cmake/setup.sh"

quick=
output=$root/build/benchmarks/results
asked=
while [ $# -gt 0 ]; do
  case $1 in
  --quick) quick=--quick ;;
  --output)
    output=${2:?--output needs a folder}
    shift
    ;;
  --*)
    say "unknown option $1: see the head of benchmarks/run.sh"
    exit 2
    ;;
  *)
    [ -d "$root/benchmarks/$1" ] || [ -f "$root/benchmarks/$1.sh" ] || {
      say "unknown benchmark $1"
      exit 2
    }
    asked="$asked $1"
    ;;
  esac
  shift
done

scripts=$(cd "$root/benchmarks" && for name in ${asked:-papers peers scale micro}; do ls "$name"/*.sh "$name.sh" 2>/dev/null || :; done)

# All programs at once, on all processors; the scripts then find them built.
targets=
for script in $scripts; do
  group=$(dirname "$script")
  case $group in
  micro) for source in "$root"/benchmarks/micro/*.cpp; do targets="$targets benchmark_micro_$(basename "$source" .cpp)"; done ;;
  *) [ ! -f "$root/benchmarks/${script%.sh}.cpp" ] || targets="$targets benchmark_${group}_$(basename "$script" .sh)" ;;
  esac
  case $group in
  papers | scale) install_missing examples ;;
  *) install_missing "$group" ;;
  esac
done
say "building"
# shellcheck disable=SC2086  # a list
quietly cmake --build "$(configure_benchmarks)" --parallel "$(job_count)" --target $targets ||
  say "not all programs could be built; their benchmarks will say why"

failed=
for script in $scripts; do
  folder=$output/${script%.sh}
  rm -rf "$folder"
  mkdir -p "$folder"
  command="sh benchmarks/$script${quick:+ $quick}"
  say "$command"
  begin=$(date +%s)
  status=0
  # shellcheck disable=SC2086  # nothing, or one word
  sh "$root/benchmarks/$script" $quick "$folder" >"$folder/output.txt" 2>"$folder/log.txt" || status=$?
  printf '%s\n%s\n%s\n' "$command" "$(($(date +%s) - begin))" "$status" >"$folder/run.txt"
  [ "$status" = 0 ] || { failed="$failed $script"; say "failed:"; tail -n 5 "$folder/log.txt" >&2; }
done
python=/usr/bin/python3
has_command "$python" || python=python3
"$python" "$root/benchmarks/support/page.py" "$output"
say "$output/index.html"
[ -z "$failed" ] || { say "failed:$failed"; exit 1; }

# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by every benchmarks/<group>/<name>.sh: installs what is missing, takes --quick and the folder for results off the
# arguments, and has what all of them do. After it,
#   root     the repository
#   size     full, or quick after --quick
#   folder   where CSV files and plots go: the next argument, or build/benchmarks/<group>/<name>
#   work     a scratch folder that is removed at the end
#   data     the corpora: DPLDA_DATA_DIR, or ../shared/data beside the repository
#   "$@"     the arguments after the folder
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
group=$(basename -- "$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)")
benchmark=$(basename -- "$0" .sh)
. "$root/cmake/setup.sh"
case $group in
peers | micro) install_missing "$group" ;;
*) install_missing examples ;;
esac

size=full
if [ "${1:-}" = --quick ]; then
  size=quick
  shift
fi
folder=$root/build/benchmarks/$group/$benchmark
case ${1:---} in
--*) ;;
*)
  folder=$1
  shift
  ;;
esac
mkdir -p "$folder"
rm -f "$folder/corpora.txt"
data=${DPLDA_DATA_DIR:-$root/../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# if_quick <yes> <no>: the first in a quick run, else the second
if_quick() { if [ "$size" = quick ]; then echo "$1"; else echo "$2"; fi; }

# about <corpora and seeds>: what the figures were made of, for the page
about() { printf '%s\n' "$*" >"$folder/about.txt"; }

# record_corpus <name> <docword file, plain or gzip>: which documents the figures are of, for the page
record_corpus() (
  # shellcheck disable=SC2046  # three numbers
  set -- "$1" "$2" $(gzip -dcf "$2" | sed 3q)
  printf '%s: %s documents, %s words, %s entries; SHA-256 of its docword file %.12s...\n' "$1" "$3" "$4" "$5" \
    "$(gzip -dcf "$2" | sha256sum)" | tee -a "$folder/corpora.txt" >&2
)

# build_program [<compiler flag>]: builds the program of the script's name, optimised, and prints its path
build_program() (
  build=$(configure_benchmarks "${1:-}")
  quietly cmake --build "$build" --target "benchmark_${group}_$benchmark" --parallel "$(job_count)"
  echo "$build/benchmarks/$group/$benchmark"
)

# need <corpus>...: ends the script if one is not there, and records those that are
need() {
  for corpus in "$@"; do
    [ -d "$data/$corpus" ] || { say "no corpus $corpus in $data: set DPLDA_DATA_DIR"; exit 1; }
    record_corpus "$corpus" "$data/$corpus/docword.$corpus.txt.gz"
  done
}

# unpack <corpus>...: docword.<corpus>.txt, vocab.<corpus>.txt and, where there is one, users.<corpus>.txt into $work
unpack() {
  need "$@"
  for corpus in "$@"; do
    for file in "$data/$corpus"/*."$corpus".txt.gz; do gzip -dc "$file" > "$work/$(basename "$file" .gz)"; done
  done
}

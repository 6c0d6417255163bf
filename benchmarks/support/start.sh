# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by every benchmarks/<group>/<name>.sh: installs missing packages, takes --quick and the results folder from
# the arguments, and defines the functions that all scripts share. After it,
#   root     the repository
#   size     full, or quick after --quick
#   folder   where CSV files and plots go: the next argument, or build/benchmarks/<group>/<name>
#   work     a scratch folder that is removed at the end
#   data     a folder of the requested corpora: those of DPLDA_DATA_DIR (or of ../shared/data beside the repository)
#            and, in a quick run, stand-ins for the missing ones
#   "$@"     the arguments after the folder
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
group=$(basename -- "$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)")
benchmark=$(basename -- "$0" .sh)
. "$root/cmake/setup.sh"
case $group in
peers | micro | scale) install_missing "$group" ;;
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
kept=${DPLDA_DATA_DIR:-$root/../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=$work/data
mkdir "$data"

# if_quick <yes> <no>: the first in a quick run, else the second
if_quick() { if [ "$size" = quick ]; then echo "$1"; else echo "$2"; fi; }

# about <corpora and seeds>: the source of the figures, for the page
about() { printf '%s\n' "$*" >"$folder/about.txt"; }

# record_corpus <name> <docword file, plain or gzip>: the documents behind the figures, for the page
record_corpus() (
  # shellcheck disable=SC2046  # three numbers
  set -- "$1" "$2" $(gzip -dcf "$2" | sed 3q)
  printf '%s: %s documents, %s words, %s entries; SHA-256 of its docword file %.12s...\n' "$1" "$3" "$4" "$5" \
    "$(gzip -dcf "$2" | sha256sum)" | tee -a "$folder/corpora.txt" >&2
)

# build_target <group> <name> [<compiler flag>]: builds a program of the benchmarks, optimised, and prints its path
build_target() (
  build=$(configure_benchmarks "${3:-}")
  quietly cmake --build "$build" --target "benchmark_$1_$2" --parallel "$(job_count)"
  echo "$build/benchmarks/$1/$2"
)

# build_program [<compiler flag>]: the program of the script's name
build_program() { build_target "$group" "$benchmark" "$@"; }

# has_corpus <corpus>: is it in the folder of corpora?
has_corpus() { [ -d "$kept/$1" ]; }

# name_of <corpus>: its name or, in a quick run without it, the name of its stand-in
name_of() { if [ "$size" = full ] || has_corpus "$1"; then echo "$1"; else echo "stand_in_$1"; fi; }

# names_of <corpus>...: the same, with commas between
names_of() ( for corpus in "$@"; do name_of "$corpus"; done | paste -s -d , )

# need <corpus>...: brings corpora into $data, checks their sums and records them. A missing corpus ends the script;
# in a quick run it is replaced by a synthetic stand-in.
need() {
  for corpus in "$@"; do
    name=$(name_of "$corpus")
    ! [ -e "$data/$name" ] || continue
    # shellcheck disable=SC2046  # six words
    set -- $(grep "^$corpus " "$root/benchmarks/support/corpora.txt")
    if has_corpus "$corpus"; then
      ln -s "$(CDPATH='' cd -- "$kept/$corpus" && pwd)" "$data/$corpus"
      case $(gzip -dc "$data/$corpus/docword.$corpus.txt.gz" | sha256sum) in
      "$2 "*) ;;
      *) say "$corpus in $kept differs from the corpus behind the figures in README.md (SHA-256 $2)" ;;
      esac
    else
      say "no corpus $corpus in $kept (set DPLDA_DATA_DIR; SHA-256 of its docword file: $2)"
      [ "$size" = quick ] || exit 1
      say "using the synthetic $name instead"
      mkdir "$data/$name"
      "$(build_target support stand_in)" "$name" "$data/$name" "$3" "$4" "$5" "$6"
      gzip -1 "$data/$name"/*.txt
    fi
    record_corpus "$name" "$data/$name/docword.$name.txt.gz"
  done
}

# unpack <corpus>...: unpacks docword.<name>.txt, vocab.<name>.txt and, if any, users.<name>.txt into $work
unpack() {
  need "$@"
  for corpus in "$@"; do
    name=$(name_of "$corpus")
    for file in "$data/$name"/*."$name".txt.gz; do gzip -dc "$file" > "$work/$(basename "$file" .gz)"; done
  done
}

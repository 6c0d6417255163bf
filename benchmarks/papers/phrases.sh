#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Phrases of up to three words: how many and which are released, and what they do to topics at equal epsilon, beside words
# alone and beside phrases whose words count as well.
#   sh benchmarks/papers/phrases.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# The texts are every second package description of this Debian, because phrases need the order of words, which counts have lost.
# Seeds are from 21 on: nothing was chosen on them.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

seeds=${1:-$(if_quick 1 3)}
about "Debian package descriptions; seeds 21 to $((20 + seeds))"
program=$(build_program)
mkdir -p "$work/lists/partial"
if ! has_command apt-get || ! quietly apt-get -o Dir::State::lists="$work/lists" -o Acquire::Languages=en \
  -o Acquire::GzipIndexes=false update; then
  say "no package descriptions: there is no apt-get, or no package list to be had"
  [ "$size" = quick ] && exit 0
  exit 1
fi
cat "$work"/lists/*_main_i18n_Translation-en | awk '
  function put() { if (text != "") print text; text = "" }
  /^Description-en:/ { text = substr($0, 17); inside = 1; next }
  /^ / { if (inside) text = text " " $0; next }
  { inside = 0 }
  /^$/ { put() }
  END { put() }' | awk "NR % $(if_quick 10 2) == 0" >"$work/debian.txt"
"$program" "$work/debian.txt" "$folder" seeds "$seeds"

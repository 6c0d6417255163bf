#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many words each method of private vocabulary selection releases, at delta = 1e-5: tweetrumors and imdb by document,
# airtweets and 20news by user.
#   sh benchmarks/papers/vocabulary.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# --quick: one seed, without imdb.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick 'tweetrumors airtweets 20news' 'tweetrumors airtweets 20news imdb')
# shellcheck disable=SC2086  # a list
unpack $corpora
seeds=${1:-$(if_quick 1 3)}
program=$(build_program)
echo "| corpus | method | epsilon 1 | 3 | 5 | 10 |"
echo "| --- | --- | --- | --- | --- | --- |"
for name in $corpora; do
  users=$work/users.$name.txt
  if [ -f "$users" ]; then
    "$program" "$name" user "$seeds" "$work/docword.$name.txt" "$work/vocab.$name.txt" "$users"
  else
    "$program" "$name" document "$seeds" "$work/docword.$name.txt" "$work/vocab.$name.txt"
  fi
done

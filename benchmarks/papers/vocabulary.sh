#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many words each method of private vocabulary selection releases, at delta = 1e-5: tweetrumors, kos and imdb by
# document, airtweets, 20news and gitlog by user.
#   sh benchmarks/papers/vocabulary.sh [--quick] [FOLDER [SEEDS]]        (default 5)
# --quick: one seed, tweetrumors, airtweets and 20news only.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick 'tweetrumors airtweets 20news' 'tweetrumors kos airtweets 20news gitlog imdb')
# shellcheck disable=SC2086  # a list
unpack $corpora
seeds=${1:-$(if_quick 1 5)}
about "$corpora; seeds 1 to $seeds"
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

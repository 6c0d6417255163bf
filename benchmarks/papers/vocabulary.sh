#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many words each method of private vocabulary selection releases, at delta = 1e-5, how much of held-out text they cover,
# and what topics over them score: tweetrumors, kos and imdb by document, airtweets, 20news and gitlog by user.
#   sh benchmarks/papers/vocabulary.sh [--quick] [FOLDER [SEEDS]]        (default 5)
# --quick: one seed, tweetrumors, airtweets and 20news only.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick 'tweetrumors airtweets 20news' 'tweetrumors kos airtweets 20news gitlog imdb')
# shellcheck disable=SC2086  # a list
unpack $corpora
seeds=${1:-$(if_quick 1 5)}
# shellcheck disable=SC2086  # a list
names=$(names_of $corpora)
about "$names; seeds 0 to $((seeds - 1))"
"$(build_program)" "$work" "$folder" corpora "$names" seeds "$seeds"

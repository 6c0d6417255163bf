#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A year of letters: twelve fits that go on from one another (options.earlier, dplda update), beside twelve fits of their
# own and one fit at the end, with the same guarantee for each letter: held-out perplexity by types and by tokens, the
# shuffled control, and coherence. Then the same with users who all write in every month, and one budget for each of them
# for the year.
#   sh benchmarks/papers/monthly.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# The letters are film reviews (imdb), in random order. Seeds are from 21 on: nothing was chosen on them.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

seeds=${1:-$(if_quick 1 3)}
about "imdb; seeds 21 to $((20 + seeds))"
program=$(build_program)
unpack imdb
for users in 0 1; do
  "$program" "$work" "$folder/users_$users" corpus "$(name_of imdb)" seeds "$seeds" letters "$(if_quick 6000 36000)" \
    users "$users"
done

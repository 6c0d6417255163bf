#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables 1 to 3 and Figures 1, 2 and 5 to 7 of Manzonelli, Zhang and Vadhan (2024): membership inference on topic models, and on private
# ones; see lira.cpp.
#   sh benchmarks/papers/lira.sh [--quick] [FOLDER [SETTING VALUE]...]
# --quick: 16 shadow models and 2 targets of tweetrumors. An interrupted run resumes from FOLDER/shadows, which is
# removed at the end.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

corpora=$(if_quick tweetrumors 'tweetrumors nips 20news')
# shellcheck disable=SC2086  # a list
unpack $corpora
# shellcheck disable=SC2086  # a list
about "$(names_of $corpora); $(if_quick "16 shadow models, 2 targets" "128 shadow models, 10 targets"), seed 1"
[ "$size" = full ] || set -- shadows 16 targets 2 "$@"
program=$(build_program)
for name in $corpora; do
  case $name in
  tweetrumors) topics=5 ;;
  nips) topics=5,10,15,20,25 ;;
  *) topics=20 ;;
  esac
  name=$(name_of "$name")
  "$program" "$work" "$folder" corpus "$name" topics "$topics" "$@"
done
for words in $(if_quick 5 '1 5 10'); do
  for topics in $(if_quick 5 '1 5 10'); do
    for published in 0 1; do
      "$program" "$work" "$folder" corpus "$(name_of tweetrumors)" topics 5 epsilon_1 "$words" epsilon_2 "$topics" \
        published "$published" "$@"
    done
  done
done
rm -rf "$folder/shadows"

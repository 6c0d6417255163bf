#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The forecast of dplda fit --dry-run and the outcome: a table of the fits that it was calibrated on, and tables of fits
# of other corpora and seeds, with the numbers of right, optimistic and pessimistic forecasts.
#   sh benchmarks/papers/forecast.sh [--quick] [FOLDER]        (--quick: epsilon 2 only)
set -eu
. "$(dirname -- "$0")/../support/start.sh"

unpack kos imdb airtweets 20newsall 20news gitlog tweetrumors nips
about "calibrated on kos, imdb, airtweets, nips and digests of gitlog (seeds from 1), compared on 20newsall, 20news, digests \
of it, gitlog by users, tweetrumors, letters and synthetic documents (seeds from 5001)"
"$(build_program)" "$work" "$folder" quick "$(if_quick 1 0)"

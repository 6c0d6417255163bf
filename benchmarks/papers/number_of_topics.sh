#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The number of topics: fixed numbers beside the public rule of --topics auto (topics_for) and a private selection among
# 5, 10 and 20 (selected_topics), with one guarantee for words and topics: held-out perplexity by types over the words that
# all of them have, the shuffled control, coherence. Then the noise that several fits from one budget leave to each.
#   sh benchmarks/papers/number_of_topics.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# The rule was chosen on seed 1; seeds are from 31 on.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

seeds=${1:-$(if_quick 1 3)}
about "imdb (20,000 and 5,000 reviews), 20newsall, kos, airtweets, tweetrumors; seeds 31 to $((30 + seeds))"
program=$(build_program)
unpack imdb 20newsall kos airtweets tweetrumors
imdb=$(name_of imdb)
"$program" "$work" "$folder" seeds "$seeds" \
  corpora "$imdb:$(if_quick 2000 20000),$imdb:$(if_quick 1000 5000),$(names_of 20newsall kos airtweets tweetrumors)"
"$program" "$work" "$folder" do prices

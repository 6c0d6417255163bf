#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The frontier of privacy and utility: held-out perplexity by tokens and by types, each with its shuffled control, and
# coherence of the private learners, proven and as published, against epsilon, beside word frequencies and non-private
# topics; tables, CSV files and SVG plots. Its learners are in support/learners.hpp.
#   sh benchmarks/papers/private_topics.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# The corpora are the package descriptions of this Debian and, if they are in DPLDA_DATA_DIR, imdb and gitlog. Fits of few
# units, with public text and without, have seeds from 11 on, because their settings were chosen on seeds 1 to 3. --quick:
# one seed, 20,000 package descriptions of 1000 words (without apt-get, a stand-in for imdb).
set -eu
. "$(dirname -- "$0")/../support/start.sh"

seeds=${1:-$(if_quick 1 3)}
about "Debian package descriptions$(if_quick "" ", imdb and gitlog where they are"); seeds 1 to $seeds"
program=$(build_program)
frontier() { # frontier CORPUS UNIT LEFT_OUT
  "$program" "$work" "$folder" corpus "$1" unit "$2" without "$3" seeds "$seeds"
}
few() { # few CORPUS UNIT UNITS PUBLIC [LEARNER]: private variational inference of few units, and its unigram model
  "$program" "$work" "$folder" corpus "$1" unit "$2" units "$3" public "$4" first_seed 11 seeds "$seeds" \
    only "svi,gibbs,svi_shrunk,private_one_topic,private_svi,${5:-}"
}
# The descriptions of all packages, in English, one per line.
mkdir -p "$work/lists/partial"
if has_command apt-get && quietly apt-get -o Dir::State::lists="$work/lists" -o Acquire::Languages=en \
  -o Acquire::GzipIndexes=false update; then
  cat "$work"/lists/*_main_i18n_Translation-en | awk '
    function put() { if (text != "") print text; text = "" }
    /^Description-en:/ { text = substr($0, 17); inside = 1; next }
    /^ / { if (inside) text = text " " $0; next }
    { inside = 0 }
    /^$/ { put() }
    END { put() }' > "$work/debian.txt"
  "$program" "$work" "$folder" do corpus corpus debian text "$work/debian.txt" texts "$(if_quick 20000 60000)" \
    words "$(if_quick 1000 5000)"
  record_corpus debian "$work/docword.debian.txt"
  frontier debian document ""
elif [ "$size" = quick ]; then
  say "no package descriptions: there is no apt-get, or no package list to be had"
  unpack imdb
  frontier "$(name_of imdb)" document private_spectral,topic_dp,decarolis_spectral
else
  say "no package descriptions: there is no apt-get, or no package list to be had"
  exit 1
fi
[ "$size" = full ] || exit 0

# With many thousands of words these take too long or too much memory.
if has_corpus imdb; then
  unpack imdb
  frontier imdb document private_spectral,topic_dp,decarolis_spectral
fi
if has_corpus gitlog; then
  unpack gitlog
  frontier gitlog user private_spectral,topic_dp
fi
if has_corpus imdb && has_corpus gitlog && has_corpus 20newsall; then
  unpack 20newsall
  for public in "" 20newsall; do
    few imdb document 5000 "$public"
    few imdb document 20000 "$public"
    few gitlog user 0 "$public"
  done
  few imdb document 5000 rest private_svi_guided
fi

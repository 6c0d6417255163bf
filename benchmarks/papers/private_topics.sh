#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The frontier of privacy and utility: held-out perplexity and coherence of the private learners, proven and as published,
# against epsilon, beside word frequencies and non-private topics; tables, CSV files and SVG plots; and the cost of privacy
# in time.
#   sh benchmarks/papers/private_topics.sh [--quick] [FOLDER [SEEDS]]        (default 3)
# The corpora are the package descriptions of this Debian, imdb and gitlog; of the latter two, those that are in
# DPLDA_DATA_DIR. --quick: one seed, 20,000 package descriptions of 1000 words, and no timing.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

seeds=${1:-$(if_quick 1 3)}
about "Debian package descriptions$(if_quick "" ", imdb and gitlog where they are"); seeds 1 to $seeds"
program=$(build_program)
# The descriptions of all packages, in English, one a line.
mkdir -p "$work/lists/partial" "$work/debian"
quietly apt-get -o Dir::State::lists="$work/lists" -o Acquire::Languages=en -o Acquire::GzipIndexes=false update
cat "$work"/lists/*_main_i18n_Translation-en | awk '
  function put() { if (text != "") print text; text = "" }
  /^Description-en:/ { text = substr($0, 17); inside = 1; next }
  /^ / { if (inside) text = text " " $0; next }
  { inside = 0 }
  /^$/ { put() }
  END { put() }' > "$work/debian.txt"
# shellcheck disable=SC2046  # two numbers
"$program" corpus "$work/debian.txt" "$work/debian" $(if_quick '20000 1000' '60000 5000')
record_corpus debian "$work/debian/docword.txt"
utility() { # utility CORPUS UNIT LEARNERS FILE...
  corpus=$1 unit=$2 learners=$3
  shift 3
  "$program" utility "$folder" "$corpus" "$unit" "$seeds" "$learners" "$@"
}
utility debian document one,variational,gibbs,spectral,park,sub_lda,decarolis,output "$work/debian/docword.txt" "$work/debian/vocab.txt"
[ "$size" = full ] || exit 0

if [ -d "$data/imdb" ]; then
  unpack imdb
  utility imdb document one,variational,gibbs,park,sub_lda "$work/docword.imdb.txt" "$work/vocab.imdb.txt"
fi
if [ -d "$data/gitlog" ]; then
  unpack gitlog
  utility gitlog user one,variational,gibbs "$work/docword.gitlog.txt" "$work/vocab.gitlog.txt" "$work/users.gitlog.txt"
fi
"$program" speed "$work/debian/docword.txt" "$work/debian/vocab.txt"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# number_of_topics_output.sh PROGRAM: the documents have twelve topics, so 12 are much better than 3, and 24 hardly better.
set -eu
output=$("$1")
printf '%s\n' "$output"
printf '%s\n' "$output" | awk '
  $1 ~ /^[0-9]+$/ { perplexity[$1] = $2; npmi[$1] = $3 }
  END { exit !(perplexity[12] > 1 && perplexity[3] > 1.3 * perplexity[12] && perplexity[24] > 0.8 * perplexity[12] &&
               npmi[12] > npmi[3]) }'

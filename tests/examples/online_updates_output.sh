#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# online_updates_output.sh PROGRAM: eleven months; the last is better than the first, and not better than the truth.
set -eu
output=$("$1")
printf '%s\n' "$output"
printf '%s\n' "$output" | awk '
  /^after month/ { months++; last = $NF; if (months == 1) first = $NF }
  /^with the topics/ { truth = $NF }
  END { exit !(months == 11 && last < first && truth > 1 && last > truth && last < 1.5 * truth) }'

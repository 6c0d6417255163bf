#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads the same large UCI file by dplda and by numpy/scipy, and prints the ratio of their times.
#   sh benchmarks/peers/read_uci.sh [--quick] [FOLDER [TOKENS]]        (default 100 million, with --quick 5)
# Needs 13 bytes of disk a token in $TMPDIR (or /tmp).
set -eu
. "$(dirname -- "$0")/../support/start.sh"

about "synthetic, ${1:-$(if_quick 5000000 100000000)} tokens"
program=$(build_program)
"$program" "$work" --tokens "${1:-$(if_quick 5000000 100000000)}" | tee "$work/dplda.log"
/usr/bin/python3 "$root/benchmarks/peers/read_uci.py" "$work" | tee "$work/numpy.log"
awk '/seconds/ { time[$1] = $3 } END { printf "ratio          %.1f\n", time["numpy"] / time["dplda"] }' \
  "$work/dplda.log" "$work/numpy.log"

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
echo
awk '
  /^plain/ { plain = $3 }
  /seconds/ { time[$1] = $3 }
  /memory/ { memory[$1] = $3 }
  END {
    print "| | seconds | to dplda | peak memory, MB |\n| --- | --- | --- | --- |"
    printf "| plain read(2) | %.3f | %.2fx | |\n", plain, plain / time["dplda"]
    for (i = 1; i <= 2; ++i) {
      side = i == 1 ? "dplda" : "numpy"
      printf "| %s | %.3f | %.1fx | %.0f |\n", side, time[side], time[side] / time["dplda"], memory[side]
    }
  }' "$work/dplda.log" "$work/numpy.log"

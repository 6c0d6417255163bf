#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads the same large UCI file by dplda and by numpy/scipy, and prints the ratio of their times.
#   sh benchmarks/peers/read_uci.sh [tokens]
# Needs 13 bytes of disk a token in $TMPDIR (or /tmp).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../../cmake/setup.sh"
install_missing peers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${CXX:-c++}" -std=c++20 -O3 -DNDEBUG -I "$here/../../include" "$here/read_uci.cpp" -o "$folder/read_uci"
"$folder/read_uci" "$folder" --tokens "${1:-100000000}" | tee "$folder/dplda.log"
/usr/bin/python3 "$here/read_uci.py" "$folder" | tee "$folder/numpy.log"
awk '/seconds/ { time[$1] = $3 } END { printf "ratio          %.1f\n", time["numpy"] / time["dplda"] }' \
  "$folder/dplda.log" "$folder/numpy.log"

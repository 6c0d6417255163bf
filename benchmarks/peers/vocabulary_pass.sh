#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Selects a vocabulary in one pass over text that is made here, and counts the words of the same file plainly.
#   sh benchmarks/peers/vocabulary_pass.sh [tokens]
# Needs 5 bytes of disk a token in $TMPDIR (or /tmp).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../../cmake/setup.sh"
install_missing peers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${CXX:-c++}" -std=c++20 -O3 -DNDEBUG -I "$here/../../include" -isystem /usr/include/eigen3 "$here/vocabulary_pass.cpp" \
  -o "$folder/vocabulary_pass"
"$folder/vocabulary_pass" make "$folder/text.txt" "${1:-100000000}"
"$folder/vocabulary_pass" run "$folder/text.txt"

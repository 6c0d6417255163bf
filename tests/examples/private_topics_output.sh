#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# private_topics_output.sh PROGRAM: it prints guarantee, steps and ten topics, and writes a folder with them and their ledger.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
output=$("$1" "$work/released")
printf '%s\n' "$output"
says() { printf '%s\n' "$output" | grep -q "$1"; }
says '(epsilon = \(1\|0\.9999[0-9]*\), delta = 1e-06) differential privacy holds for each document'
says 'step 30 of 30'
[ "$(printf '%s\n' "$output" | grep -c '^topic [0-9]: ')" = 10 ]
says 'Its ledger costs epsilon 0\.99[0-9]* to \(1\|0\.99[0-9]*\)\.'
for file in phi.npy vocabulary.txt model.json release.json; do [ -s "$work/released/$file" ]; done

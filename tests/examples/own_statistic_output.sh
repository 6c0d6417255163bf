#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# own_statistic_output.sh PROGRAM: one guarantee for a histogram and topics, and a ledger that has both.
set -eu
output=$("$1")
printf '%s\n' "$output"
says() { printf '%s\n' "$output" | grep -q "$1"; }
says '(epsilon = \(2\|1\.999[0-9]*\), delta = 1e-06) differential privacy holds for each document'
says 'It assumes that no budget, no option, and no decision'
[ "$(printf '%s\n' "$output" | grep -c '^about .* letters of ')" = 5 ]
[ "$(printf '%s\n' "$output" | grep -c '^topic [0-9]: ')" = 10 ]
says 'the first is "lengths of letters"'

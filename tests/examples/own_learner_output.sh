#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# own_learner_output.sh PROGRAM: three topics around their seeds, a guarantee, and an audit that does not refute it.
set -eu
output=$("$1")
printf '%s\n' "$output"
says() { printf '%s\n' "$output" | grep -q "$1"; }
[ "$(printf '%s\n' "$output" | grep -c '^topic [0-2]: ')" = 3 ]
says '^topic 0: .*\bbus\b'
says '(epsilon = \(2\|1\.99[0-9]*\), delta = 1e-06) differential privacy holds for each document'
says 'claimed epsilon \(2\|1\.99[0-9]*\), audited at least [0-9.]*'
! says 'refuted'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# letters_output.sh PROGRAM: it writes as many letters, and as many users, as asked for.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$("$1" | grep -c '^citizen [0-9]*: ')" = 3 ]
"$1" "$work/some" 50
[ "$(wc -l <"$work/some/letters.txt")" -eq 50 ]
[ "$(grep -c '^citizen[0-9]*$' "$work/some/users.txt")" = 50 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# first_topics_output.sh PROGRAM: one topic is of the sea, the other of bread.
set -eu
output=$("$1")
printf '%s\n' "$output"
[ "$(printf '%s\n' "$output" | grep -c '^topic [01]: ')" = 2 ]
printf '%s\n' "$output" | grep -q 'ferry harbour\|harbour ferry'
printf '%s\n' "$output" | grep -q 'baker bread\|bread baker'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# own_attack_output.sh PROGRAM: the attack finds members without privacy, and next to none with it.
set -eu
output=$("$1")
printf '%s\n' "$output"
percent() { printf '%s\n' "$output" | sed -n "s/^  $1: *\([0-9.]*\) % of the time.*/\1/p"; }
awk -v open="$(percent 'without privacy')" -v closed="$(percent 'with epsilon 1')" \
  'BEGIN { exit !(open > 70 && closed > 40 && closed < 60) }'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accounting_output.sh PROGRAM: known figures (RDP 6.712, PLD 6.187 to 6.189; noise by RDP 4.125, by PLD 3.814).
set -eu
output=$("$1")
printf '%s\n' "$output"
value() { printf '%s\n' "$output" | awk -v rule="$1" -v nth="$2" '$1 == rule && ++seen == nth { print $2 }'; }
[ "$(value rdp 1)" = 6.712 ]
[ "$(value pld 1)" = 6.189 ]
[ "$(value best 1)" = 6.189 ]
awk -v rdp="$(value rdp 2)" -v pld="$(value pld 2)" -v best="$(value best 2)" -v linear="$(value linear 2)" 'BEGIN {
  exit !(rdp > 4.12 && rdp < 4.13 && pld > 3.81 && pld < 3.82 && best == pld && linear > 10 * pld) }'
printf '%s\n' "$output" | grep -q 'epsilon = 6.189'

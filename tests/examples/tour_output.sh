#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tour_output.sh TOUR: what the tour prints, with secret noise and with a seed.
set -eu
tour=$1
fail() {
  echo "tour: $1" >&2
  printf '%s\n' "$2" >&2
  exit 1
}
# The number of matching lines; paragraphs are wrapped, so patterns are short enough for a line.
count() { printf '%s\n' "$2" | grep -c "$1" || true; }

check() { # check OUTPUT: what holds for both
  [ "$(count 'epsilon = 2, delta = 1e-06' "$1")" = 2 ] || fail "the guarantee is not printed before and after" "$1"
  [ "$(count 'released names: 0' "$1")" = 1 ] || fail "a name was released" "$1"
  [ "$(count ' | ' "$1")" = 11 ] || fail "not ten topics beside ten others" "$1"
  printf '%s\n' "$1" | awk '
    /^   private topics  / { private = $3; coherence = $4 }
    /^   without privacy / { plain = $3 }
    /^   word frequencies alone/ { alone = $4 }
    END { exit !(plain > 1 && private > 0.9 * plain && private < 0.6 * alone && coherence > 0.1) }' ||
    fail "perplexity or coherence is off" "$1"
}

secret=$("$tour")
check "$secret"
[ "$(count 'differential privacy holds for each user' "$secret")" = 2 ] || fail "no guarantee" "$secret"
[ "$(count 'seed' "$secret")" = 0 ] || fail "a seed is mentioned without one" "$secret"

seeded=$("$tour" 7)
check "$seeded"
[ "$(count 'would hold with secret noise for each user' "$seeded")" = 1 ] || fail "the output hides the seed" "$seeded"
[ "$(count 'not private' "$seeded")" -ge 1 ] || fail "the output hides the seed" "$seeded"

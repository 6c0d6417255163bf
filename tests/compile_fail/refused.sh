#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# refused.sh <source> <compiler> <option>...: checks that the source compiles as it stands, and that it is refused with
# DPLDA_COMPILE_FAIL and the flags that it names, for the reason that it names, in at most the lines that it names.
set -eu
source=$1
shift
flags=$(sed -n 's|^// flags: ||p' "$source")
lines=$(sed -n 's|^// lines: ||p' "$source")
expected=$(sed -n 's|^// expected: ||p' "$source")
[ -n "$expected" ] || { echo "$source names no expected message"; exit 1; }

"$@" "$source" || { echo "$source must compile without DPLDA_COMPILE_FAIL"; exit 1; }

# shellcheck disable=SC2086  # the flags are words
if messages=$("$@" -DDPLDA_COMPILE_FAIL $flags "$source" 2>&1); then
  echo "$source compiled, but must be refused with: $expected"
  exit 1
fi
case $messages in
*"$expected"*) ;;
*)
  printf '%s\n' "$source was refused for another reason than: $expected" "$messages"
  exit 1
  ;;
esac
if [ -n "$lines" ] && [ "$(printf '%s\n' "$messages" | wc -l)" -gt "$lines" ]; then
  printf '%s\n' "$source was refused in more than $lines lines" "$messages"
  exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_macros.sh <root> <compiler> <option>...: after all headers only include guards and DPLDA_VERSION_* are defined.
set -eu
cd "$1/include"
shift
headers=$(find dplda -name '*.hpp' ! -path '*/detail/*' | sort)
allowed=$({
  find dplda -name '*.hpp' | tr 'a-z/.' 'A-Z__'
  printf 'DPLDA_VERSION_%s\n' MAJOR MINOR PATCH
} | sort)
defined=$(echo "$headers" | sed 's/.*/#include <&>/' | "$@" -x c++ -dM -E - |
  sed -n 's/^#define \(DPLDA_[A-Za-z0-9_]*\).*/\1/p' | sort)
[ -n "$defined" ] || { echo "the compiler printed no macro"; exit 1; }
left=$(printf '%s\n' "$allowed" "$allowed" "$defined" | sort | uniq -u)
[ -z "$left" ] || {
  printf 'macros that headers leave defined:\n%s\n' "$left"
  exit 1
}

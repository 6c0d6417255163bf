#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_macros.sh <root> <compiler> <option>...: after all headers (but those that need MPI) only include guards,
# DPLDA_VERSION_* and DPLDA_INLINE are defined.
set -eu
cd "$1/include"
shift
headers=$(find dplda -name '*.hpp' ! -path '*/detail/*' ! -name 'mpi_*' | sort)
allowed=$({
  find dplda -name '*.[hi]pp' | tr 'a-z/.' 'A-Z__'
  printf 'DPLDA_VERSION_%s\n' MAJOR MINOR PATCH
  echo DPLDA_INLINE
} | sort)
defined=$(echo "$headers" | sed 's/.*/#include <&>/' | "$@" -x c++ -dM -E - |
  sed -n 's/^#define \(DPLDA_[A-Za-z0-9_]*\).*/\1/p' | sort)
[ -n "$defined" ] || { echo "the compiler printed no macro"; exit 1; }
left=$(printf '%s\n' "$allowed" "$allowed" "$defined" | sort | uniq -u)
[ -z "$left" ] || {
  printf 'macros that headers leave defined:\n%s\n' "$left"
  exit 1
}

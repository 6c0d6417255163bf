#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_format.sh <root> [-i]: checks that all C++ is formatted as by clang-format 14; with -i, formats it. Other
# versions differ slightly, so they are not used. Exit code 77: clang-format 14 is not installed.
set -eu
cd "$1"
for formatter in clang-format-14 clang-format none; do
  case $("$formatter" --version 2>/dev/null) in *'version 14.'*) break ;; esac
done
if [ "$formatter" = none ]; then
  echo "SKIPPED: clang-format 14 is not installed, so the format was not checked"
  exit 77
fi

sources() { find include cmake tests examples benchmarks -type f \( -name '*.[hi]pp' -o -name '*.inl' -o -name '*.cpp' \) -print0; }
if [ "${2:-}" = -i ]; then
  sources | xargs -0 "$formatter" -i
  exit 0
fi
# Not --dry-run, which reports comments behind nested namespaces that it would leave as they are.
faults=$(sources | xargs -0 -n 1 sh -c '"$0" "$1" | cmp -s - "$1" || echo "$1"' "$formatter" | sort)
[ -z "$faults" ] || {
  printf '%s\n' "$faults" "to fix: sh tests/package/check_format.sh . -i"
  exit 1
}

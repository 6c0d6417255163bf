#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tidy.sh [<source>...]: clang-tidy 14 with the checks of .clang-tidy on the whole library and the examples, or on these
# sources alone. It takes up to a minute per source, so it is run by hand. CLANG_TIDY names another program.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
. cmake/setup.sh
tidy=${CLANG_TIDY:-clang-tidy-14}
has_command "$tidy" || { say "$tidy is not installed; CLANG_TIDY names another"; exit 1; }

configure build/tidy -S . -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
# The umbrella, the headers that stand outside it, and the examples.
# shellcheck disable=SC2046  # none of these names has a space
[ $# -gt 0 ] || set -- tests/package/two_units_other.cpp build/tidy/tests/package/headers/dplda/published/*.cpp \
  $(find examples -name '*.cpp' | sort)

failed=
for source in "$@"; do
  say "$source"
  "$tidy" --quiet -p build/tidy "$source" 2>/dev/null || failed="$failed $source"
done
[ -z "$failed" ] || { say "findings in:$failed"; exit 1; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutant.sh <name> <work folder> <tests folder> <catch library> <compiler> <option>...: makes the mutant of this name
# from mutants.txt, compiles its test with it, and fails unless that test fails. A mutant that does not compile is an
# error. Without a compiler the script only checks that the mutant still fits its header, which is quick.
set -eu
name=$1
work=$2
tests=$3
catch=$4
shift 4
list=$tests/mutants/mutants.txt

field() {
  awk -v name="$name" -v key="$1: " '
    $0 == "name: " name { inside = 1 }
    inside && index($0 " ", key) == 1 { print substr($0, length(key) + 1); found = 1; exit }
    /^$/ { inside = 0 }
    END { exit !found }' "$list" || { echo "mutants.txt has no $1 for $name" >&2; return 1; }
}
header=$(field header)
test=$(field test)
from=$(field from)
to=$(field to)

mkdir -p "$work/dplda/$(dirname "$header")"
MUTANT_FROM=$from MUTANT_TO=$to awk '
  BEGIN { from = ENVIRON["MUTANT_FROM"]; to = ENVIRON["MUTANT_TO"] }
  {
    at = index($0, from)
    if (at > 0) {
      ++count
      $0 = substr($0, 1, at - 1) to substr($0, at + length(from))
      if (index(substr($0, at + length(to)), from) > 0) ++count
    }
    print
  }
  END { if (count != 1) { print "the text occurs " count + 0 " times" > "/dev/stderr"; exit 1 } }' \
  "$tests/../include/dplda/$header" > "$work/dplda/$header" || { echo "$name does not fit $header"; exit 1; }

[ $# -gt 0 ] || exit 0
"$@" "-I$work" "-I$tests/../include" "-I$tests" "$tests/$test" "$catch" -o "$work/test" ||
  { echo "$name does not compile"; exit 1; }
if "$work/test" > "$work/output" 2>&1; then
  echo "$name survives: $test passes with '$to' in place of '$from'"
  exit 1
fi
grep -q 'test cases:' "$work/output" || { cat "$work/output"; echo "$name crashed the test before it could report"; exit 1; }
echo "$name is caught by $test:"
grep 'FAILED' "$work/output" | sort -u | head -n 3

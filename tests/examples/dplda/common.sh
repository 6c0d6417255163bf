# SPDX-License-Identifier: Apache-2.0
# For the tests of the program dplda: . common.sh PROGRAM. Works in a folder of its own, which is removed at the end.
set -eu
program=$1
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir log

fail() {
  echo "FAILED: $1" >&2
  sed 's/^/  out: /' log/out >&2
  sed 's/^/  err: /' log/err >&2
  exit 1
}

# macOS has no timeout; ctest has one of its own.
command -v timeout >/dev/null || timeout() {
  shift
  "$@"
}

# run CODE ARGUMENT...: the program must end with this exit code; its output is in log/out and log/err.
run() {
  expected=$1
  shift
  code=0
  timeout 100 "$program" "$@" >log/out 2>log/err </dev/null || code=$?
  [ "$code" = "$expected" ] || fail "exit code $code, not $expected: $*"
}

says() { grep -q -- "$1" log/out || fail "it does not say: $1"; }

# tells: the same, wherever its lines are broken.
tells() { tr -s ' \n' '  ' <log/out | grep -q -- "$1" || fail "it does not say: $1"; }

# refused CODE ARGUMENT...: it ends with the code and one sentence, and nothing is left behind.
refused() {
  ls -R . >log.before
  run "$@"
  [ "$(grep -vc '^dplda: \(reading\|choosing words.*\|learning.*\|comparing.*\|writing\|step .*\)$' log/err)" = 1 ] ||
    fail "not one sentence: $*"
  ls -R . | cmp -s - log.before || fail "it left something behind: $*"
}

# documents COUNT: COUNT short documents about boats or bread, one on each line, each with a name of its own.
documents() {
  awk -v count="$1" 'BEGIN {
    split("ferry harbour gull anchor sail captain island storm", boats, " ")
    split("bread baker flour oven roll butter morning shop", bread, " ")
    seed = 1
    for (d = 0; d < count; ++d) {
      line = ""
      for (n = 0; n < 12; ++n) {
        seed = (seed * 16807) % 2147483647
        word = seed % 8 + 1
        line = line " " (d % 2 ? boats[word] : bread[word])
      }
      name = "zz"
      for (n = d; n > 0; n = int(n / 10)) name = name substr("abcdefghij", n % 10 + 1, 1)
      print "The" line " " name
    }
  }'
}

# ledger FOLDER: what a release has spent
ledger() { sed -n '/"ledger"/,/^  }/p' "$1/release.json"; }

json() { # json: the output is JSON, as far as that can be checked here
  if command -v python3 >/dev/null 2>&1; then python3 -m json.tool <log/out >/dev/null || fail "this is not JSON"; fi
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# printers_test.sh <root> <scratch directory> <compiler> <option>...: gdb shows a corpus, a ledger and a guarantee as
# cmake/gdb/dplda_printers.py says. Exit code 77: gdb with Python is not installed, or cannot run a program here.
set -eu
root=$1
scratch=$2
shift 2
if [ "$(gdb -nx -batch -ex 'python print(6 * 7)' 2>/dev/null || true)" != 42 ]; then
  echo "SKIPPED: gdb with Python is not installed, so its view of dplda was not checked"
  exit 77
fi
mkdir -p "$scratch"
"$@" -O0 -g "$root/tests/package/printers.cpp" -o "$scratch/program"
gdb -nx -batch -ex "source $root/cmake/gdb/dplda_printers.py" -ex 'break stop' -ex run -ex up -ex 'print docs' \
  -ex 'print spent' -ex 'print promised' "$scratch/program" >"$scratch/output" 2>&1 || true
if ! grep -q '^Breakpoint 1, ' "$scratch/output"; then
  cat "$scratch/output"
  echo "SKIPPED: gdb could not run a program here, so its view of dplda was not checked"
  exit 77
fi

cat >"$scratch/expected" <<'END'
$1 = corpus of 3 documents, 3 words, 6 tokens, 2 users = {[0] = ferry 2, harbour 1, [1] = (empty), [2] = bread 3}
$2 = ledger of 2 events, seeded = {[0] = 20 x gaussian_noise{multiplier = 1.5}, poisson_sample{rate = 0.25}, document, add_remove, "topics", [1] = 1 x approximate_dp{epsilon = 0.5, delta = 0}, all_units, document, add_remove}
$3 = (epsilon 1.25, delta 0.5) for one document, add_remove, by pld, proven, gamma 0.125
END
grep '^\$' "$scratch/output" | diff "$scratch/expected" - || { cat "$scratch/output"; exit 1; }

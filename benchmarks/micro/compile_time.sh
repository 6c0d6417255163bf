#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_time.sh [<another checkout of dplda>]: CPU seconds and peak memory that programs take to compile at -O2, with
# the headers alone and with dplda::compiled, and with the headers of another checkout beside them. CXX is the compiler.
# Run it on a quiet machine.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ "${1:-}" != --quick ] || shift # the same
other=${1:-}
[ -x /usr/bin/time ] || { echo "compile_time.sh needs GNU time (Debian: time)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The first program of README.md
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md" >"$scratch/readme.cpp"
cat >"$scratch/private_svi.cpp" <<'EOF'
#include <dplda/inference/svi/private_svi.hpp>

int main() {
  const dplda::private_svi learner({.topics = 5, .units = 5000, .words = 200}, {.epsilon = 1, .delta = 1e-6});
  auto random = dplda::secure_random();
  return learner.fit(dplda::corpus(), random).value().topics() == 5 ? 0 : 1;
}
EOF
cat >"$scratch/accountant.cpp" <<'EOF'
#include <dplda/accounting/accountant.hpp>

#include <iostream>

int main() {
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{2.0}}, 3);
  std::cout << dplda::price(book, 1e-6) << '\n';
}
EOF
cat >"$scratch/umbrella.cpp" <<'EOF'
#include <dplda/dplda.hpp>

int main() {}
EOF

# measure <program> <include directory> [<option>]: "seconds megabytes", the least of two runs
measure() {
  for run in 1 2; do
    /usr/bin/time -f '%U %S %M' "${CXX:-c++}" -std=c++20 -O2 -I"$2" -isystem /usr/include/eigen3 ${3:+"$3"} \
      -c "$scratch/$1.cpp" -o "$scratch/$1.o" 2>&1 >/dev/null | tail -n 1
  done | awk '{ s = $1 + $2; if (NR == 1 || s < least) { least = s; mb = $3 / 1024 } } END { printf "%.1f s, %d MB", least, mb }'
}

printf '| program | %sheaders alone | dplda::compiled |\n| --- | %s--- | --- |\n' \
  "${other:+the other checkout | }" "${other:+--- | }"
for program in readme private_svi accountant umbrella; do
  printf '| %s | ' "$program"
  [ -z "$other" ] || printf '%s | ' "$(measure "$program" "$other/include")"
  printf '%s | %s |\n' "$(measure "$program" "$root/include")" "$(measure "$program" "$root/include" -DDPLDA_COMPILED)"
done

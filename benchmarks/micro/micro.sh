#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The micro-benchmarks: accountants and vectorised functions (Google Benchmark), exact noise, releases.
#   sh benchmarks/micro/micro.sh [--quick] [FOLDER [OPTION]...]        (options of Google Benchmark)
set -eu
. "$(dirname -- "$0")/../support/start.sh"

about "no corpora; fixed seeds"
[ "$size" = full ] || set -- --benchmark_min_time=0.02 "$@"
for benchmark in accounting vector_math; do
  program=$(build_program)
  "$program" --benchmark_out="$folder/$benchmark.csv" --benchmark_out_format=csv "$@"
done
benchmark=exact_noise
"$(build_program)" "$(if_quick 2000000 100000000)"
benchmark=release
"$(build_program)" --large "$(if_quick 0 200000000)"

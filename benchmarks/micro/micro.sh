#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The micro-benchmarks (Google Benchmark): accountants, exact noise, releases, vectorised functions.
#   sh benchmarks/micro/micro.sh [--quick] [FOLDER [OPTION]...]        (options of Google Benchmark)
set -eu
. "$(dirname -- "$0")/../support/start.sh"

[ "$size" = full ] || set -- --benchmark_min_time=0.02 "$@"
for benchmark in accounting exact_noise release vector_math; do
  program=$(build_program)
  "$program" --benchmark_out="$folder/$benchmark.csv" --benchmark_out_format=csv "$@" 2>/dev/null
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fits to packed corpora of up to a billion tokens in 2 GB of memory, by one process of two threads and by two processes
# of one: seconds of a step, and how they grow. A billion tokens take about 10 GB of disk while they are made.
#   sh benchmarks/scale/tokens.sh [--quick] [FOLDER]
# The limit is that of a control group, which counts the pages of mapped files, too; where none can be made, it is on the
# process's own memory (ulimit -d), and the peak tells of the rest. Both processes together have one limit.
set -eu
. "$(dirname -- "$0")/../support/start.sh"
. "$root/tests/support/mpi.sh"

words=50000 topics=$(if_quick 20 100) bytes=2147483648
about "synthetic documents of 1000 tokens, $words words, $topics topics, 3 steps with all documents (of 1e9 tokens 2), seed 1"
program=$(build_target scale processes)
maker=$(build_target scale tokens)

cgroup=
for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
  [ -w "$parent/cgroup.procs" ] && mkdir "$parent/dplda.$$" 2>/dev/null || continue
  for limit in memory.limit_in_bytes memory.max; do
    if [ -w "$parent/dplda.$$/$limit" ] && echo $bytes >"$parent/dplda.$$/$limit"; then cgroup=$parent/dplda.$$; fi
  done
  [ -z "$cgroup" ] || break
  rmdir "$parent/dplda.$$"
done
if [ -n "$cgroup" ]; then
  trap 'rmdir "$cgroup"; rm -rf "$work"' EXIT
  how="a control group of 2 GB, with pages of files"
else
  how="ulimit -d of 2 GB for each process, without pages of files"
fi
limited() { # limited COMMAND...
  if [ -n "$cgroup" ]; then
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup" "$@"
  else
    sh -c 'ulimit -d "$0" && exec "$@"' $((bytes / 1024)) "$@"
  fi
}

echo "processes,threads,tokens,documents,step_seconds,peak_megabytes,anonymous_megabytes" >"$folder/tokens.csv"
fit() { # fit <processes> <threads> <command>...
  processes=$1 threads=$2
  shift 2
  "$@" "$program" "$work/packed" "$topics" "$steps" "$threads" >"$work/said"
  awk -v OFS=, '{ is[$1] = $2 } END {
    print is["processes"], is["threads"], is["tokens"], is["documents"], is["step_seconds"], is["peak"], is["anonymous"]
  }' "$work/said" | tee -a "$folder/tokens.csv"
}
for tokens in $(if_quick "1e6 1e7" "1e7 1e8 1e9"); do
  rm -rf "$work/packed"
  steps=3
  [ "$tokens" != 1e9 ] || steps=2 # the first makes memory and is not counted
  limited "$maker" "$work/packed" "$tokens" "$words" # within the limit, so that its pages count, too
  du -sm "$work/packed" | awk '{ print $1 " MB on disk" }' >&2
  fit 1 2 limited
done
fit 2 1 limited mpirun -q --oversubscribe --bind-to none -n 2

awk -F , -v how="$how" '
  NR == 1 { next }
  { line[++n] = sprintf("%9d %8d %13d %9.2f s %10.3f %10d MB %10d MB", $1, $2, $3, $5, 1e6 * $5 / $3, $7, $6) }
  END {
    print "Limit: " how "."
    print "processes  threads        tokens     a step    of 1e6   own memory   with mapped pages (each process)"
    for (i = 1; i <= n; ++i) print line[i]
  }' "$folder/tokens.csv" | tee "$folder/table.txt"

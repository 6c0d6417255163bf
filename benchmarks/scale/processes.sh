#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One fit by one and by two processes: seconds of a step, bytes that travel, and from these, on paper, what 8 to 1,024
# processes would take.
#   sh benchmarks/scale/processes.sh [--quick] [FOLDER]
set -eu
. "$(dirname -- "$0")/../support/start.sh"
. "$root/tests/support/mpi.sh"

corpus=$(if_quick kos imdb)
unpack "$corpus"
corpus=$(name_of "$corpus")
topics=$(if_quick 20 100) steps=$(if_quick 4 7)
about "$corpus, $topics topics, $steps steps with all documents, seed 1"
program=$(build_program)
packed=$work/packed
"$(build_target scale tokens)" "$packed" "$work/docword.$corpus.txt" "$work/vocab.$corpus.txt"

# measure <name> <command>...: the lines of the program, with the name before each
measure() {
  name=$1
  shift
  "$@" "$packed" "$topics" "$steps" "${threads:-1}" | sed "s/^/$name /" >>"$folder/measured.txt"
}
: >"$folder/measured.txt"
for run in 1 2 3; do # in turn, so that a busy machine is not taken for a slow way
  measure alone "$program"
  measure one_process several 1 "$program"
  measure two_processes several 2 "$program"
  threads=2
  measure two_threads "$program"
  unset threads
done

awk '
  { if (!(($1, $2) in least) || $3 < least[$1, $2]) least[$1, $2] = $3 }
  function seconds(way) { return least[way, "step_seconds"] }
  END {
    printf "seconds of a step (the least of three medians); %d documents, %d tokens, %d words, %d topics\n", \
      least["alone", "documents"], least["alone", "tokens"], least["alone", "words"], least["alone", "topics"]
    printf "  one process without MPI  %.3f\n  one process by mpirun    %.3f   %+.1f %%\n", seconds("alone"),
      seconds("one_process"), 100 * (seconds("one_process") / seconds("alone") - 1)
    printf "  two processes            %.3f   %.2f times as fast; %.3f of it in MPI\n", seconds("two_processes"),
      seconds("alone") / seconds("two_processes"), least["two_processes", "send_seconds"]
    printf "  two threads              %.3f   %.2f times as fast\n", seconds("two_threads"),
      seconds("alone") / seconds("two_threads")
    sent = least["two_processes", "sent"]; formula = least["two_processes", "formula"]
    printf "bytes that each of two processes sends in a step: %d, by the formula %d\n\n", sent, formula
    if (sent != formula) exit 1

    cells = least["alone", "words"] * least["alone", "topics"]
    token = (seconds("alone") - least["alone", "fixed_seconds"]) / least["alone", "tokens"]
    noise = least["alone", "noise_seconds"] / cells
    rest = (least["alone", "fixed_seconds"] - least["alone", "noise_seconds"]) / cells
    printf "measured, on one thread: %.3g s for a token, %.3g s for the noise of a cell, %.3g s for the rest of a cell\n",
      token, noise, rest
    tokens = 1e10; V = 50000; K = 100
    printf "On paper: %g tokens, V = %d, K = %d, a thread for each process. Tokens and noise are divided, the rest of a\n" \
      "cell is done by all; 16 V K (p - 1) / p bytes leave each process through a link of its own, and each of the\n" \
      "2 (p - 1) rounds of a ring takes 20 microseconds to begin. Nobody waits for a slower process.\n", tokens, V, K
    printf "%9s %12s %12s %10s %12s %10s\n", "processes", "10 Gb/s: s", "times one", "in MPI", "100 Gb/s: s", "times one"
    one = token * tokens + (noise + rest) * V * K
    for (p = 1; p <= 1024; p *= p == 1 ? 8 : 2) {
      work = (token * tokens + noise * V * K) / p + rest * V * K
      for (speed = 10; speed <= 100; speed *= 10)
        send[speed] = 16 * V * K * (p - 1) / p * 8 / (speed * 1e9) + 2 * (p - 1) * 20e-6
      printf "%9d %12.2f %12.1f %9.1f%% %12.2f %10.1f\n", p, work + send[10], one / (work + send[10]),
        100 * send[10] / (work + send[10]), work + send[100], one / (work + send[100])
    }
  }' "$folder/measured.txt" | tee "$folder/table.txt"

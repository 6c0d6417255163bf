#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# processes_test.sh PROGRAM: mpirun dplda fit. Any number of processes and threads gives the same files; one voice, one
# folder, one exit code; what fails in one process ends all.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/mpi.sh"
. "$here/common.sh"

documents 600 >letters.txt
awk 'BEGIN { for (d = 0; d < 600; ++d) print "citizen" int(d * 7 % 250) }' >users.txt
awk 'BEGIN { print "text,place"; seed = 3 } { print $0 "," (NR % 3 ? "north" : "south") }' letters.txt >letters.csv

# together CODE N ARGUMENT...: as run, by N processes.
together() {
  expected=$1
  number=$2
  shift 2
  code=0
  timeout 100 mpirun -q --oversubscribe --bind-to none -n "$number" "$program" "$@" >log/out 2>log/err </dev/null || code=$?
  [ "$code" = "$expected" ] || fail "exit code $code, not $expected, of $number processes: $*"
}
# What is there, besides the logs.
before() { find . -path ./log -prune -o ! -name 'log.*' -print | sort >log.before; }
one_sentence() { # besides what it says of its progress
  [ "$(grep '^dplda: ' log/err | grep -vc '^dplda: reading$')" = 1 ] || fail "not one sentence: $*"
  find . -path ./log -prune -o ! -name 'log.*' -print | sort | cmp -s - log.before || fail "it left something behind: $*"
}
refused_together() { # refused_together CODE N ARGUMENT...
  before
  together "$@"
  one_sentence "$@"
}

together 0 2 --version
[ "$(wc -l <log/out)" = 1 ] || fail "not one voice"
together 2 2 topics nowhere
if grep -q 'built without MPI' log/err; then
  echo "SKIPPED: the program was built without MPI (Debian: libopenmpi-dev)" >&2
  exit 77
fi
grep -q 'runs in one process' log/err || fail "dplda topics by two processes"

# The same bytes, but for the number of threads in the command.
same() { # same A B
  for file in phi.npy vocabulary.txt counts.npy model.json; do
    [ -e "$1/$file" ] || continue
    cmp "$1/$file" "$2/$file" || fail "$2/$file differs"
  done
  sed '/"command"/d' "$1/release.json" >log/one
  sed '/"command"/d' "$2/release.json" | cmp - log/one || fail "$2/release.json differs"
}
for engine in svi gibbs spectral; do
  for unit in document user; do
    run 0 fit letters.txt --users users.txt --unit $unit --topics 2 --engine $engine --units 300 --epsilon 8 --seed 5 \
      --threads 1 -o alone
    for number in 1 2 3 4; do
      threads=$((number % 2 + 1)) # each engine and unit by 1 and 2 threads
      together 0 $number fit letters.txt --users users.txt --unit $unit --topics 2 --engine $engine --units 300 \
        --epsilon 8 --seed 5 --threads $threads -o several
      same alone several
      rm -r several
    done
    together 0 2 fit letters.txt --users users.txt --unit $unit --topics 2 --engine $engine --units 300 --epsilon 8 \
      --seed 5 --threads 1 -o several
    same alone several
    rm -r alone several
  done
done

# Also of a packed corpus, over a public list, and with shares of topics in groups. The voice is that of one process.
run 0 pack letters.txt -o letters.corpus
printf '%s\n' ferry harbour gull anchor bread baker flour oven >words.txt
for number in 1 3; do
  together 0 $number fit letters.corpus --topics 2 --vocabulary words.txt --units 600 --epsilon 4 --seed 2 -o packed$number
  together 0 $number fit letters.csv --text text --group place --group-names north,south --topics 2 --units 600 \
    --epsilon 4 --seed 2 -o shares
  mv shares shares$number
  mv log/out said$number
done
same packed1 packed3
same shares1 shares3
cmp shares1/prevalence.csv shares3/prevalence.csv || fail "shares differ"
cmp said1 said3 || fail "several processes say something else than one"

# Each process reads its part of a folder, of JSON, and of counts.
mkdir folder
awk '{ print >sprintf("folder/%03d.txt", NR); close(sprintf("folder/%03d.txt", NR)) }' letters.txt
sed 's/.*/{"text": "&"}/' letters.txt >letters.jsonl
awk 'FNR == NR { id[$1] = FNR; words = FNR; next }
  {
    split("", count)
    for (i = 1; i <= NF; ++i) if ($i in id) ++count[id[$i]]
    for (w = 1; w <= words; ++w) if (count[w]) { entry[++entries] = FNR " " w " " count[w] }
    documents = FNR
  }
  END { print documents "\n" words "\n" entries; for (e = 1; e <= entries; ++e) print entry[e] }' \
  words.txt letters.txt >docword.boats.txt
for input in folder "letters.jsonl --text text" "docword.boats.txt --words words.txt --unpruned"; do
  # shellcheck disable=SC2086  # a name and options
  for number in 1 3; do
    together 0 $number fit $input --topics 2 --units 600 --epsilon 8 --seed 3 -o part$number
  done
  same part1 part3
  rm -r part1 part3
done

# More processes than documents.
printf 'ferry harbour\nbread\n' >two.txt
printf 'ann\nbob\n' >two.users
for unit in document user; do
  for number in 1 4; do
    together 0 $number fit two.txt --users two.users --unit $unit --topics 2 --vocabulary words.txt --units 100 --seed 1 \
      -o two$number
  done
  same two1 two4
  rm -r two1 two4
done

# One entry in the book, which is that of the release.
run 0 book letters.book --limit 8 --delta 1e-5
together 0 3 fit letters.txt --topics 2 --units 600 --epsilon 4 --book letters.book -o booked
[ "$(grep -c '"id"' letters.book)" = 1 ] || fail "not one entry"
grep -q "\"id\": \"$(grep '"booked"' booked/release.json | cut -d '"' -f 4)\"" letters.book || fail "it is not in the book"

# What fails in one process, or in all, ends all: one sentence, one exit code, nothing left behind.
refused_together 1 3 fit nowhere.txt --topics 2 -o out
refused_together 2 3 fit letters.txt --topics 2 --engine lda -o out
refused_together 2 3 fit letters.txt --topics 2 --units 600 --epsilon 40 --book letters.book -o out
refused_together 2 2 fit letters.txt --topics 2 --non-private -o out
refused_together 1 2 fit letters.txt --topics 2 --units 600 -o booked
printf 'one\nt\377wo\n' >bad.txt
refused_together 1 2 fit bad.txt --topics 2 --units 600 -o out
# apart N CODE OTHER ARGUMENT...: the last process has the file OTHER in the place of letters.txt.
cat >apart.sh <<'SCRIPT'
program=$1 other=$2
shift 2
mkdir -p log/rank$OMPI_COMM_WORLD_RANK
cp letters.txt log/rank$OMPI_COMM_WORLD_RANK/in.txt
[ "$((OMPI_COMM_WORLD_RANK + 1))" != "$OMPI_COMM_WORLD_SIZE" ] || cp "$other" log/rank$OMPI_COMM_WORLD_RANK/in.txt
exec "$program" fit log/rank$OMPI_COMM_WORLD_RANK/in.txt "$@"
SCRIPT
sed '$!N;s/\(.*\)\n\(.*\)/\2\n\1/' letters.txt >swapped.txt
for other in bad.txt swapped.txt; do
  before
  code=0
  timeout 100 mpirun -q --oversubscribe --bind-to none -n 3 sh apart.sh "$program" $other --topics 2 --units 600 -o out \
    >log/out 2>log/err </dev/null || code=$?
  [ "$code" = 1 ] || fail "exit code $code where one process has $other"
  one_sentence "one process has $other"
done
grep -q 'the processes have different documents' log/err || fail "other documents are not told"

# A program that does not know the other processes would make a release of its own.
before
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 refused 2 fit letters.txt --topics 2 -o out

# The death of a process: process_crashes.sh at length, by hand.
sh "$here/process_crashes.sh" "$program" 8

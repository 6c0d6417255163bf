#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# process_crashes.sh PROGRAM COUNT [SEED]: starts fits by 1 to 3 processes with a budget book and a checkpoint, kills a
# process of them at random moments (kill -9), until COUNT were killed, and goes on from the checkpoint with another number
# of processes. After each kill no release is without its entry, and nothing is half written. Each fit ends with the
# planned ledger.
# processes_test.sh runs it with a small count; by hand:
#   sh tests/examples/dplda/process_crashes.sh build/dev/examples/dplda/dplda 200
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/mpi.sh"
. "$here/common.sh"
count=$2 seed=${3:-1}

documents 3000 >letters.txt
run 0 book letters.book
plan() { # plan NUMBER: the options of the fit of this number
  engine=svi
  [ $(($1 % 3)) != 0 ] || engine=gibbs
  echo "--engine $engine --topics 20 --units 3000 --epsilon 4 --delta 1e-6"
}
# start NUMBER PROCESSES: mpirun is $!
start() {
  # shellcheck disable=SC2046  # several words
  mpirun -q --oversubscribe --bind-to none -n "$2" "$program" fit letters.txt $(plan "$1") --threads 1 \
    --book letters.book --checkpoint "kept.$1" --output "out/$1" >log/out 2>log/err </dev/null &
}
milliseconds() { awk '{ printf "%d", 1000 * $1 }' /proc/uptime; }

# How long a fit takes here, so that kills fall on all of it, and the ledger that each must have.
mkdir out
for number in 0 1; do
  begin=$(milliseconds)
  start $number 2
  wait $! || fail "a fit that nobody kills fails"
  span=$(($(milliseconds) - begin))
  ledger "out/$number" >"planned.$number"
  [ -s "planned.$number" ] || fail "no ledger"
done

ids() { grep -o '"id": "[0-9a-f]*"' letters.book | cut -d '"' -f 4 | sort; }
booked() { grep '"booked": "' "$1" | cut -d '"' -f 4; }

# check: the book reads well and holds every release and every state, once each; what has a name is whole.
check() {
  run 0 account letters.book
  ids >log.ids
  : >log.released
  for folder in out/*; do
    case $folder in *.partial*) continue ;; esac
    for file in phi.npy vocabulary.txt counts.npy model.json release.json report.html; do
      [ -s "$folder/$file" ] || fail "$folder has no $file"
    done
    booked "$folder/release.json" >>log.released
  done
  if [ -e "kept.$number/fit.json" ] && ls "kept.$number" | grep -q '^state-'; then
    [ ! -e "out/$number" ] || fail "a release and its checkpoint are there at once"
    booked "kept.$number/fit.json" >>log.released
  fi
  sort -o log.released log.released
  [ -z "$(uniq -d log.ids)$(uniq -d log.released)" ] || fail "an id is there twice"
  [ -z "$(comm -13 log.ids log.released)" ] || fail "a release or a state is not in the book"
}

# A fit of this number has ended.
check_result() {
  [ ! -e "kept.$number" ] || fail "a checkpoint is left behind"
  ledger "out/$number" | cmp -s - "planned.$((number % 3 != 0))" || fail "out/$number has another ledger"
}

killed=0 ended=0 resumed=0 unbegun=0 number=1
begin_next() {
  number=$((number + 1))
  rm -rf "out/$((number - 1))".partial*
}
begin_next
awk -v count="$count" -v seed="$seed" -v span="$span" 'BEGIN {
  srand(seed)
  for (i = 0; i < 20 * count; ++i) printf "%d %d %.3f\n", 1 + int(3 * rand()), 1 + int(4 * rand()), rand() * 1.1 * span / 1000
}' >moments
while [ "$killed" -lt "$count" ] && read -r processes victim delay; do
  state=$(ls "kept.$number" 2>/dev/null | grep -c '^state-' || true)
  start "$number" "$processes"
  mpirun=$!
  sleep "$delay"
  pid=$(pgrep -P "$mpirun" -x "$(basename "$program")" | sed -n "$((victim % processes + 1))p")
  [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
  result=0
  wait "$mpirun" || result=$?
  check
  if [ "$result" = 0 ]; then
    ended=$((ended + 1))
    [ "$state" = 0 ] || resumed=$((resumed + 1))
    check_result
    begin_next
  elif [ -z "$pid" ]; then
    fail "a fit that nobody killed ended with $result"
  else
    killed=$((killed + 1))
    [ -e "kept.$number" ] || [ -e "out/$number" ] || unbegun=$((unbegun + 1))
    if [ -e "out/$number" ]; then begin_next; fi # killed after its release
  fi
done <moments
[ "$killed" -ge "$count" ] || fail "only $killed processes were killed"

# The last one goes on to its end, by another number of processes.
if [ -e "kept.$number" ]; then
  [ "$(ls "kept.$number" | grep -c '^state-' || true)" = 0 ] || resumed=$((resumed + 1))
  start "$number" 2
  wait $! || fail "a fit that nobody kills fails"
  check
  check_result
fi
releases=$(find out -mindepth 1 -maxdepth 1 ! -name '*.partial*' | wc -l)
echo "$killed processes were killed, $unbegun before anything was kept; $ended fits ended in spite of it, $resumed fits" \
  "went on from a state; $(wc -l <log.ids) entries, $releases releases, all with the planned ledger"
if [ "$count" -ge 100 ]; then
  [ "$unbegun" -gt 0 ] && [ "$resumed" -gt 0 ] || fail "kills did not fall on all of a fit"
fi

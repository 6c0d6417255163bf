#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# book_crashes.sh PROGRAM COUNT [SEED]: starts fits with a budget book, a fifth of the times two at once, and kills them at
# random moments (kill -9), until COUNT were killed. After each kill the book must read well and hold every release that
# exists.
# book_test.sh runs it with a small count; by hand:
#   sh tests/examples/dplda/book_crashes.sh build/dev/examples/dplda/dplda 1000
. "$(dirname "$0")/common.sh"
count=$2 seed=${3:-1}

documents 60 >letters.txt
start() { # start FOLDER: its process is $!
  "$program" fit letters.txt --topics 2 --units 60 --epsilon 20 --threads 1 --book "$book" --output "$1" >/dev/null 2>&1 </dev/null &
}

# How long a fit takes here, so that kills fall on all of it, and a little beyond.
book=first.book
run 0 book "$book"
now() { # in nanoseconds, or on macOS in whole seconds
  case $(date +%N) in
  *N*) echo "$(date +%s)000000000" ;;
  *) date +%s%N ;;
  esac
}
begin=$(now)
start timed
wait $! || fail "a fit that nobody kills fails"
span=$((($(now) - begin) / 1000))

# check: the book reads well, every release is in it, and there is an entry for each that was begun to be written.
check() {
  run 0 account "$book"
  grep -o '"id": "[0-9a-f]*"' "$book" | cut -d '"' -f 4 | sort >ids
  : >released
  for folder in out/*.first out/*.second; do # whole ones, as they appear under their name
    [ -d "$folder" ] || continue
    grep '"booked": "' "$folder/release.json" | cut -d '"' -f 4 >id
    [ -s id ] || fail "$folder has no id"
    cat id >>released
  done
  sort -o released released
  [ -z "$(uniq -d ids)$(uniq -d released)" ] || fail "an id is there twice"
  [ -z "$(comm -13 ids released)" ] || fail "a release is not in the book"
  [ "$(find out -mindepth 1 -maxdepth 1 | wc -l)" -le "$(wc -l <ids)" ] || fail "more was written than booked"
}

killed=0 ended=0 books=0 entries=0 releases=0
close_book() {
  [ "$books" -gt 0 ] || return 0
  entries=$((entries + $(wc -l <ids)))
  releases=$((releases + $(wc -l <released)))
  rm -r out
}

awk -v count="$count" -v seed="$seed" -v span="$span" 'BEGIN {
  srand(seed)
  for (i = 0; i < 10 * count; ++i) { # the book is written early, so early moments more often
    fits = rand() < 0.2 ? 2 : 1
    printf "%d %.6f\n", fits, rand() ^ (rand() < 0.5 ? 2 : 1) * 1.15 * span * (fits == 2 ? 1.5 : 1) / 1e6
  }
}' >moments
next=0
while [ "$killed" -lt "$count" ] && read -r fits delay; do
  if [ $((killed + ended)) -ge "$next" ]; then # a new book from time to time, so that none grows too long
    close_book
    next=$((next + 100)) books=$((books + 1))
    book=crash$books.book
    run 0 book "$book"
    mkdir out
  fi
  start "out/$((killed + ended)).first"
  processes=$!
  if [ "$fits" = 2 ]; then
    start "out/$((killed + ended)).second"
    processes="$processes $!"
  fi
  sleep "$delay"
  for process in $processes; do
    kill -9 "$process" 2>/dev/null || true
    code=0
    wait "$process" 2>/dev/null || code=$?
    case $code in
      137) killed=$((killed + 1)) ;;
      0) ended=$((ended + 1)) ;;
      *) fail "a fit ended with $code" ;;
    esac
  done
  check
done <moments
close_book
[ "$killed" -ge "$count" ] || fail "only $killed fits were killed"
echo "$killed fits were killed, $ended had ended before; $books books with $entries entries, $releases releases;" \
  "no release without its entry, no book that could not be read"
if [ "$count" -ge 100 ]; then
  [ "$entries" -gt "$releases" ] || fail "no kill fell between an entry and its release"
  [ "$releases" -gt 0 ] && [ "$entries" -lt $((killed + ended)) ] || fail "no kill fell before an entry, or after a release"
fi

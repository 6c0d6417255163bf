#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# book_test.sh PROGRAM: the budget book. Every release is in it before its noise is drawn, whatever happens.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

# Enough documents for words to pass at every epsilon below: noise decides how many pass.
documents 900 >letters.txt
awk 'BEGIN { for (d = 0; d < 900; ++d) print "citizen" int(d / 2) }' >users.txt
printf '%s\n' ferry harbour gull anchor bread baker flour oven >words.txt
entries() { grep -c '"id"' "$1" || true; }
because() { grep -q -- "$1" log/err || fail "it does not say why: $1"; }

# A book is created, never replaced, and never by a misspelt name.
run 0 book letters.book --limit 2 --delta 1e-6
tells 'however they are chosen'
refused 1 book letters.book
because 'a book is never replaced'
refused 1 book letters.txt
refused 1 book no/such/book
refused 2 book other.book --limit nan
refused 2 book other.book --thresholds 0
refused 2 book other.book --limit 1 --delta 1e-6 --thresholds 1e-5
refused 1 fit letters.txt --topics 2 --book lettres.book --output out
because 'there is no such book'
refused 1 fit letters.txt --topics 2 --dry-run --book lettres.book
refused 1 fit letters.txt --topics 2 --book letters.txt --output out

# A dry run prints the total and writes nothing.
cp letters.book kept
run 0 fit nowhere --topics 2 --units 300 --epsilon 2 --book letters.book --dry-run
tells 'holds 0 releases. Its limit, epsilon = 2 at delta = 1e-06, holds for all of them together'
tells 'admits this release'
run 0 fit nowhere --topics 2 --units 300 --epsilon 9 --book letters.book --dry-run --json
json
tells '"admitted": false'
cmp -s letters.book kept || fail "a dry run was booked"

# Every release is in the book, with the id that release.json has.
run 0 fit letters.txt --topics 2 --units 300 --epsilon 1 --book letters.book --output a
tells 'delta = 2.5e-07' # its share of the delta, as nobody asked for another
grep -q "\"id\": \"$(grep '"booked"' a/release.json | cut -d '"' -f 4)\"" letters.book || fail "it is not in the book"
grep -q letters a/* && fail "the name of the book was published"
grep -q 'book BOOK' a/release.json || fail "the command does not say that there was a book"
run 0 vocabulary letters.txt --units 300 --epsilon 0.5 --book letters.book --output chosen.txt
grep -q "\"id\": \"$(grep '"booked"' chosen.txt.release.json | cut -d '"' -f 4)\"" letters.book || fail "nor are the words"
[ "$(entries letters.book)" = 2 ] || fail "not two entries"
run 0 account letters.book
tells '2 releases for each document'
tells 'holds for all that is in it, however budgets were chosen: epsilon = 2'
tr -s ' \n' '  ' <log/out | grep -q 'assumes that no budget' && fail "the limit assumes nothing"
tells 'pld'
tells '(epsilon = 2, delta = 1e-06) differential privacy holds for each document'
run 0 account letters.book --json --noise 1
json
tells '"admitted": false'
run 0 account letters.book --noise 20 --steps 3
tells 'The limit of the book admits the further release'

# A release beyond the limit is refused, and the message names a budget that is admitted.
cp letters.book kept
refused 2 fit letters.txt --topics 2 --units 300 --epsilon 2 --book letters.book --output b
because 'would exceed its limit, epsilon = 2 at delta = 1e-06; this release would be admitted with --epsilon 1\.[0-9]'
cmp -s letters.book kept || fail "a refused fit was booked"
remedy=$(sed -n 's/.*admitted with //p' log/err)
# shellcheck disable=SC2086  # words are to be split
run 0 fit letters.txt --topics 2 --units 300 $remedy --book letters.book --output b
refused 2 fit letters.txt --topics 2 --units 300 --epsilon 1 --book letters.book --output c
run 0 book public.book --limit 2 --delta 1e-6
refused 2 fit letters.txt --topics 2 --epsilon 2 --delta 1e-6 --vocabulary words.txt --book public.book --output c
because 'admitted with --epsilon 1.9[0-9]$'
run 0 book whole.book --limit 2 --delta 1e-6 --thresholds 0
run 0 fit letters.txt --topics 2 --epsilon 2 --delta 1e-6 --vocabulary words.txt --book whole.book --output public
refused 2 fit letters.txt --topics 2 --epsilon 0.1 --book whole.book --output c
because 'no delta is left for thresholds'
run 0 book full.book --limit 2 --delta 1e-6 # a fit that was planned for the whole of it
run 0 fit letters.txt --topics 2 --epsilon 2 --delta 1e-6 --book full.book --output full

# What no book can count.
refused 2 fit letters.txt --topics 2 --seed 1 --book letters.book --output c
because 'noise from --seed protects nobody'
refused 2 fit letters.txt --topics 2 --non-private --book letters.book --output c
refused 2 fit letters.txt --topics 2 --users users.txt --book letters.book --output c
because 'the book of another unit'
run 0 book users.book --unit user
run 0 fit letters.txt --topics 2 --units 150 --users users.txt --book users.book --output users

# Several releases together.
run 0 fit letters.txt --topics 2 --units 300 --epsilon 1 --output d
run 0 fit letters.txt --topics 2 --units 300 --epsilon 1 --output e
run 0 account d e
tells '2 releases for each document'
tells 'assumes that no budget'
tells 'by every accountant, if no budget was chosen from an earlier result'
tells 'e has the same ledger as d; they are counted as two releases'
tells 'at delta = 2e-06'
run 0 account letters.book a b chosen.txt.release.json --json
json
tells '"releases": 3'
run 0 account letters.book a
tells 'a is the release of letters.book, entry 1, and is counted once'
run 0 account letters.book a d
tells '4 releases'
refused 1 account a users
because 'losses of different kinds do not add up'
refused 1 account letters.book users.book
run 0 fit letters.txt --topics 2 --non-private --output open
refused 1 account open # which was said to cost epsilon = 0 once
because 'was made without privacy'
refused 1 account a open
# A fit that was stopped has a ledger below its claim, and its claim holds.
sed '0,/"epsilon": [0-9.]*/s//"epsilon": 3/' d/release.json >stopped.json
run 0 account stopped.json
tells 'counted by its claim'
tells '(epsilon = 3, delta = 1e-06)'
# An id taken from another release.
sed "s/\"booked\": null/\"booked\": \"$(grep '"booked"' a/release.json | cut -d '"' -f 4)\"/" d/release.json >borrowed.json
refused 1 account letters.book borrowed.json
because 'but another ledger'

# A pair of laws that somebody wrote down; two laws without a common outcome cost everything.
run 0 account a
tr -s ' \n' '  ' <log/out | grep -q 'on the word' && fail "it distrusts a release of dplda"
own() { # own FILE WITH WITHOUT: a ledger with the pair, beside Laplace noise
  cat >"$1" <<END
{"format": "dplda ledger", "format_version": 1, "library_version": "0.1.0", "seeded": false, "unit": "document",
 "neighbours": "add_remove", "entries": [
  {"label": "", "noise": {"kind": "dominating_pair", "with": $2, "without": $3}, "sampling": {"kind": "all_units"}, "count": 1},
  {"label": "", "noise": {"kind": "laplace", "multiplier": 1}, "sampling": {"kind": "all_units"}, "count": 1}]}
END
}
own pair.json '[0.6, 0.4]' '[0.4, 0.6]'
run 0 account pair.json
tells 'taken on the word of whoever wrote the ledger'
own disjoint.json '[1, 0]' '[0, 1]'
run 0 account disjoint.json --epsilon 1 --plot curve.svg
tells 'At epsilon = 1, delta is at most 1\.'
grep -q 'more than inf' log/out && fail "nothing is more than infinity"
own cut.json '[0.6, 0.3999999999]' '[0.4, 0.6]'
refused 1 account cut.json
because 'needs an outcome that only this law has'

# Choosing among fits costs, and it says so where people choose.
run 0 evaluate a letters.txt
tells 'Choosing costs'
run 0 evaluate --help
tells 'Choosing costs'
grep -q 'looked at and not published' a/report.html || fail "the report does not say so"

# A damaged book is refused, and nothing is released.
head -c 900 letters.book >cut.book
refused 1 fit letters.txt --topics 2 --epsilon 0.01 --book cut.book --output c
refused 1 account cut.book
sed 's/"unit"/"units"/' letters.book >edited.book
refused 1 fit letters.txt --topics 2 --epsilon 0.01 --book edited.book --output c
because 'expected a member "unit" in the book'
ln letters.book twin.book
refused 1 fit letters.txt --topics 2 --epsilon 0.01 --book letters.book --output c
because 'second name'
rm twin.book
ln -s users.book link.book
run 0 fit letters.txt --topics 2 --units 150 --users users.txt --book link.book --output users2
[ -L link.book ] && [ "$(entries users.book)" = 2 ] || fail "a link was not followed to the one book"

# A full disk, and a write-protected folder: there is no release, and the book is unchanged.
mkdir disk
run 0 book disk/small.book
cp disk/small.book kept
unwritable() { # unwritable COMMAND WHY: runs a fit after the command, where the book cannot be written
  # shellcheck disable=SC2016  # these are the inner shell's
  sh -c "$1"' && exec "$@"' sh "$program" fit letters.txt --topics 2 --book disk/small.book --output c 2>&1 |
    cat >log/err
  because "$2"
  [ ! -e c ] || fail "it was released: $1"
  cmp -s disk/small.book kept || fail "the book was changed: $1"
  [ ! -e disk/small.book.new ] || fail "it left something behind: $1"
}
unwritable 'trap "" XFSZ && ulimit -f 0' 'could not be written'
if [ "$(id -u)" != 0 ]; then
  chmod a-w disk
  unwritable 'rm -f disk/small.book.lock' 'Permission denied'
  chmod u+w disk
fi
if unshare -rm sh -c 'mount -t tmpfs tmpfs disk' 2>/dev/null; then # where that is permitted, real ones
  tmpfs() { # tmpfs OPTIONS COMMAND: a fit with a book on a small disk
    unshare -rm sh -c 'mount -t tmpfs -o "$1" tmpfs disk && cp kept disk/small.book && eval "$2" && shift 2 && "$@"
      cmp disk/small.book kept' sh "$1" "$2" "$program" fit letters.txt --topics 2 --book disk/small.book --output c \
      >log/out 2>log/err || fail "the book was changed: $2"
    [ ! -e c ] || fail "it was released: $2"
  }
  tmpfs size=64k ': >disk/small.book.lock; dd if=/dev/zero of=disk/rest bs=4k 2>/dev/null; :'
  because 'No space left on device'
  tmpfs size=64k ': >disk/small.book.lock; mount -o remount,ro disk'
  because 'Read-only file system'
fi

# A release whose plan counted on an earlier one says what it assumes.
cp -r d later
sed 's/"seeded": false$/"seeded": false, "assumes_fixed_plans": true/' d/release.json >later/release.json
run 0 account d
tr -s ' \n' '  ' <log/out | grep -q 'assumes that no budget' && fail "a release by itself assumes nothing"
for command in account topics; do
  run 0 $command later
  tells 'It assumes that no budget, no option, and no decision to make a further release'
done
run 0 account later --json
tells '"assumes_fixed_plans": true'
run 0 report later --output later.html
grep -q 'It assumes that no budget' later.html || fail "the page does not say what is assumed"

# Without a limit, the total is a price, and it says what that assumes.
run 0 fit nowhere --topics 2 --units 150 --users users.txt --book users.book --dry-run
tells 'together cost epsilon = .*; with this one, epsilon = .* It assumes that no budget'
run 0 fit nowhere --topics 2 --units 150 --users users.txt --book users.book --dry-run --json
json
tells '"assumes_fixed_plans": true'

# Two fits at once; the limit admits one of them.
run 0 book one.book --limit 1 --delta 1e-6
for name in f g; do
  { code=0; "$program" fit letters.txt --topics 2 --epsilon 0.9 --delta 1e-6 --book one.book --output $name \
      >/dev/null 2>&1 || code=$?; echo $code >$name.code; } &
done
wait
[ "$(cat f.code g.code | sort | tr '\n' ' ')" = '0 2 ' ] || fail "not one of two was admitted: $(cat f.code g.code)"
[ "$(entries one.book)" = 1 ] || fail "not one entry"
# Without a limit, all are admitted.
run 0 book both.book
for name in h i j; do
  "$program" fit letters.txt --topics 2 --book both.book --output $name >/dev/null 2>&1 &
done
wait
[ "$(entries both.book)" = 3 ] && [ -d h ] && [ -d i ] && [ -d j ] || fail "not all of three were booked"

# A fit that is interrupted after it was booked stays in the book, and says so.
documents 20000 >many.txt
run 0 book stopped.book
"$program" fit many.txt --topics 300 --book stopped.book --output stopped >log/out 2>log/err &
fit=$!
tries=0
until [ "$(entries stopped.book)" = 1 ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || fail "it was never booked"
  sleep 0.05
done
kill -TERM "$fit"
code=0
wait "$fit" || code=$?
[ "$code" = 130 ] || fail "exit code $code"
because 'interrupted; nothing was written and no result was shown, but the release was in the book'
[ ! -e stopped ] || fail "it left something behind"

sh "$here/book_crashes.sh" "$program" 25

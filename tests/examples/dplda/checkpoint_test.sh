#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# checkpoint_test.sh PROGRAM: a fit that is killed goes on from its last step, booked once, with the planned ledger.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

documents 10000 >letters.txt
run 0 book letters.book
because() { grep -q -- "$1" log/err || fail "it does not say why: $1"; }
entries() { grep -c '"id"' letters.book || true; }

# start ARGUMENT...: kills a fit of these options when a step was kept.
killed_fit() {
  "$program" fit letters.txt --topics 100 --units 10000 --epsilon 4 --checkpoint kept "$@" >log/out 2>log/err </dev/null &
  fit=$!
  tries=0
  until ls kept 2>/dev/null | grep -q '^state-[1-9]'; do
    tries=$((tries + 1))
    [ "$tries" -lt 2000 ] || fail "no step was kept"
    sleep 0.02
  done
  kill -9 "$fit"
  code=0
  wait "$fit" 2>/dev/null || code=$?
  [ "$code" = 137 ] || fail "it ended with $code before it was killed"
  rm -rf kept.lock kept/*.partial* # which the next run removes, whatever else it does
}

for engine in svi gibbs; do
  run 0 fit letters.txt --topics 100 --units 10000 --epsilon 4 --delta 1e-6 --engine $engine --output whole
  killed_fit --delta 1e-6 --engine $engine --book letters.book --output topics
  [ ! -e topics ] || fail "a release of a fit that was killed"
  before=$(entries)

  # It goes on with the same plan only, and says so. Its folder is as private as the documents.
  refused 2 fit letters.txt --topics 100 --units 10000 --epsilon 3 --engine $engine --book letters.book --checkpoint kept \
    --output topics
  because 'the checkpoint of another plan'
  refused 2 fit letters.txt --topics 100 --units 10000 --epsilon 4 --delta 1e-6 --engine $engine --checkpoint kept \
    --output topics
  because 'its release is in a budget book'
  sed 1d letters.txt >others.txt
  refused 2 fit others.txt --topics 100 --units 10000 --epsilon 4 --delta 1e-6 --engine $engine --book letters.book \
    --checkpoint kept --output topics
  because 'the checkpoint of a fit of other documents'
  rm others.txt
  [ -z "$(find kept -maxdepth 0 -perm /077 2>/dev/null)" ] || fail "others can read the checkpoint"
  run 0 fit letters.txt --topics 100 --units 10000 --epsilon 4 --delta 1e-6 --engine $engine --book letters.book \
    --threads 3 --checkpoint kept/ --output topics
  grep -q 'going on after step' log/err || fail "it began anew"
  [ ! -e kept ] || fail "the checkpoint is left behind"
  [ "$(entries)" = "$before" ] || fail "booked again"
  grep -q "\"id\": \"$(grep '"booked"' topics/release.json | cut -d '"' -f 4)\"" letters.book || fail "it is not in the book"
  ledger topics >log/one
  ledger whole | cmp -s - log/one || fail "another ledger than that of a whole fit"
  grep -q 'checkpoint CHECKPOINT' topics/release.json || fail "the name of the folder was published"
  run 0 topics topics
  rm -r topics whole
done

# Without a book; a state whose last write was cut off; one that is damaged.
killed_fit --output topics
refused 2 fit letters.txt --topics 100 --units 10000 --epsilon 4 --book letters.book --checkpoint kept --output topics
cp -r kept damaged
mkdir kept/state-29.partial0
run 0 fit letters.txt --topics 100 --units 10000 --epsilon 4 --checkpoint kept --output topics
printf x >>"$(ls damaged/state-*/phi.npy)"
refused 1 fit letters.txt --topics 100 --units 10000 --epsilon 4 --checkpoint damaged --output other

# What has no states, no fresh noise, or nothing to keep.
refused 2 fit letters.txt --topics 2 --units 10000 --engine spectral --checkpoint kept --output other
refused 2 fit letters.txt --topics 2 --units 10000 --seed 1 --checkpoint kept --output other
refused 2 fit letters.txt --topics 2 --non-private --checkpoint kept --output other
refused 2 fit letters.txt --topics 2 --dry-run --checkpoint kept
printf 'one\nt\377wo\n' >bad.txt
refused 1 fit bad.txt --topics 2 --units 10000 --checkpoint kept --output other
mkdir full
echo mine >full/file
refused 2 fit letters.txt --topics 2 --units 10000 --checkpoint full --output other
because 'not empty'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# audit_test.sh PROGRAM: from an attack to its ROC curve on the report's page.
. "$(dirname "$0")/common.sh"

documents 500 >letters.txt
printf '%s\n' ferry harbour gull anchor sail captain island storm bread baker flour oven >words.txt
awk 'BEGIN { for (i = 0; i < 200; ++i) print "rare" i }' >>words.txt
run 0 fit letters.txt --vocabulary words.txt --topics 2 --units 500 --output release

# A small attack says that it is too small, and which size would be enough.
run 0 audit letters.txt --vocabulary words.txt --topics 2 --units 500 --canaries 8
says 'too small to find anything against the claim'
says 'would have proven an epsilon of 0'
tr '\n' ' ' <log/out | tr -s ' ' >log/line # paragraphs are wrapped
grep -q -- 'about [1-9][0-9]* canaries' log/line || fail "it does not say how many canaries"
grep -q -- 'about [1-9][0-9]* runs' log/line || fail "it does not say how many runs"
run 0 audit letters.txt --vocabulary words.txt --topics 2 --units 500 --runs 100 --output runs.json
says 'found nothing against the claim'

# One run, to a file and as JSON; the curve and both epsilons reach the page.
run 0 audit letters.txt --vocabulary words.txt --topics 2 --units 500 --canaries 200 --json --seed 3 --output audit.json
json
cmp -s log/out audit.json || fail "JSON and file differ"
refused 1 audit letters.txt --vocabulary words.txt --topics 2 --output audit.json
for audit in audit runs; do
  run 0 report release --audit $audit.json --output $audit.html
  grep -q 'class="curve c0 d0" d="M' $audit.html || fail "no curve is drawn of $audit"
  grep -q 'class="bound" d="M' $audit.html || fail "the claim is not drawn"
  grep -q 'audited, at least' $audit.html || fail "no audited epsilon"
  grep -q 'not this very release, but a fit with the same settings' $audit.html || fail "the release itself looks attacked"
  grep -q 'Not releasable' $audit.html || fail "an audit looks releasable"
done
grep -q '100 members, 100 others' runs.html || fail "not all runs are on the curve"

# Damaged files and audits of another claim are refused, and no page is written.
damaged() { # damaged SED: a change of the audit
  sed "$1" audit.json >damaged.json
  ! cmp -s audit.json damaged.json || fail "nothing is damaged by $1"
  refused 1 report release --audit damaged.json --output damaged.html
  rm damaged.json
}
damaged 's/"audited": [^,]*/"audited": -1/'
damaged 's/"audited": [^,]*/"audited": 99/'
damaged 's/"audited": [^,]*/"audited": "infinity"/'
damaged 's/"claimed": [^,]*/"claimed": 3/'
damaged 's/"claimed": [^,]*/"claimed": null/'
damaged 's/"delta": [^,]*/"delta": 1e-3/'
damaged 's/"confidence": [^,]*/"confidence": 2/'
damaged 's/"confidence": [^,]*/"confidence": 1/'
damaged 's/"confidence": [^,]*/"confidence": 0/'
damaged 's/"refuted": false/"refuted": true/'
damaged 's/"method": /"methods": /'
damaged 's/"members": /"members": 1/'
damaged 's/"members": [0-9]*/"members": -1/'
damaged 's/"others": [0-9]*/"others": 0/'
damaged 's/"format": "dplda audit"/"format": "dplda"/'
damaged 's/"false_and_true_positives": \[/&[3,3],/'
damaged 's/"false_and_true_positives": \[/&[0],/'
head -c 300 audit.json >cut.json
refused 1 report release --audit cut.json --output cut.html
refused 1 report release --audit letters.txt --output none.html
run 0 audit letters.txt --vocabulary words.txt --topics 2 --units 500 --canaries 8 --epsilon 1 --output other.json
refused 1 report release --audit other.json --output other.html
grep -q 'another claim (epsilon = [0-9.]*, delta = 1e-06 for each document)' log/err || fail "it does not say which claim"
run 0 audit letters.txt --vocabulary words.txt --topics 2 --units 500 --canaries 8 --delta 1e-7 --output other.json --force
refused 1 report release --audit other.json --output other.html
for other in '--engine gibbs --topics 2 --units 500' '--topics 3 --units 500' '--topics 2 --units 400'; do
  # shellcheck disable=SC2086  # options are to be split
  run 0 audit letters.txt --vocabulary words.txt $other --canaries 8 --output other.json --force
  refused 1 report release --audit other.json --output other.html
  grep -q 'is an audit of other settings (' log/err || fail "it does not say that settings differ: $other"
done
damaged 's/"words": "a public list, taken on your word"/"words": "chosen privately"/'
grep -q 'other settings (words: "chosen privately"), and these topics have "a public list, taken on your word"' log/err || fail "it does not say which"
run 0 fit letters.txt --topics 2 --units 500 --output chosen
run 0 audit letters.txt --topics 2 --units 500 --canaries 8 --output chosen.json
run 0 report chosen --audit chosen.json --output chosen.html
grep -q 'next to nothing about the learning of topics' chosen.html || fail "it does not say what was not attacked"
run 0 fit letters.txt --vocabulary words.txt --topics 2 --non-private --output open
refused 1 report open --audit audit.json --output open.html

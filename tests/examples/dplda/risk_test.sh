#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# risk_test.sh PROGRAM: which documents topics give away.
. "$(dirname "$0")/common.sh"

# Two hundred letters of common words, and one that says a word of its own again and again: number 200.
documents 200 | sed 's/ zz[a-j]*$//' >letters.txt # without the names, which give each away
echo 'zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar' >>letters.txt
awk 'BEGIN { for (d = 0; d < 201; ++d) print "citizen" int(d / 2) }' >users.txt

run 0 risk letters.txt --non-private --topics 2 --shadows 16 --show 3 --seed 1 --output risk.json
grep -A 2 'Most at risk' log/out | grep -q 'document 200: [0-9.]* %' || fail "the odd one out is not found"
says 'not for release'
grep -q '"releasable": false' risk.json || fail "a list of risks looks releasable"
[ "$(grep -c '"document"' risk.json)" = 201 ] || fail "not all documents are listed"
run 0 risk letters.txt --non-private --topics 2 --shadows 16 --users users.txt --json --seed 1
json
says '"user": 100'

# With privacy, the odd one is no easier to find than the false accusations allow for.
run 0 risk letters.txt --epsilon 1 --units 200 --topics 2 --shadows 16 --seed 1 --json
json
found=$(sed -n 's/.*"members_found": \([0-9.e-]*\),.*/\1/p' log/out)
awk -v found="$found" 'BEGIN { exit !(found < 0.1) }' || fail "private topics give away $found of the documents"

# A training that goes on from a folder ends with the same numbers, and other settings are refused there.
run 0 risk letters.txt --non-private --topics 2 --shadows 16 --seed 1 --folder shadows --output first.json
rm shadows/shadow_3 shadows/shadow_8
run 0 risk letters.txt --non-private --topics 2 --shadows 16 --seed 1 --folder shadows --output second.json
cmp -s first.json second.json || fail "a training that was stopped ends otherwise"
cmp -s first.json risk.json || fail "a folder changes the result"
refused 1 risk letters.txt --non-private --topics 3 --shadows 16 --seed 1 --folder shadows --output third.json
refused 2 risk letters.txt --shadows 15
refused 1 risk letters.txt --non-private --shadows 16 --output risk.json

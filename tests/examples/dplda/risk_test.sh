#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# risk_test.sh PROGRAM: finds the documents that topics give away.
. "$(dirname "$0")/common.sh"

# Two hundred letters of common words, and one that says a word of its own again and again: number 200.
documents 200 | sed 's/ zz[a-j]*$//' >letters.txt # without the names, which give each away
echo 'zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar zanzibar' >>letters.txt
awk 'BEGIN { for (d = 0; d < 201; ++d) print "citizen" int(d / 2) }' >users.txt

run 0 risk letters.txt --non-private --topics 2 --shadows 32 --show 3 --seed 1 --output risk.json
grep -A 2 'Found more often than chance explains' log/out |
  grep -q 'document 200: [0-9.]* %, at least [0-9.]* % and at most [0-9.]* %' || fail "the odd one out is not found"
[ "$(grep -c '^  document' log/out)" = 1 ] || fail "chance alone is listed"
says 'not for release'
grep -q '"releasable": false' risk.json || fail "a list of risks looks releasable"
grep -q '"standing_out": 1,' risk.json || fail "not one document stands out"
grep -A 2 '"document": 200' risk.json | grep -q '"stands_out": true' || fail "the odd one out does not stand out"
[ "$(grep -c '"document"' risk.json)" = 201 ] || fail "not all documents have limits"
[ "$(grep -c '"found": null' risk.json)" = 200 ] || fail "chance alone has an estimate"
# The file names documents and users; what is printed for people does not.
grep -A 1 '"document": 200' risk.json | grep -q '"name": "line 201"' || fail "the file does not say where the document stands"
run 0 risk letters.txt --non-private --topics 2 --shadows 32 --users users.txt --seed 1 --output users.json
grep -A 1 '"user": 100' users.json | grep -q '"name": "citizen100"' || fail "the file does not name the user"
grep -q 'citizen' log/out && fail "a name is printed"
says 'users.json has their names'
run 0 risk letters.txt --non-private --topics 2 --shadows 32 --users users.txt --json --seed 1
json
says '"user": 100'

# If there are too few models, the output says so.
run 0 risk letters.txt --non-private --topics 2 --shadows 16 --seed 1
says 'No document stands out'
tr '\n' ' ' <log/out | tr -s ' ' >log/line # paragraphs are wrapped
grep -q 'none can stand out from fewer than 24 models (--shadows)' log/line || fail "it does not say how many are enough"

# With privacy, members are hardly found more often than the false-positive rate.
run 0 risk letters.txt --epsilon 1 --units 200 --topics 2 --shadows 16 --seed 1 --json
json
found=$(sed -n 's/.*"members_found": \([0-9.e-]*\),.*/\1/p' log/out)
awk -v found="$found" 'BEGIN { exit !(found < 0.1) }' || fail "private topics give away $found of the documents"

# Of a private fit, "document 41: 54.7 %" was listed where e^epsilon allows 7.4 %: an estimate of few models, sorted.
run 0 risk letters.txt --epsilon 2 --units 200 --topics 2 --shadows 32 --seed 1 --output private.json
grep -q '^  document' log/out && fail "chance is ranked"
says 'No document stands out'
says 'The guarantee allows at most 2\.[0-9]* % for each document'
grep -q '"standing_out": 0,' private.json || fail "somebody stands out of private topics"
grep '"separation"' private.json | grep -qv 'null' && fail "a separation is listed that cannot be told from chance"
sed -n 's/.*"found_at_least": \([0-9.e-]*\),/\1/p' private.json >log/least
[ "$(wc -l <log/least)" -eq 201 ] || fail "there are documents without limits"
awk '$1 > 0.0739 { exit 1 }' log/least || fail "a lower limit is above what the guarantee allows"
sed -n 's/.*"allowed_in_attack": \([0-9.e-]*\),/\1/p' private.json | grep -q '^0\.0[3-9]' || fail "no bound by the guarantee"

# A training continued from a folder gives the same numbers, and a folder of other settings is refused.
run 0 risk letters.txt --non-private --topics 2 --shadows 32 --seed 1 --folder shadows --output first.json
rm shadows/shadow_3 shadows/shadow_8
run 0 risk letters.txt --non-private --topics 2 --shadows 32 --seed 1 --folder shadows --output second.json
cmp -s first.json second.json || fail "a continued training gives other numbers"
cmp -s first.json risk.json || fail "a folder changes the result"
refused 1 risk letters.txt --non-private --topics 3 --shadows 32 --seed 1 --folder shadows --output third.json
refused 2 risk letters.txt --shadows 15
refused 1 risk letters.txt --non-private --shadows 16 --output risk.json

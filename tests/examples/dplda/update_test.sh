#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# update_test.sh PROGRAM: next month's letters.
. "$(dirname "$0")/common.sh"

documents 3000 >letters.txt
head -1000 letters.txt >january.txt
sed -n 1001,2000p letters.txt >february.txt
tail -1000 letters.txt >march.txt

run 0 fit january.txt --topics 2 --units 1000 --output january
[ -s january/counts.npy ] || fail "the counts to go on from are missing"

# Other documents, by a public rule: they pay for themselves alone, and words and numbers stay.
run 0 update january february.txt --units 1000 --epsilon 1 --disjoint 'received in February' --output february
tells 'all parts together cost it at most epsilon = 2'
says 'differential privacy holds for each document'
cmp -s january/vocabulary.txt february/vocabulary.txt || fail "the words changed"
grep -q '"assumes_fixed_plans": true' february/release.json && fail "it counts a release of other documents"
grep -q 'received in February' february/release.json || fail "the rule is not recorded"
grep -q 'received in February' february/report.html || fail "the rule is not in the report"
grep -q "those of the earlier topics" february/release.json || fail "it does not say where the words come from"
grep -q 'dplda update RELEASE INPUT' february/release.json || fail "no command to reproduce it"
# February's ledger lacks January's, so its guarantee is for February, wherever it is shown and whatever is made of it.
grep -q '"part": "received in February"' february/release.json || fail "the part is not in the guarantee"
grep -q 'This holds for one part of the data only' february/report.html || fail "the part is not in the report"
grep -q '"part"' january/release.json && fail "the first release is of one part"
run 0 account february
tells 'This holds for one part of the data only (received in February)'
run 0 account january
tr -s " \n" "  " <log/out | grep -q "one part of the data" && fail "the first release is of one part"
refused 2 prevalence february letters.txt --units 2000 --output no
grep -q "received in February" log/err || fail "it does not say how to declare the part"
refused 2 prevalence february february.txt --units 1000 --part 'received in March' --output no
refused 2 prevalence january january.txt --units 1000 --part 'received in January' --output no
run 0 prevalence february february.txt --units 1000 --part 'received in February' --output shares
grep -q '"part": "received in February"' shares.json || fail "shares lost the part"
run 0 update february march.txt --units 1000 --epsilon 1 --disjoint 'received in March' --output march
# January was the dearest part, and stays it.
run 0 update march letters.txt --units 1000 --epsilon 1 --disjoint 'received in April' --dry-run
tells 'all parts together cost it at most epsilon = 2'
refused 2 update march letters.txt --units 1000 --epsilon 9 --output no
grep -q 'was made of documents that are in no part before it' log/err || fail "losses of January are left out"
boats() { grep "^topic 0:" log/out | grep -oE 'ferry|harbour|gull|anchor|sail|captain|island|storm' | wc -l; }
run 0 topics january --words 8
first=$(boats)
run 0 topics march --words 8
[ "$first" = "$(boats)" ] || fail "topics changed their numbers"

# What all of it costs: a document the dearest part, a person in all parts the sum.
run 0 account january february march
tells 'all of them together cost at most epsilon = 2'
tells 'somebody who has a document in every part'
tells 'if the budgets were fixed beforehand'
tr -s " \n" "  " <log/out | grep -q "one part of the data" && fail "all parts are counted"
run 0 account january february march --json
json
says '"each_part"'
run 0 update january march.txt --units 1000 --disjoint 'received in March' --output branch
run 0 account january february branch
tr -s " \n" "  " <log/out | grep -q "of disjoint parts" && fail "two releases that go on from one may be of the same documents"
:

# People may have written before: both releases are paid from one budget, and from one book.
run 0 book letters.book --limit 6 --delta 1e-5
run 0 fit january.txt --topics 2 --units 1000 --epsilon 1.5 --delta 1e-7 --book letters.book --output booked
run 0 update booked february.txt --units 1000 --epsilon 3 --delta 1e-6 --book letters.book --output after
tells 'covers the earlier release, too'
grep -q '"assumes_fixed_plans": true' after/release.json || fail "it does not say what it assumes"
run 0 account letters.book booked after
tells 'is counted once'
says '2 releases'

# What does not fit is refused, and nothing is spent.
refused 2 update january february.txt --topics 3 --output no
refused 2 update january february.txt --units 1000 --epsilon 2 --delta 1e-6 --output no
refused 2 update january february.txt --engine spectral --disjoint February --output no
refused 2 update january february.txt --disjoint ' ' --output no
refused 1 update nowhere february.txt --disjoint February --output no
rm january/counts.npy
refused 2 update january february.txt --disjoint February --output no
grep -q 'without their noisy counts' log/err || fail "it does not say what is missing"
run 0 update february march.txt --disjoint 'in March' --dry-run --json
json

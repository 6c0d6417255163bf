#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# prevalence_test.sh PROGRAM: shares of topics in groups, their price, files and page.
. "$(dirname "$0")/common.sh"

documents 3000 >letters.txt # boats in every second, bread in the others
printf '%s\n' ferry harbour gull anchor sail captain island storm bread baker flour oven roll butter morning shop >words.txt
# January has boats only, February both, March bread only. April is not in the public list, and May has no letter.
awk 'BEGIN { for (d = 0; d < 3000; ++d) print d % 10 == 9 ? "April" : d % 3 == 0 ? "February" : d % 2 ? "January" : "March" }' >labels.txt
printf 'January\nFebruary\nMarch\nMay\n' >months.txt

run 0 fit letters.txt --epsilon 2 --units 3000 --topics 2 --vocabulary words.txt -o topics --seed 3
refused 2 prevalence topics letters.txt --labels labels.txt
refused 2 prevalence topics letters.txt --unit user
refused 2 prevalence topics letters.txt --ordered
head -5 labels.txt >short.txt
refused 1 prevalence topics letters.txt --labels short.txt --groups months.txt

run 0 prevalence topics letters.txt --epsilon 1 --units 3000 --dry-run
tells 'beside the topics'
tells 'Together with the topics'
tells 'a group of 1000 documents: '
ls prevalence.* 2>/dev/null && fail "a dry run writes"

run 0 prevalence topics letters.txt --labels labels.txt --groups months.txt --ordered --epsilon 1 --units 3000 --seed 4 -o months
says 'May: too few to tell'
says 'NOT PRIVATE'
# The topic of boats: nearly all of January, and hardly any of March.
awk -F, 'NR > 1 && $1 == "January" && $5 > 0.8 { boats = $4 } { share[$1, $4] = $5 }
  END { exit !(share["March", boats] < 0.2 && share["February", boats] > 0.35 && share["February", boats] < 0.65) }' \
  months.csv || fail "the shares are wrong"
grep -q April months.csv months.json months.html && fail "a group that is not public is shown"
grep -q '^May,[-0-9.]*,no,0,' months.csv || fail "a group without letters tells something"
grep -q 'class="trend"' months.html || fail "there is no trend"
grep -q '"releasable": false' months.json || fail "noise from a seed is releasable"
refused 1 prevalence topics letters.txt --epsilon 1 -o months

# Without groups: the shares of all. A book counts what is added.
run 0 fit letters.txt --epsilon 2 --units 3000 --topics 2 --vocabulary words.txt -o paid
run 0 book letters.book --limit 3 --delta 1e-5
run 0 prevalence paid letters.txt --epsilon 0.5 --units 3000 --book letters.book --json
json
says '"releasable": true'
grep -q '"booked": "' prevalence.json || fail "it is not booked"
run 0 account letters.book
refused 2 prevalence paid letters.txt --epsilon 5 --units 3000 --book letters.book -o more
grep -q 'How large the topics are' prevalence.html || fail "the page has no shares"
# The page's guarantee covers topics and shares.
grep -A 5 '"guarantee"' prevalence.json | grep -q '"epsilon": 2\.[0-9]' || fail "the guarantee does not cover both"

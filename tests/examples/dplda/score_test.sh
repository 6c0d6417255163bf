#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# score_test.sh PROGRAM: the private score of topics, its price, file and book, beside scores without noise.
. "$(dirname "$0")/common.sh"

documents 3000 >letters.txt # boats in every second, bread in the others
printf '%s\n' ferry harbour gull anchor sail captain island storm bread baker flour oven roll butter morning shop >words.txt
run 0 fit letters.txt --epsilon 2 --units 3000 --topics 2 --vocabulary words.txt -o topics
run 0 book letters.book --limit 3.5 --delta 1e-5

run 0 evaluate topics letters.txt --epsilon 0.5 --units 3000 --dry-run --book letters.book
tells 'It admits this release'
tells 'the 95 % interval of a gain near 0 reaches 0.0'
says 'nothing was read and nothing was spent'
ls score.json 2>/dev/null && fail "a dry run writes"
grep -q '"what": "score"' letters.book && fail "a dry run is booked"

# A letter has words of one kind only. Half of its words tell that the others are among the rest of eight words and not of
# sixteen: log(12 / 4), about 1, at most.
run 0 evaluate topics letters.txt --epsilon 0.5 --units 3000 --coherence-words 5 --json --seed 1 -o seeded.json
json
says '"releasable": false'
# Words of a kind are in every second letter, so two of them are together about twice as often as by chance.
grep -A 3 '"first_words_together"' log/out | grep -q '"lift": \(1\.[5-9]\|2\.[0-4]\)' || fail "the first words are not together"
gain=$(sed -n 's/.*"gain": \([-0-9.e]*\),.*/\1/p' log/out)
awk -v gain="$gain" 'BEGIN { exit !(gain > 0.5 && gain <= 1) }' || fail "the gain is $gain"

# A release, once booked. Its guarantee covers the topics too.
run 0 evaluate topics letters.txt --epsilon 0.5 --units 3000 --book letters.book
tells 'Its topics make them more probable'
tells 'no forecast for others'
tells "two of a topic's first 10 words are in one document"
says 'Written to score.json'
grep -q '"releasable": true' score.json || fail "it is not releasable"
grep -q '"booked": "' score.json || fail "it is not booked"
grep -A 5 '"guarantee"' score.json | grep -q '"epsilon": 2\.[0-9]' || fail "the guarantee does not cover both"
grep -q 'score' letters.book || fail "the book does not have it"
run 0 account letters.book
cp letters.book before.book
refused 1 evaluate topics letters.txt --epsilon 0.5 --units 3000 --book letters.book # score.json is there
refused 2 evaluate topics letters.txt --epsilon 5 --units 3000 --book letters.book -o more.json
refused 2 evaluate topics letters.txt --epsilon 0.1 --units 3000 --book letters.book -o more.json --seed 1
cmp -s letters.book before.book || fail "what was refused is in the book"

# Options of one kind of score do not go with the other.
refused 2 evaluate topics letters.txt --book letters.book
refused 2 evaluate topics letters.txt --dry-run
refused 2 evaluate topics letters.txt --units 3000
refused 2 evaluate topics letters.txt --epsilon 1 --unit user -o more.json
run 0 fit letters.txt --non-private --topics 2 -o exact
refused 1 evaluate exact letters.txt --epsilon 1 -o more.json
# Without --epsilon, scores are exact, and not for release.
run 0 evaluate topics letters.txt
says 'perplexity'
tells 'not for release'
run 0 evaluate --help
tells 'Score with noise'

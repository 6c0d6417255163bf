#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# phrases_test.sh PROGRAM: topics of words and phrases from one budget, and every command that reads them; the number of
# topics by the public rule.
. "$(dirname "$0")/common.sh"

# "new york city" in every second text, "old harbour" in the others, and a name in each.
awk 'BEGIN { for (d = 0; d < 4000; ++d) {
  name = "zz"; n = d; do { name = name sprintf("%c", 97 + n % 26); n = int(n / 26) } while (n > 0)
  print (d % 2 ? "bread new york city rolls " : "gull old harbour ferry ") name } }' >letters.txt
awk 'BEGIN { for (d = 0; d < 4000; ++d) print (d % 2 ? "2024-01" : "2024-02") }' >months.of.txt
printf '2024-01\n2024-02\n' >months.txt

run 0 fit letters.txt --phrases 3 --topics 2 --epsilon 4 --units 4000 --dry-run
tells 'words: and phrases of up to 3 words, chosen privately'
says 'epsilon = 4, delta = 1e-06'
run 0 fit letters.txt --phrases 3 --topics 2 --epsilon 4 --units 4000 --seed 1 -o topics
for phrase in new_york york_city new_york_city old_harbour; do
  grep -qx $phrase topics/vocabulary.txt || fail "$phrase is missing"
done
grep -q zz topics/vocabulary.txt && fail "a name was released"
grep -q '"words in a phrase, at most": 3' topics/release.json || fail "the release does not say that it has phrases"
grep -q 'words in a phrase, at most' topics/report.html || fail "the page does not say that there are phrases"
# One ledger with the selection's three rounds, and one price.
run 0 account topics
says 'epsilon = 4'
# The phrases are in a topic with their words.
run 0 topics topics
grep new_york_city log/out | grep -q bread || fail "a phrase is not beside its words"

# Other commands cut their documents into the same phrases.
printf 'new york city\nnew bread york\n' >two.txt
run 0 infer topics two.txt -o two.csv
cut -d, -f1-4 two.csv >log/two
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i ~ /known/) known = i } NR > 1 { print $known }' two.csv >log/known
# three words and one phrase; and three words
printf '4\n3\n' | cmp -s - log/known || fail "the phrases were not counted: $(tr '\n' ' ' <log/known)"
run 0 evaluate topics letters.txt
run 0 evaluate topics letters.txt --epsilon 1 --units 4000 --seed 2 -o score.json
run 0 prevalence topics letters.txt --labels months.of.txt --groups months.txt --epsilon 1 --units 4000 --seed 2 -o months
awk -F, 'NR > 1 { share[$1, $4] = $5; low = share["2024-01", $4]; if ($1 == "2024-02" && (low - $5 > 0.5 || $5 - low > 0.5)) told = 1 }
  END { exit !told }' months.csv || fail "the shares do not tell January from February"

# Words, phrases, topics and shares in one command and one guarantee.
run 0 fit letters.txt --phrases 2 --topics 2 --epsilon 5 --units 4000 --labels months.of.txt --groups months.txt -o all
grep -q '"epsilon": 5' all/release.json || grep -q '"epsilon": 4.9' all/release.json || fail "the guarantee is not for all"
[ -e all/prevalence.csv ] || fail "the shares are missing"
grep -qx new_york_city all/vocabulary.txt && fail "a phrase is too long"

# Next month's letters are cut likewise.
run 0 fit letters.txt --phrases 2 --topics 2 --epsilon 4 --units 4000 -o january
run 0 update january letters.txt --epsilon 4 --units 4000 --disjoint 'received in February' -o february
cmp -s january/vocabulary.txt february/vocabulary.txt || fail "update changed the words"
grep -q '"words in a phrase, at most"' february/release.json || fail "update forgot that there are phrases"

# What has no order of words, or knows words alone, is refused.
printf '2\n3\n3\n1 1 1\n1 2 1\n2 3 1\n' >docword.counts.txt
printf 'new\nyork\nbread\n' >vocab.counts.txt
refused 2 fit docword.counts.txt --unpruned --phrases 2 -o none
grep -q 'have lost the order of words' log/err || fail "the refusal does not say why"
refused 2 infer topics docword.counts.txt
refused 2 fit letters.txt --phrases 2 --non-private -o none
refused 2 fit letters.txt --phrases 2 --vocabulary vocab.counts.txt -o none
refused 2 fit letters.txt --phrases 2 --public two.txt -o none
refused 2 fit letters.txt --phrases 0 -o none
refused 2 update january letters.txt --phrases 2 -o none
# Without phrases a release says nothing of them.
run 0 fit letters.txt --topics 2 --units 4000 -o words
grep -q 'words in a phrase' words/release.json && fail "a release of words says that it has phrases"

# The number of topics by the public rule: it follows from --units and --epsilon, costs nothing, and is on the page.
run 0 fit nowhere --topics auto --units 100000 --epsilon 2 --dry-run --json
says '"topics": 14'
says 'by a public rule, from the units and epsilon, at no cost'
run 0 fit nowhere --topics auto --units 20000 --epsilon 2 --dry-run
says 'Topics: 6, by a public rule, at no cost'
run 0 fit letters.txt --topics auto --units 4000 --epsilon 3 --seed 5 -o auto
grep -q '"topics": 5' auto/release.json || fail "the rule is not kept"
grep -q 'by a public rule' auto/report.html || fail "the page does not say how the number of topics was chosen"
run 0 fit letters.txt --topics 5 --units 4000 --epsilon 3 --seed 5 -o five
cmp -s auto/phi.npy five/phi.npy || fail "auto is not the number that it says"
grep -q 'stated, or the default, before any document was read' five/report.html || fail "the page does not say who chose"
refused 2 fit letters.txt --topics auto --non-private -o none
refused 2 fit letters.txt --topics many -o none
refused 2 fit letters.txt --topics 0 -o none
refused 2 fit letters.txt --topics 1001 -o none

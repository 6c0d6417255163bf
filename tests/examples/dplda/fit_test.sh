#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fit_test.sh PROGRAM: from text to topics, and all commands that use them.
. "$(dirname "$0")/common.sh"

documents 2003 >letters.txt
mkdir letters
split -l 1 -a 3 letters.txt letters/letter-
awk 'BEGIN { for (d = 0; d < 2003; ++d) print "citizen" int(d / 2) }' >users.txt

# A dry run needs no documents and writes nothing.
run 0 fit nowhere --dry-run --topics 2 --output dry
says 'epsilon = 2, delta = 1e-09'
says 'about 10000 documents (the default, as --units is not given)'
says 'What to expect'
[ ! -e dry ] || fail "a dry run wrote something"
run 0 fit nowhere --dry-run --topics 2 --json
json
mkdir there
run 0 fit nowhere --dry-run --topics 2 --units 10000 --output there
says 'epsilon = 2, delta = 5e-07'
run 0 fit nowhere --dry-run --topics 2 --units 1000000 --delta 1e-6 --json
says 'Delta is not far below one over the number of documents'
run 0 fit nowhere --dry-run --topics 2 --delta 0.001
says 'Weak: Delta is large, and nobody said how many documents there are'

# The forecast says plainly what is not to be expected. (It used to promise good topics, or frequent words, here.)
run 0 fit nowhere --dry-run --units 3000 --epsilon 2
tells '(the default, as --length is not given)'
tells 'Expect no more than word frequencies'
tr '\n' ' ' <log/out | grep -qE 'come out well|good topics|some topics' && fail "topics were promised of too little"
run 0 fit nowhere --dry-run --units 100 --epsilon 0.5 --length 40
tells 'no word will be released'
grep -q 'will find their topics' log/out && fail "topics were promised where no word is released"
run 0 fit nowhere --dry-run --units 100 --epsilon 0.5 --json
json
says '"verdict": "no words"'
run 0 fit nowhere --dry-run --units 300000 --epsilon 8 --topics 5 --length 80
tells 'Expect good topics, if the texts have topics'
run 0 fit nowhere --dry-run --units 300000 --engine spectral
tells 'There is no forecast of topics for this engine'
refused 2 fit nowhere --dry-run --length 0

# A folder of texts, and the same texts in a file: the same seed gives the same topics.
run 0 fit letters --topics 2 --units 2000 --seed 7 --output a
says 'NOT PRIVATE: the noise came from a known seed'
says 'Each file of the folder is one document'
run 0 fit letters.txt --topics 2 --units 2000 --seed 7 --threads 1 --output b
cmp -s a/phi.npy b/phi.npy || fail "a folder and a file give different topics"
gzip -k letters.txt
run 0 fit letters.txt.gz --topics 2 --units 2000 --seed 7 --output c
cmp -s a/phi.npy c/phi.npy || fail "a gzipped file gives different topics"

# Private by default: words of a single document are not shown, and the output states the guarantee.
run 0 fit letters.txt --topics 2 --units 2000 --output private
says 'Spent: the whole of epsilon = '
grep -q '^zz' private/vocabulary.txt && fail "a name was released"
grep -q ferry private/vocabulary.txt || fail "a frequent word is missing"
grep -q '"releasable": true' private/release.json || fail "the release does not say that it is one"
grep -q '"weaknesses": \[\]' private/release.json || fail "a strong promise looks weak"
# Only as a separate number: among the digits of others, or in checksums, it may occur by chance.
grep -qE '(^|[^0-9a-f.])2003([^0-9a-f.]|[.]([^0-9]|$)|$)' log/out log/err private/*.json private/*.html private/*.txt &&
  fail "the number of documents was told"
grep -q letters private/* && fail "the name of a file was published"
grep -q 'dplda fit INPUT --topics 2 --units 2000 --output FOLDER' private/report.html || fail "no command to reproduce it"
run 0 fit letters.txt --topics 2 --delta 0.001 --output weak --json
says 'Delta is large, and nobody said how many documents there are'
for file in release.json report.html; do
  grep -q 'Delta is large' weak/$file || fail "a weak promise looks strong in $file"
done
run 0 topics private --words 8
for k in 0 1; do # every topic is about boats or about bread
  line=$(grep "^topic $k:" log/out)
  boats=$(echo "$line" | grep -oE 'ferry|harbour|gull|anchor|sail|captain|island|storm' | wc -l)
  [ "$boats" -le 1 ] || [ "$boats" -ge 7 ] || fail "topic $k is mixed"
done
says 'differential privacy holds for each document'

# Documents whose words are drawn by chance have no topics, and the release says so; with two sorts of words it does not.
# by_chance SORTS: 2000 documents of 40 words, drawn from the 200 / SORTS words of one sort.
by_chance() {
  awk -v sorts="$1" 'BEGIN {
    srand(5)
    for (d = 0; d < 2000; ++d) {
      line = ""
      for (n = 0; n < 40; ++n) {
        w = int(rand() * 200 / sorts) + d % sorts * 200 / sorts
        line = line " " substr("bcdfghjklmnpqrstvwxz", w % 20 + 1, 1) "a" substr("bcdfghjklm", int(w / 20) + 1, 1) "us"
      }
      print line
    }
  }'
}
by_chance 1 >chance.txt
by_chance 2 >sorts.txt
run 0 fit chance.txt --topics 2 --units 2000 --length 40 --seed 3 --output chance
tells 'do not clearly stand out from noise'
grep -q '"topics_stand_out": false' chance/release.json || fail "the release does not say that topics do not stand out"
grep -q 'do not clearly stand out from noise' chance/report.html || fail "the report does not say it"
run 0 report chance --output chance.html
grep -q 'do not clearly stand out from noise' chance.html || fail "a later report does not say it"
run 0 fit sorts.txt --topics 2 --units 2000 --length 40 --seed 3 --output sorts
grep -q '"topics_stand_out": true' sorts/release.json || fail "clear topics do not stand out"
grep -q 'stand out from noise' log/out sorts/report.html && fail "it speaks of noise where topics are clear"
grep -q '"topics_stand_out": null' private/release.json || fail "it judges documents of too few words"
grep -q 'Not compared with noise' private/report.html || fail "the report does not say that nothing was compared"

# Users, engines, public words.
run 0 fit letters.txt --users users.txt --topics 2 --units 1000 --engine gibbs --output users --json
json
says '"unit": "user"'
for input in letters letters.txt; do # users are in the order of a folder's sorted file names, or of the lines
  run 0 fit "$input" --users users.txt --topics 2 --units 1000 --seed 7 --output "of-$input"
done
cmp -s of-letters/phi.npy of-letters.txt/phi.npy || fail "users are those of other documents in a folder"
printf '%s\n' ferry harbour gull anchor bread baker flour oven >words.txt
run 0 fit letters.txt --vocabulary words.txt --topics 2 --engine spectral --output spectral
cmp -s words.txt spectral/vocabulary.txt || fail "the public words are not those of the model"
run 0 fit letters.txt --non-private --topics 2 --output open
says 'NOT PRIVATE'
grep -q '"releasable": false' open/release.json || fail "a fit without privacy looks like a release"

grep -q 'taken on your word' spectral/release.json || fail "release.json does not say whose word the list is taken on"
grep -q 'taken on your word' spectral/report.html || fail "the report does not say whose word the list is taken on"

# Public text is named, and is not the documents.
sed 's/ferry/boat/' letters.txt | head -n 500 >news.txt
mkdir books && cp news.txt books/one.txt
run 0 fit letters.txt --topics 2 --units 2000 --public news.txt --public=books --seed 5 --output helped
for file in helped/release.json helped/report.html; do
  grep -q 'news.txt, books, taken on your word' $file || fail "$file does not name the public texts"
  grep -q -- '--public PUBLIC_TEXT --public=PUBLIC_TEXT' $file || fail "$file has no command without paths"
done
run 0 fit letters.txt --topics 2 --units 2000 --seed 5 --output unhelped
cmp -s helped/phi.npy unhelped/phi.npy && fail "public text changes nothing"
for engine in svi gibbs; do run 0 fit nowhere --dry-run --topics 2 --engine $engine --public nowhere.txt; done
refused 2 fit letters.txt --topics 2 --engine spectral --public news.txt --output own
refused 2 fit letters.txt --topics 2 --non-private --public news.txt --output own
refused 1 fit letters.txt --topics 2 --public nowhere.txt --output own
for same in letters.txt ./letters.txt .; do refused 2 fit letters.txt --topics 2 --public $same --output own; done
# Public topics, as a fit of public text without privacy wrote them.
run 0 fit news.txt --non-private --topics 3 --output press
run 0 fit letters.txt --units 2000 --public news.txt --public-topics press --output guided
for file in guided/release.json guided/report.html; do
  grep -q 'press, taken on your word' $file || fail "$file does not name the public topics"
  grep -q 'The public topics seem to fit the documents, and were used' $file || fail "$file does not tell that they were used"
done
grep -q '"topics_stand_out": null' guided/release.json || fail "it judges topics that stay near public ones"
run 0 topics guided --json
[ "$(grep -o '"words"' log/out | wc -l)" -ge 3 ] || fail "there are not as many topics as public ones"
refused 2 fit letters.txt --topics 2 --public-topics press --output own
refused 2 fit letters.txt --public-topics helped --output own
grep -q 'at a cost that would be left out' log/err || fail "it does not say why"
refused 2 fit letters.txt --engine spectral --public-topics press --output own
refused 1 fit letters.txt --public-topics nowhere --output own
cp letters.txt copied.txt
refused 2 fit letters.txt --vocabulary words.txt --topics 2 --public copied.txt --output own
grep -q 'must be another text' log/err || fail "it does not say why"

# The exact number of documents is private, so a rounded one is published, even if it was stated exactly.
for units in '--units 2003' '--units=2003'; do
  # shellcheck disable=SC2086  # one or two words
  run 0 fit letters.txt --topics 2 $units --output counted
  says 'about 2000 documents, rounded'
  grep -q -- '--units[ =]2000' counted/report.html || fail "the command has no rounded number"
  grep -qE '(^|[^0-9a-f.])2003([^0-9a-f.]|[.]([^0-9]|$)|$)' counted/*.json counted/*.html && fail "the exact number was published"
  rm -r counted
done
run 0 fit nowhere --dry-run --topics 2 --units 123456 --json
cp log/out rounded.json
run 0 fit nowhere --dry-run --topics 2 --units 120000 --json
cmp -s log/out rounded.json || fail "the plan tells more of the number than two digits"

# Counts of words.
printf '3\n4\n4\n1 1 2\n2 2 1\n2 3 1\n3 4 5\n' >docword.tiny.txt
printf '%s\n' ferry harbour bread baker >vocab.tiny.txt
# The list that comes with counts was made from the documents, whatever its name.
refused 2 fit docword.tiny.txt --unpruned --vocabulary vocab.tiny.txt --topics 2 --output own
grep -q 'lists the words of the documents themselves' log/err || fail "it does not say why"
ln -s vocab.tiny.txt linked.txt
sort -r vocab.tiny.txt >dictionary.txt
for list in linked.txt dictionary.txt; do refused 2 fit docword.tiny.txt --unpruned --vocabulary $list --topics 2 --output own; done
echo anchor >>dictionary.txt
# Counts do not tell whether they were pruned, so somebody must.
for command in 'fit --vocabulary dictionary.txt --topics 2' 'fit --dry-run' vocabulary 'vocabulary --dry-run'; do
  # shellcheck disable=SC2086  # several words
  refused 2 $command docword.tiny.txt --output own
  grep -q 'say so with --unpruned' log/err || fail "it does not say why"
done
refused 2 fit letters.txt --unpruned --topics 2 --output own
run 0 fit docword.tiny.txt --dry-run --unpruned --vocabulary dictionary.txt --topics 2
tells 'taken on your word (--unpruned)'
run 0 fit docword.tiny.txt --non-private --topics 2 --output bare # which claims nothing
run 0 fit docword.tiny.txt --unpruned --vocabulary dictionary.txt --topics 2 --output own
grep -q '"counts": "no word left out because of other documents, taken on your word"' own/release.json || fail "it does not say what is assumed of counts"
grep -q 'stop words' own/release.json && fail "it names stop words, which are not dropped from counts"
run 0 evaluate private docword.tiny.txt
says 'perplexity'
printf '1 0:2\n2 1:1 2:1\n1 3:5\n' >tiny.ldac
run 0 evaluate private tiny.ldac --words vocab.tiny.txt --json
json

# What comes after.
run 0 infer private letters.txt
[ "$(wc -l <log/out)" -eq 2003 ] || fail "not a line for each document"
run 0 infer private letters.txt --output theta.npy
[ -s theta.npy ] || fail "no proportions"
run 0 account private
says 'pld'
run 0 account private/release.json --json
json
run 0 account spectral # at its own delta, that of an unknown number of units
says 'at delta = 1e-09'
run 0 account spectral --delta 1e-5
says 'at delta = 1e-05'
run 0 account --noise 4
says 'at delta = 1e-06'
run 0 fit letters.txt --vocabulary private/vocabulary.txt --non-private --topics 2 --output beside
# Topics over released words are not public, whatever text they are of: the choice of their words has a cost.
refused 2 fit letters.txt --public-topics beside --output over_released
run 0 report private --output page.html --compare beside --ldavis vis.json --title 'What people write'
grep -q token.table vis.json || fail "no LDAvis"
grep -q '<title>What people write</title>' page.html || fail "no title"
refused 1 report private
refused 2 report private --compare beside --force # what is not for release stays out of the folder
refused 2 report private --compare beside --output private/inside.html
refused 2 report private --compare beside --output ./beside/../private/inside.html
run 0 vocabulary nowhere --dry-run --units 1000000 --epsilon 1
says 'delta = 5e-09'
says 'Each file of a folder, or each line of a file, is one document'
run 0 vocabulary nowhere --dry-run --units 1000000 --delta 1e-6
says 'Weak: Delta is not far below one over the number of documents'
run 0 vocabulary letters.txt --epsilon 1 --output chosen.txt
grep -q ferry chosen.txt || fail "a frequent word was not chosen"
says 'Each line of the file is one document'
says 'Spent: the whole of epsilon = 1'
grep -q "$({ sha256sum chosen.txt 2>/dev/null || shasum -a 256 chosen.txt; } | cut -d ' ' -f 1)" chosen.txt.release.json || fail "the record is of no list of words"
mkdir both
touch both/words.txt.release.json
refused 1 vocabulary letters.txt --output both/words.txt # both files or none
run 0 account chosen.txt.release.json
refused 2 fit letters.txt --vocabulary chosen.txt --output again # its cost would be left out
refused 2 fit letters.txt --vocabulary private/vocabulary.txt --output again
refused 2 fit letters.txt --vocabulary open/vocabulary.txt --output again
refused 2 fit letters.txt --vocabulary beside/vocabulary.txt --output again # whose words were chosen from documents
mkdir model
cp private/phi.npy private/vocabulary.txt private/model.json model
refused 2 fit letters.txt --vocabulary model/vocabulary.txt --output again # the same without its release.json
run 0 fit letters.txt --vocabulary spectral/vocabulary.txt --topics 2 --output again

# What is published names no folder, and a release is of its own model.
mkdir secret-place
run 0 fit letters.txt --topics 2 --seed 1 --output="$PWD/secret-place/o"
grep -q secret-place secret-place/o/release.json secret-place/o/report.html && fail "a folder was named"
run 0 fit letters.txt --topics 2 --seed 1 -o"$PWD/secret-place/p"
grep -q secret-place secret-place/p/release.json secret-place/p/report.html && fail "a folder was named"
cp -r beside borrowed
cp private/release.json borrowed/release.json
refused 1 report borrowed --output borrowed.html
# A claim that its own ledger contradicts is not believed.
edited() {
  cp private/release.json kept.json
  sed "$1" kept.json >private/release.json
  cmp -s kept.json private/release.json && fail "nothing was edited: $1"
  refused 1 report private --output edited.html
  grep -q "$2" log/err || fail "it does not say why: $1"
  mv kept.json private/release.json
}
edited '0,/"epsilon": [0-9.]*/s//"epsilon": 0.1/' 'claims less than its ledger costs'
edited '0,/"unit": "document"/s//"unit": "user"/' 'for another unit'
# Nothing is replaced without a word, and other people's files never.
refused 1 fit letters.txt --topics 2 --output private
run 0 fit letters.txt --topics 2 --output private --force --json
json
touch private/notes
refused 1 fit letters.txt --topics 2 --output private --force
refused 1 infer private letters.txt --output theta.npy
[ -z "$(find . -name '*partial*')" ] || fail "something half-written is left"

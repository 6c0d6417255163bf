#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A packed corpus is the documents that were packed, and tells where its words come from: sh pack_test.sh PROGRAM
. "$(dirname "$0")/common.sh"

documents 1200 >letters.txt
run 0 pack letters.txt -o letters.corpus
says 'packed in letters.corpus'
case $(ls -ld letters.corpus) in drwx------*) ;; *) fail "others can read a packed corpus" ;; esac
refused 1 pack letters.txt -o letters.corpus # it exists
run 0 pack letters.txt -o letters.corpus --force
refused 2 pack letters.corpus -o again

# A fit of either is the same.
for input in letters.txt letters.corpus; do
  run 0 fit $input --epsilon 8 --units 1200 --topics 2 --seed 1 --output topics.$input
done
cmp -s topics.letters.txt/phi.npy topics.letters.corpus/phi.npy || fail "a packed corpus gives other topics"
cmp -s topics.letters.txt/vocabulary.txt topics.letters.corpus/vocabulary.txt ||
  fail "a packed corpus gives other words"

# Its words are the documents' own, and released words are no public list, packed or not.
refused 2 fit letters.txt --vocabulary letters.corpus/vocabulary.txt --topics 2 --output own
refused 2 fit letters.corpus --vocabulary letters.corpus/vocabulary.txt --topics 2 --output own
refused 2 pack letters.txt --vocabulary topics.letters.txt/vocabulary.txt -o laundered
refused 2 audit letters.txt --vocabulary topics.letters.txt/vocabulary.txt --topics 2
printf 'ferry\nharbour\nbread\nflour\n' >words.txt
run 0 pack letters.txt --vocabulary words.txt -o public.corpus
run 0 fit public.corpus --vocabulary public.corpus/vocabulary.txt --units 1200 --topics 2 --output public
cmp -s words.txt public/vocabulary.txt || fail "the public words are not those of the model"

# Where cut parts are kept is nobody's business.
mkdir secret_patients
run 0 fit letters.corpus --scratch secret_patients --epsilon 8 --units 1200 --topics 2 --output scratched
grep -r secret_patients scratched && fail "a release tells a folder's name"
exit 0

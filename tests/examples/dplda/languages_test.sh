#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# languages_test.sh PROGRAM: text in other encodings and languages.
. "$(dirname "$0")/common.sh"

why() { grep -q -- "$1" log/err || fail "it does not say: $1"; }

# words ARGUMENT...: the words of letters.txt, one on each line, as the program cuts them.
words() {
  rm -rf words
  run 0 fit letters.txt --topics 2 --non-private --output words "$@"
  sort words/vocabulary.txt >log/words
}
has() { for word in "$@"; do grep -qx -- "$word" log/words || fail "there is no word $word"; done; }
lacks() { for word in "$@"; do ! grep -qx -- "$word" log/words || fail "there is a word $word"; done; }

run 0 --version

# Text in another encoding is refused with its place and the remedy, and read with --encoding.
printf 'Die Fähre fuhr über den See\nDie Brücke führt über den Fluss\n' >utf8.txt
if command -v iconv >/dev/null; then
  iconv -f UTF-8 -t WINDOWS-1252 utf8.txt >letters.txt
  refused 1 fit letters.txt --topics 2 --output out
  why 'letters.txt:1: expected UTF-8, found an invalid byte of value 228, byte 6 of the line; name the encoding of INPUT with --encoding'
  why 'nothing is spent'
  words --encoding windows-1252
  has fähre brücke über
  iconv -f UTF-8 -t UTF-16 utf8.txt >letters.txt
  words --encoding utf-16
  has fähre brücke über
  printf 'id;text\n1;die F\344hre\n2;"zwei\nZeilen \374ber"\n' >table.csv
  refused 1 fit table.csv --text text --topics 2 --output out
  why 'table.csv:2: row 2, column "text": expected UTF-8, found an invalid byte of value 228, byte 6 of the cell'
  run 0 fit table.csv --text text --topics 2 --non-private --encoding ISO-8859-15 --output latin
  grep -qx 'Fähre\|fähre' latin/vocabulary.txt || fail "the table is not converted"
  run 0 fit table.csv --text text --topics 2 --non-private --invalid-utf8 separate --output blanks
  grep -qx 'hre' blanks/vocabulary.txt || fail "invalid bytes are not read as blanks"
  printf 'a good line\nsecond \201 row\n' >letters.txt
  refused 1 fit letters.txt --encoding windows-1252 --topics 2 --output out
  why 'letters.txt:2: expected windows-1252, found an invalid byte of value 129, byte 20 of the file'
  words --encoding windows-1252 --invalid-utf8 separate
  has second row
fi
refused 2 fit utf8.txt --encoding klingon --topics 2 --output out
why "the system's iconv does not know it"
printf '1\n1\n1\n1 1 1\n' >docword.x.txt
echo word >vocab.x.txt
refused 2 fit docword.x.txt --unpruned --encoding latin1 --topics 2 --output out

# Stop words of a language need no rules for it.
cp utf8.txt letters.txt
words --stop-words german
lacks den über die
has fuhr
words --stop-words none
has den die
refused 1 fit letters.txt --stop-words klingon --topics 2 --output out

# Rules for languages: capitals, apostrophes, letters in two parts, words without blanks.
refused 2 fit letters.txt --language auto --topics 2 --output out
if grep -q 'built without ICU' log/err; then
  echo 'built without ICU: the rules for languages were not tested' >&2
else
  why 'it would be made from private text'
  refused 2 fit letters.txt --language klingon --topics 2 --output out
  why 'known are english, german'
  words --language german
  has fähre brücke führt fluss see
  lacks den über Fähre die
  printf 'ÉCOLE Straße STRASSE l\342\200\231hôpital re\314\201sume\314\201 soft\302\255hyphen \357\254\201sh\n' >letters.txt
  words --language french --language german
  has école strasse hôpital résumé softhyphen fish
  lacks straße
  printf 'İSTANBUL ISLAK ve ırmak\n' >letters.txt
  words --language turkish
  has istanbul ıslak ırmak
  printf '东京的天气很好。我们喜欢北京烤鸭。\n私たちは東京で天気を見ました。\n' >letters.txt
  words --language chinese
  has 天气 北京 喜欢
  lacks 我们 的
  words --language japanese
  has 東京 天気
  # The release says which rules there were, and has nothing else of the command line.
  cp utf8.txt letters.txt
  printf 'fähre\nbrücke\n' >list.txt
  run 0 fit letters.txt --language german --units 1000 --topics 2 --vocabulary list.txt --output said
  grep -q '"by the rules of Unicode, for german"' said/release.json || fail "the release does not tell the rules"
  grep -q '"stop words": "german"' said/release.json || fail "the release does not tell the stop words"
fi

printf 'Katzen Katze springen springt\n' >letters.txt
code=0
"$program" fit letters.txt --stem klingon --topics 2 --output out 2>log/err >log/out || code=$?
[ "$code" = 2 ] || fail "an unknown stemmer is not refused"
if grep -q 'built without libstemmer' log/err; then
  echo 'built without libstemmer: stems were not tested' >&2
else
  why 'known are'
  words --stem german --stop-words none
  has springt
  [ "$(grep -ic '^katz' log/words)" = 1 ] || fail "two forms of a word have two stems"
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# inputs_test.sh PROGRAM: inputs whose lines are not documents, and inputs from which nothing can be learned.
. "$(dirname "$0")/common.sh"

documents 600 >letters.txt
printf '%s\n' ferry harbour gull bread baker flour >words.txt
run 0 fit letters.txt --topics 2 --non-private --output model

# why PATTERN: the sentence of a refusal says this.
why() { grep -q -- "$1" log/err || fail "it does not say: $1"; }

# A table by its name needs a column: every letter of two lines would be two documents, under a guarantee for "each
# document".
awk 'BEGIN { print "id,text"; for (d = 0; d < 600; ++d) print d ",\"Dear ferry,\nthe harbour is closed.\"" }' >letters.csv
cp letters.csv LETTERS.CSV
cp letters.txt letters.tsv
for name in json jsonl ndjson; do cp letters.txt letters.$name; done
gzip -k letters.csv
gzip -k letters.jsonl
for file in letters.csv LETTERS.CSV letters.csv.gz letters.tsv letters.jsonl letters.ndjson letters.jsonl.gz; do
  refused 2 fit "$file" --topics 2 --output out
  why 'name the column that holds the text with --text'
done
for command in 'vocabulary --output out' risk audit 'evaluate model' 'infer model'; do
  # shellcheck disable=SC2086  # a command and its options
  refused 2 $command letters.csv
  why 'name the column that holds the text with --text'
done
refused 1 fit letters.json --topics 2 --output out
why 'is JSON; write an object on each line'
run 0 fit letters.jsonl --format text --topics 2 --units 600 --output insisted
for file in release.json report.html; do
  grep -q 'each line of the file, as --format text says' insisted/$file || fail "$file does not say what was one document"
done
run 0 fit letters.jsonl.gz --format text --topics 2 --non-private --output insisted --force
mkdir folder
split -l 1 -a 3 letters.txt folder/letter.
run 0 infer model folder
cp letters.csv folder/more.csv
refused 1 fit folder --topics 2 --output out
why 'folder/more.csv: is a table or JSON in a folder'
run 0 fit folder --format text --topics 2 --non-private --output whole

# A table by its contents.
looks() { # looks KIND: standard input, as a file of texts
  cat >seems.txt
  refused 1 fit seems.txt --topics 2 --output out
  why "seems.txt: looks like $1"
  run 0 fit seems.txt --format text --topics 2 --non-private --output out
  refused 1 vocabulary seems.txt --output out.txt
  gzip seems.txt
  refused 1 fit seems.txt.gz --topics 2 --output out.gz
  why "looks like $1"
  rm -r out seems.txt.gz
}
cat letters.csv | looks 'a table with columns'
printf 'text\n"Dear Sir,\nthe ferry"\n"Dear Madam, the ""harbour"""\n' | looks 'a table with columns'
printf '1,"the ferry left"\n2,"the ""harbour"", closed"\n' | looks 'a table with columns'
printf '17\tthe ferry left the harbour\n18\tthe baker sells bread\n' | looks 'a table with columns'
printf 'id;date;text\r\n1;today;the ferry\r\n2;today;the harbour' | looks 'a table with columns'
printf '\357\273\277id,from whom,text\n1,me,ferry\n2,you,harbour\n' | looks 'a table with columns'
printf '\n  {"text": "the ferry"}\n{"text": "the harbour"}\n' | looks JSON
printf '[\n {"text": "the ferry"}\n]\n' | looks JSON
printf '["the ferry", "the harbour"]\n' | looks JSON
mkfifo pipe
printf '{"text": "ferry"}\n' >pipe &
run 1 fit pipe --topics 2 --output out
why 'pipe: looks like JSON'
wait
head -n 5 letters.txt >pipe &
run 0 infer model pipe
[ "$(wc -l <log/out)" -eq 5 ] || fail "a pipe is not read from its beginning"
wait

# A table is read: a row is a document, however many lines it has; the release tells neither columns nor file names.
{
  printf '\357\273\277Date;Sender;Letter\r\n'
  awk 'BEGIN { for (d = 0; d < 600; ++d)
    printf "2024;%s %d;\"%s\r\n\r\n%s; ""yes"" %s\"\r\n", d % 3 ? "Ann" : "Bob", d % 200,
      d % 2 ? "ferry harbour gull" : "bread baker flour", d % 2 ? "ferry gull" : "flour bread", d % 2 ? "harbour" : "baker" }'
} >sheet.csv
run 0 infer model sheet.csv --text Letter
[ "$(wc -l <log/out)" -eq 600 ] || fail "a row is not a document"
run 0 fit sheet.csv --text Letter --topics 2 --units 600 --vocabulary words.txt --output sheet
for file in release.json report.html; do
  grep -q 'each row of the table' sheet/$file || fail "$file does not say what was one document"
  ! grep -q 'Letter\|sheet\.csv' sheet/$file || fail "$file tells a column or a file"
  grep -q -e '--text COLUMN' sheet/$file || fail "$file does not tell the command"
done
run 0 fit sheet.csv --text Letter --user Sender --topics 2 --units 400 --vocabulary words.txt --output people
grep -q '"unit": "user"' people/release.json || fail "a column of users does not protect users"
sed 's/;/\t/g; s/\r$//' sheet.csv >sheet.tsv
run 0 infer model sheet.tsv --text Letter
[ "$(wc -l <log/out)" -eq 600 ] || fail "a row is not a document"
awk 'BEGIN { for (d = 0; d < 5; ++d) printf "{\"who\": %d, \"subject\": \"ferry\", \"body\": \"the\\nbaker\"}\n", d }' >mail.jsonl
run 0 infer model mail.jsonl --text subject --text body --user who
[ "$(wc -l <log/out)" -eq 5 ] || fail "an object is not a document"

# Proportions for a spreadsheet: names, groups, dates, and what has no known word.
printf 'When,Dept,Letter\r\n2024-05-17,"Roads, lights","the ferry"\r\n05.2024,,"zanzibar"\r\n,Parks,bread\r\n' >depts.csv
run 0 infer model depts.csv --text Letter --group Dept --time When -o shares.csv
tr -d '\r' <shares.csv >log/shares
[ "$(sed -n 1p log/shares)" = 'document,name,group,date,known words,"topic 0","topic 1"' ] || fail "another header: $(sed -n 1p log/shares)"
grep -q '^0,"row 2","Roads, lights",2024-05-17,1,0\.[0-9]*,0\.[0-9]*$' log/shares || fail "another row: $(sed -n 2p log/shares)"
[ "$(sed -n 3p log/shares)" = '1,"row 3","",2024-05,0,,' ] || fail "a document without a known word: $(sed -n 3p log/shares)"
[ "$(wc -l <log/shares)" -eq 4 ] || fail "not a row for each document"
run 0 infer model depts.csv --text Letter
says '^row 3:  no known word$'
run 0 infer model depts.csv --text Letter --group Dept -o shares.json
cat shares.json >log/out
json
says '"known_words": 0'
says '"group": "Roads, lights"'
rm folder/more.csv
run 0 infer model folder -o folder.csv
grep -q '^0,"letter.aaa",' folder.csv || fail "a file is not named"
printf 'boats\n\n' >names.txt
run 0 infer model depts.csv --text Letter --names names.txt -o named.csv
head -n 1 named.csv | grep -q '"topic 0 (boats)","topic 1"' || fail "a topic is not named"
run 0 topics model --names names.txt
says '^topic 0 (boats): '
says '^topic 1: '
run 0 topics model --suggest-names
[ "$(wc -l <log/out)" -eq 2 ] || fail "not a name for each topic"
cp log/out suggested.txt
run 0 topics model --names suggested.txt
run 0 report model --names names.txt -o named.html
grep -q 'Topic 0: boats' named.html || fail "the page does not name a topic"
printf 'boats\n' >few.txt
refused 1 topics model --names few.txt
why 'few.txt: expected 2 names'
refused 1 infer model depts.csv --text Letter --time Dept
why 'depts.csv:2: row 2, column "Dept": expected a date such as 2024-05-17, 17.05.2024, 2024-05 or 2024, found "Roads, lights"'
refused 2 infer model letters.txt --group Dept
why 'group and --time are for tables'

# What is wrong with a table is said in one sentence, and nothing is spent.
refused 1 fit sheet.csv --text letter --topics 2 --output out
why 'sheet.csv:1: expected a column "letter", found the columns "Date", "Sender", "Letter"'
printf 'who,text\nAnn,the ferry\nBob\n' >short.csv
refused 1 fit short.csv --text text --topics 2 --output out
why 'short.csv:3: row 3, expected 2 cells, as in the header, found 1'
printf 'who,text\nAnn,the ferry\n,the harbour\n' >nobody.csv
refused 1 fit nobody.csv --text text --user who --topics 2 --output out
why 'nobody.csv:3: row 3, column "who": expected a user, found none'
refused 2 fit sheet.csv --text Letter --users words.txt --topics 2 --output out
refused 2 fit letters.txt --text Letter --topics 2 --output out
refused 2 fit letters.txt --user Sender --topics 2 --output out

# Text that is not a table, although it has commas, quotes, tabs or brackets.
reads() { # reads COUNT: standard input has COUNT documents
  cat >prose.txt
  run 0 infer model prose.txt
  [ "$(wc -l <log/out)" -eq "$1" ] || fail "not $1 documents"
}
printf 'The ferry, the gull, and bread.\nThe baker, the flour, and bread.\nThe sail, the anchor, and storm.\n' | reads 3
printf '"The ferry is late," she said.\n"The ferry left," he said,\nand the harbour was empty.\n' | reads 3
printf 'A ferry of 5" and a gull\n"bread\nflour\n' | reads 3
printf '\tThe ferry left\n\tThe baker sells bread\n' | reads 2
printf '[sic] the ferry\n{the harbour}\n' | reads 2
printf 'ferry\n' | reads 1
printf 'ferry, gull, bread\n' | reads 1

# Empty input is refused before anything is spent: 20 topics of nothing looked like a success.
mkdir empty hidden
: >nothing.txt
printf '\n\n' >blank.txt
printf 'the and of\n' >stop.txt
printf 'zanzibar\n' >other.txt
echo ferry >hidden/.letter
printf '0\n2\n0\n' >docword.none.txt
printf 'a\nb\n' >vocab.none.txt
for input in empty hidden nothing.txt 'docword.none.txt --unpruned'; do
  # shellcheck disable=SC2086  # one or two words
  refused 1 fit $input --output out
  why 'there is no document in it'
  # shellcheck disable=SC2086
  refused 1 vocabulary $input --output out
done
for input in blank.txt stop.txt; do
  refused 1 fit "$input" --output out
  why 'no document has a word'
  refused 1 fit "$input" --non-private --output out
  refused 1 vocabulary "$input" --output out
  refused 1 audit "$input"
  refused 1 risk "$input"
done
refused 1 fit other.txt --vocabulary words.txt --output out
why 'no document has a word of the list'
refused 1 evaluate model other.txt
refused 1 infer model other.txt

# If no word may be shown, the program says so, learns no topics of placeholders, and says what is spent.
for input in other.txt letters.txt; do
  for engine in svi gibbs spectral; do
    refused 3 fit "$input" --epsilon 0.01 --engine $engine --output out
    why 'no word may be shown at this epsilon'
    why 'The whole plan counts as spent: epsilon = 0.0099999, delta = 1e-09'
  done
done
refused 3 vocabulary other.txt --epsilon 0.5 --output out
why 'spent: epsilon = 0.5, delta = 1e-09'
run 3 fit other.txt --json --output out
json
says '"words": 0'
says '"ledger"'
[ ! -e out ] || fail "nothing was learned, but something is written"
run 0 --help
says '3 done, but nothing could'
# One word is not enough: 20 topics of one word and placeholders looked like a success.
awk 'BEGIN { for (d = 0; d < 2000; ++d) print "ferry" }' >ferry.txt
refused 3 fit ferry.txt --units 2000 --output out
why 'only one word may be shown at this epsilon, and topics need at least two'
run 0 vocabulary ferry.txt --units 2000 --output ferry-words.txt
echo ferry >one-word.txt
refused 2 fit letters.txt --vocabulary one-word.txt --output out
why 'lists one word, and topics need at least two'
# More words than the engine takes: that is known only once the words are released, so the plan is spent as well.
awk 'BEGIN {
  for (d = 0; d < 7200; ++d) {
    line = ""
    for (w = 256 * (d % 240); w < 256 * (d % 240 + 1); ++w) {
      word = ""
      for (n = w + 1000000; n > 0; n = int(n / 10)) word = word substr("abcdefghij", n % 10 + 1, 1)
      line = line word " "
    }
    print line
  }
}' >wide.txt
refused 3 fit wide.txt --epsilon 1000 --units 7000 --engine spectral --output out
why 'words is 6[01][0-9]*, but must'
why 'The whole plan counts as spent: epsilon = 999'
# An attack on such a fit continues: it measures what the results tell, and empty results tell nothing.
run 0 risk letters.txt --epsilon 0.01 --topics 2 --shadows 8 --json
json

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spreadsheet_test.sh PROGRAM [ROWS]: a spreadsheet of German and French letters, with senders, departments and dates, as
# old programs for Windows save it, becomes a report in one command; 2,000 rows unless ROWS says otherwise.
. "$(dirname "$0")/common.sh"
rows=${2:-2000}
why() { grep -q -- "$1" log/err || fail "it does not say: $1"; }

awk -v rows="$rows" 'BEGIN {
  split("Straße Laterne Gehweg Schlagloch Brücke Ampel Radweg Kreuzung", de1, " ")
  split("Müll Tonne Abfuhr Papier Gebühr Bescheid Kalender Termin", de2, " ")
  split("école élève cantine maître rentrée classe horaire préau", fr1, " ")
  split("forêt rivière sentier arbre déchet jardin fontaine allée", fr2, " ")
  split("Straßenamt Entsorgung Écoles Parcs", dept, " ")
  printf "Nr;Absender;Amt;Datum;Betreff;Brief\r\n"
  seed = 7
  for (d = 0; d < rows; ++d) {
    kind = d % 4; text = ""
    for (n = 0; n < 14; ++n) {
      seed = (seed * 16807) % 2147483647
      w = seed % 8 + 1
      text = text " " (kind == 0 ? de1[w] : kind == 1 ? de2[w] : kind == 2 ? fr1[w] : fr2[w])
      if (n == 6) text = text (kind < 2 ? ", \"\"sehr\"\" geehrte;\r\n" : " l\047avis;\r\n")
    }
    month = int(d * 12 / rows) + 1
    date = kind % 2 ? sprintf("2024-%02d-%02d", month, d % 28 + 1) : sprintf("%d.%d.2024", d % 28 + 1, month)
    printf "%d;Sender %d;%s;%s;%s;\"%s\"\r\n", d + 1, d % (rows / 2), dept[kind + 1], date, kind < 2 ? "Anfrage" : "Demande", text
  }
}' >utf8.csv
if command -v iconv >/dev/null; then
  iconv -f UTF-8 -t WINDOWS-1252 utf8.csv >letters.csv
  encoding='--encoding windows-1252'
else
  cp utf8.csv letters.csv
  encoding=
fi
language='--stop-words german'
printf 'x\n' >one.txt
"$program" fit one.txt --language german --dry-run --topics 2 >/dev/null 2>&1 && language='--language german --language french'

# shellcheck disable=SC2086  # options
run 0 fit letters.csv --text Betreff --text Brief --user Absender $encoding $language --topics 4 --epsilon 4 \
  --units $((rows / 2)) --output topics
for file in release.json report.html; do
  ! grep -q 'Absender\|Betreff\|letters\.csv\|Sender 1' topics/$file || fail "$file tells a column, a file or a sender"
done
grep -q '"unit": "user"' topics/release.json || fail "it does not protect people"
run 0 topics topics
grep -c '^topic ' log/out | grep -qx 4 || fail "not four topics"
# shellcheck disable=SC2086
run 0 infer topics letters.csv --text Betreff --text Brief --group Amt --time Datum $encoding $language -o shares.csv
[ "$(wc -l <shares.csv)" -eq $((rows + 1)) ] || fail "not a row for each letter"
grep -q '^0,"row 2","Straßenamt",2024-01-01,' shares.csv || fail "group and date do not stand beside the letter"

# A bad row: one sentence with row and column, nothing is written, and nothing is spent.
run 0 book letters.book --unit user --limit 8 --delta 1e-6
bad() { # bad ROW: letters.csv with this row instead of the last
  sed '$d' utf8.csv >bad.csv
  sed '$d' bad.csv >short.csv # a letter is on two lines
  cp short.csv bad.csv
  printf "$1" >>bad.csv
  cp letters.book before.book
}
refuses() { # refuses PATTERN
  # shellcheck disable=SC2086
  refused 1 fit bad.csv --text Brief --user Absender $language --topics 4 --epsilon 1 --units 1000 --book letters.book --output bad
  why "$1"
  cmp -s before.book letters.book || fail "something was spent"
}
last=$((rows + 1))
bad "7;;Amt;2024-05-01;x;y\r\n"
refuses "row $last, column \"Absender\": expected a user, found none"
bad '7;Sender 7;Amt;2024-05-01;x;y;z\r\n'
refuses "row $last, expected 6 cells, as in the header, found 7"
bad '7;Sender 7;Amt;2024-05-01;x;"y\r\n'
refuses "row $last, column 6: expected a quote that ends the cell"
bad '7;Sender 7;Amt;2024-05-01;x;Stra\337e\r\n'
refuses "row $last, column \"Brief\": expected UTF-8, found an invalid byte of value 223, byte 5 of the cell"
bad '7;Sender 7;Amt;05/06/2024;x;y\r\n'
refused 1 infer topics bad.csv --text Brief --time Datum -o bad.out.csv
why "row $last, column \"Datum\": expected a date such as 2024-05-17"

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
    month = int(d * 12 / rows) + 1
    kind = month > 6 && d % 4 == 3 ? 0 : d % 4; text = "" # the parks are silent from July on
    for (n = 0; n < 14; ++n) {
      seed = (seed * 16807) % 2147483647
      w = seed % 8 + 1
      text = text " " (kind == 0 ? de1[w] : kind == 1 ? de2[w] : kind == 2 ? fr1[w] : fr2[w])
      if (n == 6) text = text (kind < 2 ? ", \"\"sehr\"\" geehrte;\r\n" : " l\047avis;\r\n")
    }
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

# Trends, from the same budget: nobody writes to the parks from July on, and twice as many about streets.
letters="letters.csv --text Betreff --text Brief --user Absender $encoding $language --topics 4 --units $((rows / 2))"
# shellcheck disable=SC2086
run 0 fit $letters --epsilon 4 --time Datum --by month --from 2024-01 --to 2024-12 --seed 1 --output trends
tells 'The shares of topics are in it'
[ "$(wc -l <trends/prevalence.csv)" -eq 49 ] || fail "not a line for each month and topic"
awk -F, 'NR > 1 { change[$4] += ($1 > "2024-06" ? 1 : -1) * $5 / 6 }
  END { for (k in change) { rise += change[k] > 0.12; fall += change[k] < -0.12 } exit !(rise == 1 && fall == 1) }' \
  trends/prevalence.csv || fail "the trends are wrong"
grep -q 'class="trend"' trends/report.html || fail "the page has no trends"
grep -q 'each month from 2024-01 to 2024-12' trends/release.json || fail "release.json does not tell the periods"

# One guarantee and one entry in the book for topics and shares; a department that is not listed is shown nowhere.
run 0 book year.book --unit user --limit 5 --delta 1e-6
# shellcheck disable=SC2086
run 0 fit $letters --epsilon 4 --group Amt --group-names Entsorgung,Écoles --book year.book --output year
epsilon_of() { sed -n '/"guarantee": {/,/}/s/ *"epsilon": //p' "$1" | head -n 1; }
[ "$(epsilon_of year/release.json)" = "$(epsilon_of year/prevalence.json)" ] || fail "two guarantees"
awk -v epsilon="$(epsilon_of year/release.json)" 'BEGIN { sub(",", "", epsilon); exit !(epsilon > 3.9 && epsilon <= 4) }' ||
  fail "the guarantee is not that of the budget"
grep -q '"label": "topics of groups"' year/release.json || fail "release.json does not tell what the shares cost"
! grep -q 'Parcs\|Straßenamt\|Sender 1\|Amt\|Datum' year/*.json year/*.csv year/report.html || fail "something is shown that is not public"
id=$(sed -n 's/ *"booked": "\(.*\)",*/\1/p' year/release.json)
[ -n "$id" ] && grep -q "$id" year.book || fail "it is not booked"
# shellcheck disable=SC2086
refused 2 fit $letters --epsilon 4 --group Amt --group-names Entsorgung,Écoles --book year.book --output more
run 0 report year -o again.html
grep -q 'Écoles' again.html || fail "the page that is made again has no shares"
# shellcheck disable=SC2086
refused 2 fit $letters --group Amt
why 'must be a public list'
# shellcheck disable=SC2086
refused 2 fit $letters --time Datum --by month --from 2024 --to 2024-12
why 'must name a month'

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
refused 1 fit bad.csv --text Brief --user Absender --time Datum --by month --from 2024-01 --to 2024-12 --topics 4 --epsilon 1 \
  --units 1000 --book letters.book --output bad
why "row $last, column \"Datum\": expected a date such as 2024-05-17"
cmp -s before.book letters.book || fail "something was spent"

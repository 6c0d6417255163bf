#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# errors_test.sh PROGRAM: damaged input and fuzzed command lines get one sentence and leave nothing behind.
. "$(dirname "$0")/common.sh"

documents 50 >letters.txt
gzip -kc letters.txt >letters.txt.gz
run 0 fit letters.txt --topics 2 --non-private --output model

# Damaged input.
head -c 60 letters.txt.gz >cut.txt.gz
cp letters.txt plain.txt.gz
printf 'caf\351 au lait\n' >latin.txt
printf 'one\n' >users.txt
printf '2\n2\n9\n1 1 1\n' >docword.cut.txt
printf '2\n2\n1\n1 7 1\n' >docword.range.txt
printf 'a\nb\n' >vocab.cut.txt
printf 'a\nb\n' >vocab.range.txt
printf '1 0:x\n' >bad.ldac
mkdir empty
: >nothing.txt
for input in nowhere cut.txt.gz plain.txt.gz latin.txt; do refused 1 fit "$input" --topics 2 --output out; done
for input in docword.cut.txt docword.range.txt; do refused 1 fit "$input" --unpruned --topics 2 --output out; done
refused 1 fit bad.ldac --unpruned --words vocab.cut.txt --output out
refused 1 fit letters.txt --users users.txt --output out
refused 1 fit letters.txt --vocabulary nowhere --output out
refused 1 fit letters.txt --output no/such/folder
refused 1 fit letters.txt --output letters.txt --force
refused 1 topics nowhere
refused 1 topics letters.txt
refused 1 account letters.txt
refused 1 account nowhere
refused 1 evaluate model nothing.txt
refused 1 audit nothing.txt --topics 2
refused 2 fit letters.txt --unit user --output out
refused 2 fit bad.ldac --dry-run --words letters.txt --epsilon 0 --output out
refused 2 fit letters.txt --words vocab.cut.txt --output out
refused 2 fit letters.txt --epsilon nan --output out
refused 2 account --noise 1 --rate nan
refused 2 calibrate --epsilon nan
refused 2 fit
refused 2
refused 2 fit letters.txt /units:2003 --output out # which would escape the rounding, where it is an option
run 0 fit latin.txt --topics 2 --invalid-utf8 separate --non-private --output latin
for file in model/*; do # each file of a model, damaged
  [ "$file" = model/report.html ] && continue
  cp -r model damaged
  printf 'x' | dd of="damaged/$(basename "$file")" bs=1 seek=20 conv=notrunc 2>/dev/null
  refused 1 topics damaged
  rm -r damaged
done

# A small file that unpacks to a huge one.
dd if=/dev/zero bs=1048576 count=30 2>/dev/null | gzip >bomb.txt.gz
refused 1 fit bomb.txt.gz --unpacked 20 --output out
grep -q 'unpacks to more than 20 megabytes' log/err || fail "it does not say why"
refused 1 fit letters.txt --vocabulary bomb.txt.gz --unpacked 20 --output out
grep -q 'unpacks to more than 20 megabytes' log/err || fail "words may unpack to more than documents"
run 0 fit letters.txt.gz --unpacked 1 --topics 2 --non-private --output small

# Outputs are checked before any work: links are not followed, and other people's files are not replaced.
echo treasure >treasure
ln -s treasure link
ln -s model linked
mkfifo pipe
run 0 report model --output kept.html
for output in link pipe empty; do
  refused 1 report model --output "$output" --force
  refused 1 report model --output fresh.html --ldavis "$output" --force
  refused 1 infer model letters.txt --output "$output" --force
  refused 1 audit letters.txt --output "$output" --force
  refused 1 vocabulary letters.txt --output "$output" --force
done
refused 1 fit letters.txt --topics 2 --output linked --force
refused 1 fit letters.txt --topics 2 --output pipe --force
refused 1 report model --output fresh.html --ldavis kept.html
refused 1 report model --output fresh.html --ldavis no/such/folder
refused 2 report model --output fresh.html --ldavis ./fresh.html
[ "$(cat treasure)" = treasure ] || fail "a link was followed"
rm pipe

# Fuzzed command lines: each ends by itself with a documented exit code, and prints one sentence if that is not 0.
awk 'BEGIN {
  commands = split("fit vocabulary topics infer evaluate audit account calibrate book report fot -- --version", command, " ")
  words = split("nowhere letters.txt cut.txt.gz model --epsilon --delta --topics --unit --units --engine --seed " \
                "--threads --output --json --dry-run --force --users --format --words --vocabulary --noise --rate " \
                "--steps --runs --mechanism --title --audit --ldavis --canaries --repeats --unpacked --non-private --show " \
                "--book --limit --thresholds " \
                "-o -x --help= = 0 -1 1e999 nan inf 99999999999999999999 1e-400 0x10 " \
                "user gibbs spectral uci -o= \303\251 \377 %s%n /dev/null / . --epsilon=-0 --topics=1e9 --steps=0.5", \
                word, " ")
  seed = 12345
  for (line = 0; line < 220; ++line) {
    seed = (seed * 16807) % 2147483647
    text = command[seed % commands + 1]
    seed = (seed * 16807) % 2147483647
    count = seed % 7
    for (n = 0; n < count; ++n) {
      seed = (seed * 16807) % 2147483647
      text = text " " word[int(seed / 7) % words + 1]
    }
    print text
  }
}' >log.lines
touch log.names
ls -A >log.names
ls -R . >log.before
while IFS= read -r line; do
  code=0
  # shellcheck disable=SC2086  # words are to be split
  (set -f; timeout 60 "$program" $line >log/out 2>log/err </dev/null) || code=$?
  case $code in
    0) ls -A | grep -vxF -f log.names | xargs -r rm -rf -- ;;
    1 | 2 | 3) [ "$(tail -n 1 log/err | grep -c '^dplda: .')" = 1 ] || fail "no sentence: $line" ;;
    *) fail "exit code $code: $line" ;;
  esac
  ls -R . | cmp -s - log.before || fail "it left something behind: $line"
done <log.lines

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# interrupt_test.sh PROGRAM: a fit that is stopped while it reads or learns leaves nothing and says so.
. "$(dirname "$0")/common.sh"

# stop_at LINE INPUT: starts a fit and stops it as soon as it says LINE. (A shell's background jobs ignore SIGINT, so
# SIGTERM stands for it; both have one handler.)
stop_at() {
  : >log/err
  "$program" fit "$2" --topics 300 --output topics >log/out 2>log/err &
  fit=$!
  tries=0
  until grep -q "$1" log/err; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "it never said: $1"
    sleep 0.05
  done
  kill -TERM "$fit"
  code=0
  wait "$fit" || code=$?
  [ "$code" = 130 ] || fail "exit code $code"
  grep -q 'interrupted; nothing was written' log/err || fail "it does not say what an interrupt means"
  [ -z "$(ls -d topics* 2>/dev/null)" ] || fail "it left something behind"
}

mkfifo slow.txt
sleep 100 >slow.txt &
writer=$!
stop_at 'dplda: reading' slow.txt
kill "$writer"
documents 20000 >letters.txt
stop_at 'learning topics' letters.txt

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# python_test.sh TESTS: NumPy reads a model folder as examples/python/read_topics.py does. TESTS is the program of
# tests/report, which writes one. Skipped (77) where there is no NumPy.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=
for each in python3 /usr/bin/python3; do
  if "$each" -c 'import numpy' 2>/dev/null; then python=$each && break; fi
done
if [ -z "$python" ]; then
  echo "read_topics.py: SKIPPED, NOTHING WAS TESTED: NumPy is not installed (Debian: python3-numpy)" >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DPLDA_REPORT_PAGES=$work "$1" 'a model is written for other readers' >/dev/null
printed=$(PYTHONIOENCODING=utf-8 "$python" "$root/examples/python/read_topics.py" "$work/model")
expected='topic 0: north süd east west
topic 1: west east süd north'
if [ "$printed" != "$expected" ]; then
  echo "read_topics.py printed:" >&2
  printf '%s\n' "$printed" >&2
  exit 1
fi

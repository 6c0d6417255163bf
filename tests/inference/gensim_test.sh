#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gensim_test.sh PROGRAM: latent semantic indexing beside gensim's; PROGRAM is gensim_topics. Skipped (77) where there is no gensim.
set -eu
python=
for each in python3 /usr/bin/python3; do
  if "$each" -c 'import gensim' 2>/dev/null; then python=$each && break; fi
done
if [ -z "$python" ]; then
  echo "gensim_test.sh: SKIPPED, NOTHING WAS TESTED: gensim is not installed (Debian: python3-gensim)" >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$work"
"$python" "$(dirname -- "$0")/gensim_test.py" "$work"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Selects a vocabulary in one pass over generated text, and compares it with a plain count of the words in the file.
#   sh benchmarks/peers/vocabulary_pass.sh [--quick] [FOLDER [TOKENS]]        (default 100 million, with --quick 5)
# Needs 5 bytes of disk a token in $TMPDIR (or /tmp).
set -eu
. "$(dirname -- "$0")/../support/start.sh"

about "synthetic, ${1:-$(if_quick 5000000 100000000)} tokens"
program=$(build_program)
"$program" make "$work/text.txt" "${1:-$(if_quick 5000000 100000000)}"
"$program" run "$work/text.txt"

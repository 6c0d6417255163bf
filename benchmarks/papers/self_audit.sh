#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library audits itself: claimed against audited epsilon of every proven learner and selector, and of broken ones, and
# the result of audit() for one learner; see self_audit.cpp.
#   sh benchmarks/papers/self_audit.sh [--quick] [FOLDER [NAME VALUE]...]
# --quick: two budgets and fewer runs.
set -eu
. "$(dirname -- "$0")/../support/start.sh"

about "corpora of a few documents, made by the program; seed 1 unless given"
program=$(build_program)
# shellcheck disable=SC2046  # a list
"$program" $(if_quick "quick 1 part 0.15" "") "$@" > "$folder/self_audit.md" || status=$?
cat "$folder/self_audit.md"
exit "${status:-0}"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_top_level.sh <root>: git tracks only the agreed files at the top level. Exit code 77: nothing to check.
set -eu
cd "$1"
if ! [ -e .git ] || ! tracked=$(git ls-files) || [ -z "$tracked" ]; then
  echo "SKIPPED: git tracks nothing here, so the top level was not checked"
  exit 77
fi

others=$(printf '%s\n' "$tracked" | cut -d/ -f1 | sort -u | grep -Evx \
  '\..*|include|tests|examples|benchmarks|cmake|CMakeLists\.txt|CMakePresets\.json|LICENSE|README\.md') || exit 0
printf 'this does not belong at the top level: %s\n' "$others"
exit 1

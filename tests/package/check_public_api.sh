#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_public_api.sh <root>: examples/ and the program in it use the library's public names and headers alone.
set -eu
cd "$1"
if grep -rnE '(^|[^_[:alnum:]])detail::|<dplda/[^>]*/detail/' examples; then
  echo "examples/ must not use what stands in a namespace or folder detail: give it a public name" >&2
  exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_public_api.sh <root>: checks that examples/ and its program use only the library's public names and headers.
set -eu
cd "$1"
if grep -rnE '(^|[^_[:alnum:]])detail::|<dplda/[^>]*/detail/' examples; then
  echo "examples/ must not use names or headers from a namespace or folder detail: make them public" >&2
  exit 1
fi

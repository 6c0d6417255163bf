#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs_test.sh <Doxyfile> <scratch directory>: checks that the pages build without a warning, show only public names,
# and have no broken links. Exit code 77: doxygen 1.9 is not installed.
set -eu
doxyfile=$1
pages=$2
case $(doxygen --version 2>/dev/null || echo none) in
1.9.*) ;;
none) echo "SKIPPED: doxygen is not installed, so the pages were not built"; exit 77 ;;
*) echo "SKIPPED: the pages are kept free of the warnings of doxygen 1.9; this is $(doxygen --version)"; exit 77 ;;
esac

rm -rf "$pages"
mkdir -p "$pages"
{ cat "$doxyfile"; printf 'OUTPUT_DIRECTORY = "%s"\n' "$pages"; } | doxygen -

cd "$pages/html"
for page in index classdplda_1_1corpus structdplda_1_1guarantee namespacedplda; do
  [ -s "$page.html" ] || { echo "$page.html was not made"; exit 1; }
done
if ls ./*dplda_1_1detail* 2>/dev/null; then
  echo "the pages must not show dplda::detail"
  exit 1
fi
broken=$(grep -ohE '(href|src)="[^"]+' ./*.html | sed 's/^[^"]*"//; s/#.*//; /:/d; /^$/d' | sort -u |
  while IFS= read -r file; do [ -e "$file" ] || echo "$file"; done)
[ -z "$broken" ] || { printf 'links to missing files:\n%s\n' "$broken"; exit 1; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_links.sh <root>: relative links of all Markdown pages lead to files that are there, and to headings of them.
set -eu
cd "$1"
find . \( -name build -o -name .git \) -prune -o -name '*.md' -print | while IFS= read -r page; do
  awk '/^```/ { code = !code } !code { print }' "$page" | grep -o '\[[^]]*\]([^)]*)' |
    sed 's/.*](\(.*\))$/\1/' | grep -v '^[a-z]*:' | while IFS= read -r link; do
    file=${link%%#*}
    target=$page
    [ -z "$file" ] || target=$(dirname "$page")/$file
    [ -e "$target" ] || { echo "$page: $link leads nowhere"; continue; }
    case $link in
    *'#'*)
      sed -n 's/^##* //p' "$target" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g' |
        grep -qx -- "${link#*#}" || echo "$page: $link names no heading"
      ;;
    esac
  done
done | {
  if grep .; then exit 1; fi
}

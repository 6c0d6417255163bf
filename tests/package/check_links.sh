#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_links.sh <root>: checks that relative links of all Markdown pages lead to existing files and headings.
set -eu
cd "$1"
find . \( -name build -o -name .git \) -prune -o -name '*.md' -print | while IFS= read -r page; do
  awk '/^```/ { code = !code } !code { print }' "$page" | grep -o '\[[^]]*\]([^)]*)' |
    sed 's/.*](\(.*\))$/\1/' | grep -v '^[a-z]*:' | while IFS= read -r link; do
    file=${link%%#*}
    target=$page
    [ -z "$file" ] || target=$(dirname "$page")/$file
    [ -e "$target" ] || { echo "$page: the file of $link does not exist"; continue; }
    case $link in
    *'#'*)
      sed -n 's/^##* //p' "$target" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g' |
        grep -qx -- "${link#*#}" || echo "$page: the heading of $link does not exist"
      ;;
    esac
  done
done | {
  if grep .; then exit 1; fi
}

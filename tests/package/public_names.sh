#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# public_names.sh <root>: prints the public names of the library, one per line: headers, then classes, concepts,
# functions, types, enumerators, variables and members by their full names. The changelog explains the difference
# between two versions' lists. Needs doxygen.
set -eu
cd "$1/include"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

find dplda -name '*.hpp' | grep -v /detail/ | sort | sed 's/^/header /'

doxygen - >/dev/null <<END
QUIET = YES
INPUT = dplda
FILE_PATTERNS = *.hpp
RECURSIVE = YES
EXCLUDE_PATTERNS = */detail/*
EXCLUDE_SYMBOLS = dplda::detail dplda::detail::* dplda::*::detail
EXTRACT_ALL = YES
FILTER_PATTERNS = "*.hpp=sed 's/namespace dplda::inline [a-z0-9_]*/namespace dplda/'"
WARNINGS = NO
HAVE_DOT = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
OUTPUT_DIRECTORY = "$scratch"
END
# Each compound has a file, where <compoundname> and the <name> of a member follow the line with their kind and protection.
cat "$scratch"/xml/*dplda*.xml | awk -F '[<>]' '
  function attribute(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
  /<compounddef / {
    kind = attribute("kind")
    hidden = attribute("prot") == "private" || kind !~ /^(namespace|class|struct|union|concept)$/
  }
  /<compoundname>/ { scope = $3; member = ""; if (!hidden && kind != "namespace") print kind, scope }
  /<memberdef / { member = attribute("prot") == "public" ? attribute("kind") : "" }
  /<enumvalue / { if (member != "") member = "enumvalue" }
  /^ *<name>/ { if (!hidden && member != "" && member != "friend") print member, scope "::" $3 }
  /<\/memberdef>/ { member = "" }' |
  sed 's/^struct /class /; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | sort -u

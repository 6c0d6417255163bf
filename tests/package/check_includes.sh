#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_includes.sh <root>: checks the includes between the folders of include/dplda, and the conventions of its files.
# Bodies (detail/*.ipp) follow the rules of the header that includes them, and stand in one source of cmake/compiled. A
# fragment (*.inl, or a file in detail/ with "// dplda: fragment") is included inside another header and has no guard.
set -eu
cd "$1"

# Every source file of ours names its licence at its head.
unlicensed=$(find include tests examples benchmarks cmake -type f \( -name '*.[hi]pp' -o -name '*.inl' -o -name '*.cpp' \
  -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name '*.in' -o -name CMakeLists.txt \) 2>/dev/null | sort |
  while IFS= read -r file; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file: the SPDX line is missing"
  done)

# All names stand in the inline namespace of the version, so that two versions in one program do not mix.
version=$(awk '$2 == "DPLDA_VERSION_MAJOR" { major = $3 } $2 == "DPLDA_VERSION_MINOR" { minor = $3 }
  END { if (major != "") print "v" major "_" minor }' include/dplda/version.hpp)
elsewhere=$(grep -rn '^namespace dplda' include | grep -v "^[^:]*:[0-9]*:namespace dplda::inline $version\\(::[A-Za-z_:]*\\)\\? {" |
  sed "s/:namespace.*/: the namespace must be dplda::inline $version, or one in it/") || true

cd include
# shellcheck disable=SC2016  # the program is awk's
faults=$(find dplda -type f \( -name '*.[hi]pp' -o -name '*.inl' \) | sort | xargs awk '
  function may(room, others,    names, n, i) {
    known[room] = 1
    arrow[room, room] = 1
    n = split(others, names, " ")
    for (i = 1; i <= n; ++i) arrow[room, names[i]] = 1
  }
  function fault(text) { print "include/" FILENAME ":" FNR ": " text }
  function room_of(path,    parts) { return split(path, parts, "/") > 2 ? parts[2] : "" }
  function check_guard() {
    if (file != "" && !fragment && seen_guard != 2)
      print "include/" file ": the include guard must be " guard
  }
  BEGIN {
    may("core", "")
    may("distributed", "core")
    may("random", "core distributed")
    may("accounting", "core")
    may("io", "core accounting mechanisms inference")
    may("corpora", "core distributed random")
    may("mechanisms", "core distributed random accounting")
    may("inference", "core distributed random accounting mechanisms")
    may("output_perturbation", "core distributed random accounting mechanisms evaluation inference")
    may("vocabulary", "core distributed random accounting mechanisms inference")
    may("evaluation", "core distributed random corpora inference")
    may("published", "core distributed random accounting mechanisms inference")
    below = "core distributed random accounting mechanisms corpora evaluation inference output_perturbation vocabulary"
    may("analysis", "core distributed random accounting mechanisms inference io")
    may("pipeline", below " analysis")
    may("audit", below)
    may("report", below " analysis audit io pipeline")
  }
  FNR == 1 {
    check_guard()
    file = FILENAME
    room = room_of(file)
    guard = toupper(file)
    gsub(/[^A-Z0-9]/, "_", guard)
    seen_guard = guard_line = 0
    fragment = file ~ /\.inl$/
    if (room == "") {
      if (file != "dplda/dplda.hpp" && file != "dplda/version.hpp")
        fault("only dplda.hpp and version.hpp stand outside a room")
    } else if (!(room in known)) fault("unknown room " room ": give it its arrows in tests/package/check_includes.sh")
    if (file ~ /\.hpp$/ && file !~ /\/detail\// && file != "dplda/dplda.hpp") public[file] = 1
    if (room == "published") apart[file] = 1  # methods as printed in papers: users include them by name
    if (file ~ /\/distributed\/mpi_/) apart[file] = 1  # needs MPI
  }
  /^\/\/ dplda: fragment/ && file ~ /\/detail\// { fragment = 1 }
  seen_guard == 0 && $1 == "#ifndef" { seen_guard = $2 == guard ? 1 : -1; guard_line = FNR + 1 }
  seen_guard == 1 && $1 == "#define" { seen_guard = $2 == guard ? 2 : -1 }
  FNR != guard_line && /^[ \t]*#[ \t]*(define|undef)[ \t]/ {
    macro = $0
    sub(/^[ \t]*#[ \t]*[a-z]+[ \t]+/, "", macro)
    sub(/[^A-Za-z0-9_].*/, "", macro)
    if ($0 ~ /#[ \t]*undef/) undefined[file, macro] = 1
    else if (macro !~ /^DPLDA_/) fault("the macro " macro " does not start with DPLDA_")
    else if (macro !~ /^DPLDA_(VERSION_.*|INLINE)$/ && macro != guard) defined[file, macro] = 1
  }
  /^[ \t]*using[ \t]+namespace[ \t]/ { fault("a header does not say using namespace") }
  /^[ \t]*#[ \t]*include[ \t]*<iostream>/ { fault("a header does not include <iostream>") }
  /^[ \t]*#[ \t]*include[ \t]*"/ { fault("includes are written <dplda/...>, not in quotes") }
  /^[ \t]*#[ \t]*include[ \t]*<dplda\// {
    target = $0
    sub(/^[^<]*</, "", target)
    sub(/>.*/, "", target)
    if (file == "dplda/dplda.hpp") { shown[target] = 1; next }
    if (target == "dplda/version.hpp") next
    edge[file, target] = 1
    if (target == "dplda/dplda.hpp") fault("only users include the umbrella")
    else if (room in known && !((room, room_of(target)) in arrow))
      fault(room " must not include " room_of(target) " (" target ")")
    else if (room ~ /^(audit|pipeline)$/ && target ~ /\/detail\// && room_of(target) !~ "^(core|" room ")$")
      fault(room " must not include the details of " room_of(target) " (" target ")")
  }
  END {
    check_guard()
    # A macro may be meant for the fragment that is included next, and undefined there.
    for (arc in edge) {
      split(arc, end, SUBSEP)
      for (one in defined) {
        split(one, of, SUBSEP)
        if (of[1] == end[1] && (end[2], of[2]) in undefined) undefined[one] = 1
      }
    }
    for (one in defined) {
      split(one, of, SUBSEP)
      if (!(one in undefined))
        print "include/" of[1] ": undefine the macro " of[2]
    }
    # The refusal of -ffast-math spreads from config.hpp to whatever includes it, directly or not.
    refuses["dplda/core/config.hpp"] = 1
    do {
      spread = 0
      for (arc in edge) {
        split(arc, end, SUBSEP)
        if (end[2] in refuses && !(end[1] in refuses)) spread = refuses[end[1]] = 1
      }
    } while (spread)
    for (file in apart) if (file in shown) print "include/dplda/dplda.hpp: " file " is not for all"
    for (file in public) {
      if (!(file in shown) && !(file in apart)) print "include/" file ": dplda/dplda.hpp does not include it"
      if (!(file in refuses) && file != "dplda/version.hpp")
        print "include/" file ": include <dplda/core/config.hpp>, so that this header alone refuses -ffast-math"
    }
  }' | sort)

# A body that no source compiles would be missing from dplda::compiled. Those of class templates may stand in several.
missing=$(find dplda -name '*.ipp' | sort | while IFS= read -r body; do
  grep -qsF "#include <$body>" ../cmake/compiled/*.cpp || echo "include/$body: no file of cmake/compiled includes it"
done)

[ -z "$unlicensed$elsewhere$faults$missing" ] || {
  printf '%s\n' "$unlicensed" "$elsewhere" "$faults" "$missing" | sed '/^$/d'
  exit 1
}

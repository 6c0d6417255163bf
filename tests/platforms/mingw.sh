#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every header for Windows by mingw-w64, and runs the tests of these rooms under wine. Arguments name other rooms.
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
. tests/platforms/cross.sh
install_missing tests
install_missing mingw
begin=$(date +%s)
platform=mingw compiler='x86_64-w64-mingw32-g++-posix -Wa,-mbig-obj' libraries='-static -lbcrypt' ending=.exe
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
emulate() { WINEPREFIX=$PWD/build/mingw/wine WINEDEBUG=-all "$wine" "$@"; }
prepare
headers
[ $# -gt 0 ] || set -- core random accounting mechanisms vocabulary
for name in "$@"; do
  room "$name" "tests/$name"/*_test.cpp
done
say "mingw: $(($(date +%s) - begin)) s"

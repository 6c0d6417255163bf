#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For Windows by mingw-w64, under wine: compiles every header, runs the tests of these rooms, and compares results with
# this machine's. Arguments name other rooms.
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
. tests/platforms/cross.sh
install_missing tests
install_missing mingw
begin=$(date +%s)
platform=mingw compiler=x86_64-w64-mingw32-g++-posix flags=-Wa,-mbig-obj libraries='-static -lbcrypt' ending=.exe
emulator="env;WINEPREFIX=$PWD/build/mingw/wine;WINEDEBUG=-all;$(command -v wine64 || echo /usr/lib/wine/wine64)"
prepare -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64
headers
[ $# -gt 0 ] || set -- core random accounting mechanisms vocabulary svi
rooms "$@"
results
say "mingw: $(($(date +%s) - begin)) s; processor time of this shell and of its commands:"
times >&2

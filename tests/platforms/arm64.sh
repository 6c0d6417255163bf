#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every header for 64-bit ARM, and runs the tests of these rooms under qemu. Arguments name other rooms.
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
. tests/platforms/cross.sh
install_missing tests
install_missing arm64
begin=$(date +%s)
platform=arm64 compiler="aarch64-linux-gnu-g++ -Wno-psabi" libraries=-pthread ending=
emulate() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$@"; }
prepare
headers
[ $# -gt 0 ] || set -- core random accounting mechanisms vocabulary svi
for name in "$@"; do
  case $name in
  svi) room svi tests/inference/svi_test.cpp tests/inference/private_topics_test.cpp ;;
  *) room "$name" "tests/$name"/*_test.cpp ;;
  esac
done
say "arm64: $(($(date +%s) - begin)) s"

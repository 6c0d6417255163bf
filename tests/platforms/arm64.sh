#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For 64-bit ARM, under qemu: compiles every header, runs the tests of these rooms, finds NEON in the kernels, and
# compares results with this machine's. Arguments name other rooms.
set -eu
cd "$(dirname -- "$0")/../.."
. cmake/setup.sh
. tests/platforms/cross.sh

# neon: the kernels of documents, exp(digamma) and ChaCha20 are NEON instructions
neon() (
  aarch64-linux-gnu-objdump --disassemble --demangle --no-show-raw-insn build/arm64/libdplda_compiled.a | awk '
    /^[0-9a-f]+ <.*>:$/ { name = $0 }
    /fmla[ \t]+v[0-9]+\.(2d|4s)/ && name ~ /baseline::update_document_of</ { ++document }
    /fmla[ \t]+v[0-9]+\.(2d|4s)/ && name ~ /baseline::exp_digamma_function/ { ++exp_digamma }
    /eor[ \t]+v[0-9]+\.16b/ && name ~ /baseline::chacha20_eight_blocks/ { ++chacha20 }
    END {
      print "NEON instructions: documents " document + 0 ", exp(digamma) " exp_digamma + 0 ", ChaCha20 " chacha20 + 0
      exit !(document && exp_digamma && chacha20)
    }'
)

install_missing tests
install_missing arm64
begin=$(date +%s)
platform=arm64 compiler=aarch64-linux-gnu-g++ flags=-Wno-psabi libraries=-pthread ending=
emulator='qemu-aarch64;-L;/usr/aarch64-linux-gnu'
prepare -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
headers
[ $# -gt 0 ] || set -- core random accounting mechanisms vocabulary svi
rooms "$@"
neon
results
say "arm64: $(($(date +%s) - begin)) s; processor time of this shell and of its commands:"
times >&2

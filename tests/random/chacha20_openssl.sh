#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chacha20_openssl.sh <chacha20_stream>: our streams beside those of OpenSSL (the program or, without it, Python's
# cryptography), 32 MiB each; ends with 77, which ctest shows as skipped, where there is neither. OpenSSL's 16-byte iv is
# the 64-bit block counter and our 64-bit stream number, lowest byte first.
set -eu
program=$1

if openssl enc -chacha20 -K 00 -iv 00 -in /dev/null >/dev/null 2>&1; then
  reference() { head -c "$3" /dev/zero | openssl enc -chacha20 -K "$1" -iv "$2"; }
elif python3 -c 'import cryptography' >/dev/null 2>&1; then
  reference() {
    python3 -c 'import sys
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
key, iv = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2])
sys.stdout.buffer.write(Cipher(algorithms.ChaCha20(key, iv), None).encryptor().update(bytes(int(sys.argv[3]))))' "$@"
  }
else
  echo "SKIPPED: neither openssl with chacha20 nor python3 with cryptography is installed" >&2
  exit 77
fi

kib=32768
compare() { # <our key> <first block> <stream> <their key> <their iv>
  ours=$("$program" "$1" "$2" "$3" $kib | cksum)
  theirs=$(reference "$4" "$5" $((kib * 1024)) | cksum)
  if [ "$ours" != "$theirs" ]; then
    echo "stream $3 from block $2: $ours, but OpenSSL says $theirs" >&2
    exit 1
  fi
  echo "stream $3 from block $2: $((kib / 1024)) MiB agree, cksum $ours"
}

zero_key=0000000000000000000000000000000000000000000000000000000000000000
compare 0,0,0,0,0,0,0,0 0 0 $zero_key 00000000000000000000000000000000
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
words=03020100,07060504,0b0a0908,0f0e0d0c,13121110,17161514,1b1a1918,1f1e1d1c
compare $words 1 81985529216486895 $key 0100000000000000efcdab8967452301    # stream 0x0123456789abcdef
compare $words 4294967291 5 $key fbffffff000000000500000000000000            # 2^32 - 5: the counter carries

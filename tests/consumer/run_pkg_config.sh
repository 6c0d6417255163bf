#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_pkg_config.sh <pkg-config> <folder of dplda.pc> <compiler> <version> <source> <program> <warning>...: build and run
# without CMake; then once more with these warnings, silenced in dplda's headers as dplda.pc says.
set -eu
pkg_config=$1 compiler=$3 version=$4 source=$5 program=$6
PKG_CONFIG_PATH=$2
export PKG_CONFIG_PATH
shift 6

[ "$("$pkg_config" --modversion dplda)" = "$version" ]
flags=$("$pkg_config" --cflags --libs dplda)
echo "$flags"
case " $flags" in *' -W'*) exit 1 ;; esac
# shellcheck disable=SC2086  # the flags are words
"$compiler" -std=c++20 "$source" $flags -o "$program"
"$program"
# shellcheck disable=SC2086
"$compiler" -std=c++20 "$@" -fsyntax-only "$source" $flags -isystem "$("$pkg_config" --variable=includedir dplda)"

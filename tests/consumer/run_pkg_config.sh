#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_pkg_config.sh <pkg-config> <folder of dplda.pc> <compiler> <version> <source> <program>: build and run without CMake.
set -eu
pkg_config=$1 compiler=$3 version=$4 source=$5 program=$6
PKG_CONFIG_PATH=$2
export PKG_CONFIG_PATH

[ "$("$pkg_config" --modversion dplda)" = "$version" ]
flags=$("$pkg_config" --cflags --libs dplda)
echo "$flags"
case " $flags" in *' -W'*) exit 1 ;; esac
# shellcheck disable=SC2086  # the flags are words
"$compiler" -std=c++20 "$source" $flags -o "$program"
"$program"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup_test.sh <root> <scratch directory>: checks what cmake/setup.sh does and prints on machines made of stubs.
set -eu
setup=$1/cmake/setup.sh
scratch=$2
shell=$(command -v sh)
rm -rf "$scratch"

# stub <command> [script]: a command of the stub machine; each call is noted in $calls
stub() {
  printf '#!%s\necho "%s $*" >>"%s"\n%s\n' "$shell" "$1" "$calls" "${2:-}" >"$machine/bin/$1"
  chmod +x "$machine/bin/$1"
}

# machine <name> <command>...: a new Linux machine with these commands, user 1000, and no library
machine() {
  machine=$scratch/$1
  calls=$machine/calls
  mkdir -p "$machine/bin"
  : >"$calls"
  shift
  stub id 'echo 1000'
  stub uname 'echo Linux'
  for name in "$@"; do stub "$name"; done
}

library() {
  mkdir -p "$machine/$(dirname "$1")"
  : >"$machine/$1"
}

# setup <kind>: run install_missing on the stub machine; sets status and report
setup() {
  status=0
  # shellcheck disable=SC2016  # for the inner shell
  report=$(env -i PATH="$machine/bin" DPLDA_SYSTEM_PREFIXES="$machine" "$shell" -euc '. "$1"; install_missing "$2"' \
    sh "$setup" "$1" 2>&1) || status=$?
}

fail() {
  printf '%s: %s\nstatus %s, report:\n%s\ncalls:\n' "$machine" "$1" "$status" "$report"
  cat "$calls"
  exit 1
}
expect_status() { [ "$status" = "$1" ] || fail "expected status $1"; }
expect_report() { case $report in *"$1"*) ;; *) fail "expected the report to say: $1" ;; esac; }
expect_silence() { [ -z "$report" ] || fail "expected no report"; }
expect_calls() { [ "$(grep -Ev '^(id|uname) ' "$calls" || true)" = "$1" ] || fail "expected these calls: $1"; }
install='apt-get install -y --no-install-recommends'
everything='g++ cmake ninja-build libeigen3-dev libboost-dev'
for_tests='libcli11-dev zlib1g-dev libicu-dev libstemmer-dev catch2 pkg-config libopenmpi-dev openmpi-bin'

# Functions must not change a script's variables: a script that set a variable to a corpus once got ninja instead.
# shellcheck disable=SC2016  # for the inner shell
names='name prefix path list package packages brew as_root output status jobs bytes key kilobytes build_directory'
machine kept c++ cmake make ninja
stub nproc 'echo 2'
status=0
report=$(env -i PATH="$machine/bin" DPLDA_SYSTEM_PREFIXES="$machine" "$shell" -euc '
  . "$1"
  for each in $2; do eval "$each=mine"; done
  has_command ninja; has_file x || :; missing_packages tests >/dev/null; describe cmake >/dev/null
  quietly cmake; job_count >/dev/null; configure "$3" -S .
  for each in $2; do eval "[ \"\$$each\" = mine ] || echo \"$each was changed\""; done' \
  sh "$setup" "$names" "$machine/build" 2>&1) || status=$?
expect_status 0
expect_silence

machine complete c++ cmake make pkg-config mpicxx mpirun apt-get sudo
library include/eigen3/Eigen/Core
library include/boost/math/special_functions/digamma.hpp
library include/catch2/catch.hpp
library include/CLI/CLI.hpp
library include/zlib.h
library include/unicode/ubrk.h
library include/libstemmer.h
setup tests
expect_status 0
expect_silence
expect_calls ''

machine no_apt
setup examples
expect_status 1
expect_report 'there is no apt-get to install them with'
expect_report 'a C++20 compiler (g++ 12 or clang 16'
expect_report 'CMake 3.21 or later'
expect_report 'Ninja or make'
expect_report 'Eigen 3.4 or later'
expect_report 'the Boost headers, 1.74 or later'
expect_report 'set CMAKE_PREFIX_PATH'
case $report in *Catch2*) fail 'the examples do not need Catch2' ;; esac

machine no_apt_tests c++ cmake ninja
library include/Eigen/Core
library include/boost/math/special_functions/digamma.hpp
setup tests
expect_status 1
expect_report 'Catch2, 2.13.10 or later'
expect_report 'pkg-config'
expect_report 'CLI11 2.1 or later'
expect_report 'zlib'
expect_report 'ICU'
expect_report 'libstemmer'
case $report in *Eigen* | *compiler*) fail 'only what is missing is named' ;; esac

machine no_root apt-get
setup tests
expect_status 1
expect_report "takes root or sudo: $everything $for_tests"
expect_calls ''

machine with_sudo apt-get sudo
setup examples
expect_status 0
expect_report "installing $everything"
expect_calls "sudo env DEBIAN_FRONTEND=noninteractive $install $everything"

machine as_root apt-get
stub id 'echo 0'
stub env
setup tests
expect_status 0
expect_calls "env DEBIAN_FRONTEND=noninteractive $install $everything $for_tests"

# Package lists are fetched only after an install has failed.
machine stale_lists
stub id 'echo 0'
stub env 'shift; exec "$@"'
stub apt-get "case \$1 in update) : >'$machine/updated' ;; install) [ -e '$machine/updated' ] ;; esac"
setup examples
expect_status 0
expect_calls "$(printf '%s\n' "env DEBIAN_FRONTEND=noninteractive $install $everything" "$install $everything" \
  'apt-get update' "env DEBIAN_FRONTEND=noninteractive $install $everything" "$install $everything")"

machine offline
stub id 'echo 0'
stub env 'shift; exec "$@"'
stub apt-get 'echo "E: no network" >&2; exit 100'
setup examples
expect_status 1
expect_report 'E: no network'
expect_report "apt-get could not install: $everything"

# On a Mac the script says what to install, and continues once that is installed.
machine mac c++ cmake make apt-get sudo brew
stub uname 'echo Darwin'
setup tests
expect_status 1
expect_report 'Eigen 3.4 or later'
expect_report 'xcode-select --install'
expect_report 'brew install eigen boost cli11 icu4c snowball catch2 pkgconf'
expect_calls ''
library include/eigen3/Eigen/Core
library include/boost/math/special_functions/digamma.hpp
setup examples
expect_status 0
expect_silence

machine mac_jobs
stub uname 'echo Darwin'
stub getconf 'echo 8'
stub sysctl 'echo 8589934592'
status=0
report=$(env -i PATH="$machine/bin" "$shell" -euc '. "$1"; job_count' sh "$setup" 2>&1) || status=$?
expect_status 0
if ! [ -r /proc/meminfo ]; then expect_report 4; fi

machine other_compilers c++ cmake make apt-get sudo
library include/eigen3/Eigen/Core
library include/boost/math/special_functions/digamma.hpp
setup mingw
expect_calls "sudo env DEBIAN_FRONTEND=noninteractive $install g++-mingw-w64-x86-64-posix wine64"

echo "every machine was set up or told why not"

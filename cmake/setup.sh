# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by examples/run.sh, tests/run.sh, the scripts of tests/platforms/ and those of benchmarks/: finds what a build
# needs and installs missing packages with apt-get. On systems without it (macOS) it says what to install. Libraries are
# searched under CMAKE_PREFIX_PATH, CONDA_PREFIX and the prefixes in DPLDA_SYSTEM_PREFIXES. Functions run in subshells,
# ( ), so that their variables stay local.

say() { printf 'dplda: %s\n' "$*" >&2; }

has_command() (
  for name in "$@"; do
    ! command -v "$name" >/dev/null 2>&1 || return 0
  done
  return 1
)

has_file() (
  # shellcheck disable=SC2086  # a list
  for prefix in $(IFS=:; printf '%s ' ${CMAKE_PREFIX_PATH:-}) ${CONDA_PREFIX:-} \
    ${DPLDA_SYSTEM_PREFIXES:-/usr /usr/local /opt/homebrew /opt/local $(xcrun --show-sdk-path 2>/dev/null)/usr}; do
    for path in "$@"; do
      ! [ -e "$prefix/$path" ] || return 0
    done
  done
  return 1
)

# missing_packages tests|examples|program|micro|peers|scale|clang|libcxx|arm64|mingw: the Debian packages whose content was
# not found, in one line
missing_packages() (
  list=
  # shellcheck disable=SC2086  # CXX may be several words, such as "ccache g++"
  has_command ${CXX:-c++} || list="$list g++"
  has_command cmake || list="$list cmake"
  has_command ninja make || list="$list ninja-build"
  has_file include/eigen3/Eigen/Core include/Eigen/Core || list="$list libeigen3-dev"
  has_file include/boost/math/special_functions/digamma.hpp || list="$list libboost-dev"
  if [ "$1" = tests ] || [ "$1" = program ]; then
    has_file include/CLI/CLI.hpp || list="$list libcli11-dev"
    has_file include/zlib.h || list="$list zlib1g-dev"
    has_file include/unicode/ubrk.h || list="$list libicu-dev"
    has_file include/libstemmer.h || list="$list libstemmer-dev"
  fi
  if [ "$1" = tests ]; then
    has_file include/catch2/catch.hpp include/catch2/catch_all.hpp || list="$list catch2"
    has_command pkg-config || list="$list pkg-config"
  fi
  if [ "$1" = tests ] || [ "$1" = scale ]; then
    has_command mpicxx || list="$list libopenmpi-dev"
    has_command mpirun || list="$list openmpi-bin"
  fi
  if [ "$1" = micro ]; then
    has_file include/benchmark/benchmark.h || list="$list libbenchmark-dev"
  fi
  if [ "$1" = peers ]; then
    has_file lib/python3/dist-packages/sklearn || list="$list python3-sklearn"
    has_file lib/python3/dist-packages/gensim || list="$list python3-gensim"
  fi
  case $1 in
  clang)
    has_command clang++-16 || list="$list clang-16"
    has_command clang++-19 || list="$list clang-19"
    ;;
  libcxx)
    has_command clang++-19 || list="$list clang-19"
    has_file lib/llvm-19/include/c++/v1/version || list="$list libc++-19-dev libc++abi-19-dev"
    ;;
  arm64)
    has_command aarch64-linux-gnu-g++ || list="$list g++-aarch64-linux-gnu"
    has_command qemu-aarch64 || list="$list qemu-user"
    ;;
  mingw)
    has_command x86_64-w64-mingw32-g++-posix || list="$list g++-mingw-w64-x86-64-posix"
    has_command wine64 || has_file lib/wine/wine64 || list="$list wine64"
    ;;
  esac
  printf %s "${list# }"
)

# describe <Debian package>: a description for any system
describe() (
  case $1 in
  g++) echo 'a C++20 compiler (g++ 12 or clang 16, or later; CXX names it if it is not c++)' ;;
  cmake) echo 'CMake 3.21 or later' ;;
  ninja-build) echo 'Ninja or make' ;;
  libeigen3-dev) echo 'Eigen 3.4 or later (often called eigen or eigen3-devel)' ;;
  libboost-dev) echo 'the Boost headers, 1.74 or later (often called boost or boost-devel)' ;;
  catch2) echo 'Catch2, 2.13.10 or later (often called catch2 or catch-devel)' ;;
  libcli11-dev) echo 'CLI11 2.1 or later' ;;
  zlib1g-dev) echo 'zlib' ;;
  libicu-dev) echo 'ICU (often called icu4c or icu-devel)' ;;
  libstemmer-dev) echo "libstemmer of Snowball" ;;
  pkg-config) echo 'pkg-config (often called pkgconf)' ;;
  libopenmpi-dev) echo 'MPI with its headers (Open MPI, often called open-mpi or openmpi-devel)' ;;
  openmpi-bin) echo 'mpirun of Open MPI' ;;
  libbenchmark-dev) echo 'Google Benchmark' ;;
  python3-sklearn) echo 'scikit-learn for /usr/bin/python3, with numpy and scipy' ;;
  python3-gensim) echo 'gensim for /usr/bin/python3' ;;
  *) echo "what Debian calls $1" ;;
  esac
)

# brew_name <Debian package>: its name in Homebrew; empty for parts of Xcode's command line tools
brew_name() (
  case $1 in
  g++ | zlib1g-dev) ;;
  ninja-build) echo ninja ;;
  libeigen3-dev) echo eigen ;;
  libboost-dev) echo boost ;;
  libcli11-dev) echo cli11 ;;
  pkg-config) echo pkgconf ;;
  libbenchmark-dev) echo google-benchmark ;;
  libicu-dev) echo icu4c ;;
  libstemmer-dev) echo snowball ;;
  libopenmpi-dev) echo open-mpi ;;
  openmpi-bin) ;;
  cmake | catch2) echo "$1" ;;
  esac
)

# install_missing <kind, as above>: does nothing if nothing is missing
install_missing() (
  packages=$(missing_packages "$1")
  [ -n "$packages" ] || return 0

  if [ "$(uname)" != Linux ] || ! has_command apt-get; then
    say "these are missing, and there is no apt-get to install them with:"
    brew=
    for package in $packages; do
      say "  $(describe "$package")"
      brew="$brew $(brew_name "$package")"
    done
    if [ "$(uname)" = Darwin ]; then
      say "The compiler and zlib come with 'xcode-select --install', the rest with Homebrew:"
      # shellcheck disable=SC2086  # a list; empty names leave no blanks
      say "  brew install" $brew
    fi
    say "Install them and run this again. If they are installed already, set CMAKE_PREFIX_PATH to their location."
    return 1
  fi

  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif has_command sudo; then
    as_root=sudo
  else
    say "these packages are missing, and installing them takes root or sudo: $packages"
    say "Ask for: apt-get install --no-install-recommends $packages"
    return 1
  fi

  say "installing $packages"
  # shellcheck disable=SC2086  # lists of words
  set -- $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
  # On a new or outdated machine apt-get must first update its package lists.
  # shellcheck disable=SC2086
  quietly "$@" 2>/dev/null || { quietly $as_root apt-get update && quietly "$@"; } || {
    say "apt-get could not install: $packages"
    return 1
  }
)

# quietly <command>...: its output is shown only if it fails
quietly() (
  if output=$("$@" 2>&1); then
    return 0
  else
    status=$?
    printf '%s\n' "$output" >&2
    return "$status"
  fi
)

# job_count: one job per processor, but at most one per 2 GB of free memory (of all memory on macOS)
job_count() (
  if has_command nproc; then jobs=$(nproc); else jobs=$(getconf _NPROCESSORS_ONLN); fi
  if ! [ -r /proc/meminfo ] && bytes=$(sysctl -n hw.memsize 2>/dev/null); then
    [ "$jobs" -le $((bytes / 2000000000)) ] || jobs=$((bytes / 2000000000))
  fi
  if [ -r /proc/meminfo ]; then
    while read -r key kilobytes _; do
      if [ "$key" = MemAvailable: ] && [ "$jobs" -gt $((kilobytes / 2000000)) ]; then
        jobs=$((kilobytes / 2000000))
      fi
    done </proc/meminfo
  fi
  [ "$jobs" -ge 1 ] || jobs=1
  echo "$jobs"
)

# configure_benchmarks [<compiler flag>]: configures the benchmarks' programs, optimised, and prints the build directory
configure_benchmarks() (
  build=$root/build/benchmarks/programs${1:-}
  configure "$build" -S "$root" -DCMAKE_BUILD_TYPE=Release -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF \
    -DDPLDA_BUILD_BENCHMARKS=ON -DDPLDA_WARNINGS_AS_ERRORS=OFF -DCMAKE_CXX_FLAGS="${1:-}"
  echo "$build"
)

# configure <build directory> <option>...: runs CMake; a new build directory uses Ninja if it is installed
configure() (
  build_directory=$1
  shift
  if ! [ -e "$build_directory/CMakeCache.txt" ] && has_command ninja; then
    set -- -G Ninja "$@"
  fi
  quietly cmake -B "$build_directory" "$@"
)

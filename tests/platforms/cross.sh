# shellcheck shell=sh disable=SC2154  # whoever sources it assigns
# SPDX-License-Identifier: Apache-2.0
# Sourced by arm64.sh and mingw.sh from the root of dplda: the ordinary build and tests, by a compiler for another
# machine. They set
#   platform   the name of the build folder
#   compiler   the compiler
#   flags      its flags
#   libraries  what its programs link beside dplda
#   ending     of its programs' names
#   emulator   the command that runs its programs, words separated by semicolons

# prepare <option>...: makes the build folder. Eigen, Boost and Catch2 get a folder of their own there, because in
# /usr/include they stand beside the C library of this machine.
prepare() (
  prefix=$PWD/build/$platform/prefix
  mkdir -p "$prefix/include" "$prefix/share/eigen3" "$prefix/lib/cmake" "$prefix/boost/lib/cmake"
  ln -sfn /usr/include/boost /usr/include/catch2 /usr/include/eigen3 "$prefix/include"
  ln -sf /usr/lib/libCatch2* "$prefix/lib"
  cp -R /usr/share/eigen3/cmake "$prefix/share/eigen3"
  cp -R /usr/lib/cmake/Catch2 "$prefix/lib/cmake"
  cp -R /usr/lib/*/cmake/[Bb]oost* "$prefix/boost/lib/cmake"
  configure "build/$platform" --preset dev -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator" -DCMAKE_EXE_LINKER_FLAGS="$libraries" \
    -DDPLDA_COMPILE_CATCH2=ON -DDPLDA_BUILD_EXAMPLES=OFF "$@"
)

# compile <compiler> <option>...: with the headers of dplda, Eigen and Boost
compile() (
  "$@" -std=c++20 -Wall -Wextra -Iinclude -isystem "build/$platform/prefix/include" \
    -isystem "build/$platform/prefix/include/eigen3"
)

# headers: every public header compiles, without dplda::compiled
headers() (
  {
    echo '#include <dplda/dplda.hpp>'
    find include/dplda/published -maxdepth 1 -name '*.hpp' | sed 's|^include/\(.*\)|#include <\1>|'
  } >"build/$platform/headers.cpp"
  # shellcheck disable=SC2086  # several flags
  compile "$compiler" $flags -fsyntax-only -Werror "build/$platform/headers.cpp"
)

# emulate <program> <argument>...: runs a program of the other machine
emulate() (
  IFS=';'
  # shellcheck disable=SC2086  # several words
  set -- $emulator "$@"
  "$@"
)

# run_room <name>: svi stands for the tests of inference/ that need neither Gibbs sampling nor spectral learning. The
# accountants' sweep is left out, because it is long.
run_room() (
  case $1 in
  svi) set -- inference '~[gibbs]~[spectral]~[private_spectral]~[private_token_gibbs]~*private_gibbs' ;;
  *) set -- "$1" '~[sweep]' ;;
  esac
  emulate "build/$platform/tests/dplda_test_$1$ending" "$2" >"build/$platform/$1.log" 2>&1 && failed= || failed=1
  say "$platform, $1: $(tail -n 2 "build/$platform/$1.log" | tr -d '\n')"
  [ -z "$failed" ] || {
    cat "build/$platform/$1.log"
    return 1
  }
)

# rooms <name>...: builds the tests of these rooms, and runs the rooms two at a time
rooms() (
  targets=$(printf 'dplda_test_%s\n' "$@" | sed 's/_svi$/_inference/')
  # shellcheck disable=SC2086  # a list
  cmake --build "build/$platform" --parallel "$(job_count)" --target $targets
  failed=
  while [ $# -gt 0 ]; do
    run_room "$1" &
    first=$!
    shift
    [ $# -eq 0 ] || { run_room "$1" || failed=1; shift; }
    wait "$first" || failed=1
  done
  [ -z "$failed" ]
)

# results: fixed seeds give the results of this machine, in integers exactly and in doubles to ten digits
results() (
  folder=build/$platform
  # shellcheck disable=SC2086  # several flags
  compile "$compiler" $flags -O2 -DDPLDA_COMPILED tests/platforms/results.cpp "$folder/libdplda_compiled.a" $libraries \
    -o "$folder/results.exe"
  compile "${CXX:-c++}" -O2 tests/platforms/results.cpp -pthread -o "$folder/results"
  emulate "$folder/results.exe" >"$folder/results.there"
  "$folder/results" >"$folder/results.here"
  paste -d ' ' "$folder/results.here" "$folder/results.there" | awk '
    { sub(/\r$/, "") }
    $1 != $3 { exit failed = 1 }
    { ++lines[$1] }
    $2 == $4 { next }
    {
      off = ($2 - $4) / $2
      if (off < 0) off = -off
      if (off > most[$1]) most[$1] = off
      if ($2 !~ /\./ || !(off < 1e-10)) failed = 1
    }
    END {
      for (name in lines) print name ": " lines[name] " results, relative difference " most[name] + 0
      exit failed
    }'
)

# shellcheck shell=sh disable=SC2154  # whoever sources it assigns
# SPDX-License-Identifier: Apache-2.0
# Sourced by arm64.sh and mingw.sh from the root of dplda. They set
#   platform   the name of the build folder
#   compiler   the compiler with its flags
#   libraries  what is linked
#   ending     of the programs' names
# and a function emulate <program> <argument>..., which runs a program.

# Headers of other packages, without /usr/include: there is the C library of this machine.
prepare() (
  mkdir -p "build/$platform/include" "build/$platform/objects"
  for name in boost catch2 eigen3/Eigen; do
    ln -sfn "/usr/include/$name" "build/$platform/include/$(basename "$name")"
  done
)

# compile <source>: into build/$platform/objects, unless its object is newer than every header
compile() (
  object=build/$platform/objects/$(printf %s "$1" | tr / _).o
  if [ -e "$object" ] &&
    [ -z "$(find "$1" include tests -newer "$object" \( -path "$1" -o -name '*.[hi]pp' -o -name '*.inl' \) | head -n 1)" ]; then
    return 0
  fi
  # shellcheck disable=SC2086  # several words
  $compiler -std=c++20 -O1 -Wall -Wextra -Iinclude -Itests -isystem "build/$platform/include" -c "$1" -o "$object" || {
    rm -f "$object"
    say "$1 does not compile for $platform"
    return 1
  }
)

# headers: every public header compiles
headers() (
  {
    echo '#include <dplda/dplda.hpp>'
    find include/dplda/published -maxdepth 1 -name '*.hpp' | sed 's|^include/\(.*\)|#include <\1>|'
  } >"build/$platform/headers.cpp"
  # shellcheck disable=SC2086
  $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Iinclude -isystem "build/$platform/include" "build/$platform/headers.cpp"
)

# room <name> <test file>...: compiles these tests, links them and runs them
room() (
  name=$1
  shift
  objects=
  for source in tests/support/catch_main.cpp "$@"; do
    compile "$source"
    objects="$objects build/$platform/objects/$(printf %s "$source" | tr / _).o"
  done
  # shellcheck disable=SC2086
  $compiler $objects $libraries -o "build/$platform/$name$ending"
  say "$platform: $name"
  emulate "build/$platform/$name$ending" "~[sweep]"
)

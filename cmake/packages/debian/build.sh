#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh <work directory> [<option of dpkg-buildpackage>...]: the Debian source package and its packages, in the work
# directory. -b builds libdplda-dev and the program, -A builds libdplda-dev alone; without options the source is
# packed as well.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
work=$1
shift
version=$(sed -n 's/^dplda (\(.*\)-[^-]*) .*/\1/p;q' "$here/changelog")
tree=dplda-$version

mkdir -p "$work"
cd "$work"
rm -rf "$tree"
mkdir "$tree"
(cd "$root" && tar cf - CMakeLists.txt CMakePresets.json LICENSE README.md .clang-format .clang-tidy .github \
  benchmarks cmake examples include tests) | tar xf - -C "$tree"
tar czf "dplda_$version.orig.tar.gz" --owner=0 --group=0 --sort=name "$tree"
cp -r "$tree/cmake/packages/debian" "$tree/debian"
rm "$tree/debian/build.sh"
cd "$tree"
exec dpkg-buildpackage --no-sign "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cpack_test.sh <root> <scratch directory> <cmake> <cpack> <version>: CPack makes an archive of the headers and, where dpkg
# is installed, libdplda-dev.
set -eu
root=$1 scratch=$2 cmake=$3 cpack=$4 version=$5
rm -rf "$scratch"
"$cmake" -S "$root" -B "$scratch" -DDPLDA_BUILD_TESTS=OFF -DDPLDA_BUILD_EXAMPLES=OFF >"$scratch.log"
cd "$scratch"
"$cpack" -G TGZ >>"$scratch.log"
tar tzf "dplda-$version-$(uname).tar.gz" | grep '/include/dplda/dplda.hpp$'
if command -v dpkg-deb >/dev/null; then
  "$cpack" -G DEB >>"$scratch.log"
  dpkg-deb --field "libdplda-dev_${version}_all.deb" Package Version Architecture Depends
  dpkg-deb --contents "libdplda-dev_${version}_all.deb" | grep '/usr/include/dplda/dplda.hpp$'
else
  echo "dpkg is not installed, so no .deb was made"
fi

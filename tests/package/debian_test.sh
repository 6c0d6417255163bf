#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debian_test.sh <root> <scratch directory>: the Debian source package builds libdplda-dev, and lintian finds no error in
# either. Exit code 77: dpkg-buildpackage, debhelper or what the package is built from is not installed.
set -eu
root=$1 scratch=$2
skip() { echo "SKIPPED: $1, so the Debian package was not built"; exit 77; }
for tool in dpkg-buildpackage dh fakeroot; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done

rm -rf "$scratch"
sh "$root/cmake/packages/debian/build.sh" "$scratch" --build=source,all >"$scratch.log" 2>&1 || {
  ! grep -q 'Unmet build dependencies' "$scratch.log" || skip "$(grep 'Unmet build dependencies' "$scratch.log")"
  cat "$scratch.log"
  exit 1
}
cd "$scratch"
dpkg-deb --contents libdplda-dev_*_all.deb >contents
for file in include/dplda/dplda.hpp share/cmake/dplda/dpldaConfig.cmake share/pkgconfig/dplda.pc; do
  grep -q "/usr/$file\$" contents || { echo "libdplda-dev has no $file"; exit 1; }
done
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error dplda_*.changes
else
  echo "lintian is not installed, so the package was built, but not checked"
fi

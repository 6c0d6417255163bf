#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_includes_test.sh <scratch directory>: check_includes.sh accepts a good tree and refuses each fault by name.
set -eu
check=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/check_includes.sh
tree=$1

# header <path> <line>...: a good header at include/dplda/<path>, with these lines in it
header() {
  path=dplda/$1
  guard=$(printf %s "$path" | tr 'a-z/.' 'A-Z__')
  shift
  mkdir -p "$tree/include/$(dirname "$path")"
  printf '%s\n' '// SPDX-License-Identifier: Apache-2.0' "#ifndef $guard" "#define $guard" "$@" '#endif' \
    >"$tree/include/$path"
}

good_tree() {
  rm -rf "$tree"
  header version.hpp
  header core/config.hpp
  header core/corpus.hpp '#include <dplda/core/config.hpp>'
  header random/uniform.hpp '#include <dplda/core/config.hpp>' '#include <dplda/version.hpp>' '#include <vector>'
  header dplda.hpp '#include <dplda/core/config.hpp>' '#include <dplda/core/corpus.hpp>' \
    '#include <dplda/random/uniform.hpp>' '#include <dplda/version.hpp>'
}

# refused <sentence>: the tree is refused, with this sentence and no other
refused() {
  if report=$(sh "$check" "$tree"); then
    echo "accepted, but expected: $1"
    exit 1
  fi
  [ "$report" = "$1" ] || {
    printf 'expected: %s\ngot:      %s\n' "$1" "$report"
    exit 1
  }
  good_tree
}

good_tree
mkdir "$tree/include/dplda/core/detail"
printf '%s\n' '// SPDX-License-Identifier: Apache-2.0' '// dplda: fragment' '#undef DPLDA_PART' \
  >"$tree/include/dplda/core/detail/part.hpp"
header core/corpus.hpp '#include <dplda/core/config.hpp>' '#define DPLDA_HERE' '# undef DPLDA_HERE' '#define DPLDA_PART 1' '#include <dplda/core/detail/part.hpp>'
sh "$check" "$tree"

header core/corpus.hpp '#include <dplda/random/uniform.hpp>'
refused 'include/dplda/core/corpus.hpp:4: core must not include random (dplda/random/uniform.hpp)'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '#  include <dplda/dplda.hpp>  // everything'
refused 'include/dplda/core/corpus.hpp:5: only users include the umbrella'

header core/corpus.hpp '#include "config.hpp"' '#include <dplda/core/config.hpp>'
refused 'include/dplda/core/corpus.hpp:4: includes are written <dplda/...>, not in quotes'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '#include <iostream>'
refused 'include/dplda/core/corpus.hpp:5: a header does not include <iostream>'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '  using namespace std;'
refused 'include/dplda/core/corpus.hpp:5: a header does not say using namespace'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '#  define TWICE(x) (2 * (x))' '#undef TWICE'
refused 'include/dplda/core/corpus.hpp:5: the macro TWICE does not start with DPLDA_'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '#define DPLDA_TWICE(x) (2 * (x))'
header random/uniform.hpp '#include <dplda/core/config.hpp>' '#undef DPLDA_TWICE'
refused 'include/dplda/core/corpus.hpp: undefine the macro DPLDA_TWICE'

header core/corpus.hpp '#include <dplda/core/config.hpp>' '#define DPLDA_DETAIL_TWICE(x) (2 * (x))'
refused 'include/dplda/core/corpus.hpp: undefine the macro DPLDA_DETAIL_TWICE'

header inference/detail/kernel.hpp
header audit/detail/score.hpp '#include <dplda/inference/detail/kernel.hpp>'
refused "include/dplda/audit/detail/score.hpp:4: \
audit must not include the details of inference (dplda/inference/detail/kernel.hpp)"

header core/detail/leaf.hpp '#include <vector>'
header core/corpus.hpp '#include <dplda/core/detail/leaf.hpp>'
refused 'include/dplda/core/corpus.hpp: include <dplda/core/config.hpp>, so that this header alone refuses -ffast-math'

header core/detail/loop.inl '#include <dplda/random/uniform.hpp>'
refused 'include/dplda/core/detail/loop.inl:4: core must not include random (dplda/random/uniform.hpp)'

header core/detail/corpus.ipp '#include <dplda/random/uniform.hpp>'
mkdir -p "$tree/cmake/compiled"
printf '%s\n' '// SPDX-License-Identifier: Apache-2.0' '#include <dplda/core/detail/corpus.ipp>' >"$tree/cmake/compiled/core.cpp"
refused 'include/dplda/core/detail/corpus.ipp:4: core must not include random (dplda/random/uniform.hpp)'

header core/detail/corpus.ipp '#include <dplda/core/corpus.hpp>'
refused 'include/dplda/core/detail/corpus.ipp: no file of cmake/compiled includes it'

header core/extra.hpp '#include <dplda/core/config.hpp>'
refused 'include/dplda/core/extra.hpp: dplda/dplda.hpp does not include it'

header attic/detail/old.hpp
refused "include/dplda/attic/detail/old.hpp:1: unknown room attic: \
give it its arrows in tests/package/check_includes.sh"

header loose.hpp '#include <dplda/core/config.hpp>'
header dplda.hpp "$(grep include "$tree/include/dplda/dplda.hpp")" '#include <dplda/loose.hpp>'
refused 'include/dplda/loose.hpp:1: only dplda.hpp and version.hpp stand outside a room'

sed 's/DPLDA_CORE_CORPUS_HPP/CORPUS_HPP/' "$tree/include/dplda/core/corpus.hpp" >"$tree/edited"
mv "$tree/edited" "$tree/include/dplda/core/corpus.hpp"
refused 'include/dplda/core/corpus.hpp: the include guard must be DPLDA_CORE_CORPUS_HPP'

sed 's/#define DPLDA_CORE/#define DPLDA_CARE/' "$tree/include/dplda/core/corpus.hpp" >"$tree/edited"
mv "$tree/edited" "$tree/include/dplda/core/corpus.hpp"
refused 'include/dplda/core/corpus.hpp: the include guard must be DPLDA_CORE_CORPUS_HPP'

header core/names.hpp '#include <dplda/core/config.hpp>' 'namespace dplda::detail {' '}'
header dplda.hpp "$(grep include "$tree/include/dplda/dplda.hpp")" '#include <dplda/core/names.hpp>'
printf '%s\n' '// SPDX-License-Identifier: Apache-2.0' '#ifndef DPLDA_VERSION_HPP' '#define DPLDA_VERSION_HPP' \
  '#define DPLDA_VERSION_MAJOR 1' '#define DPLDA_VERSION_MINOR 2' '#endif' >"$tree/include/dplda/version.hpp"
refused 'include/dplda/core/names.hpp:5: the namespace must be dplda::inline v1_2, or one in it'

mkdir "$tree/tests"
echo 'int main() {}' >"$tree/tests/a_test.cpp"
refused 'tests/a_test.cpp: the SPDX line is missing'

echo "all faults were refused"

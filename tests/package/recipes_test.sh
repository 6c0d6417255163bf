#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recipes_test.sh <root> <scratch directory> <cmake> <version>: the recipes in cmake/packages name this version and options
# that exist, and the vcpkg port and the Conan recipe install a package, with stand-ins for vcpkg's and Conan's own
# functions. Exit code 77: there is no Python.
set -eu
root=$1 scratch=$2 cmake=$3 version=$4
rm -rf "$scratch"
mkdir -p "$scratch/conan/tools"
fail() { echo "$1"; exit 1; }

for option in $(grep -rhoE 'DPLDA_[A-Z]+_[A-Z_]+' "$root/cmake/packages" | grep -v '^DPLDA_VERSION' | sort -u); do
  grep -rq "option($option " "$root/CMakeLists.txt" "$root/cmake"/*.cmake || fail "there is no option $option"
done
grep -q "^dplda ($version-" "$root/cmake/packages/debian/changelog" || fail "the Debian changelog names another version"

# installed <prefix> <folder of dpldaConfig.cmake>
installed() {
  for file in include/dplda/dplda.hpp "$2/dpldaConfig.cmake"; do
    [ -s "$1/$file" ] || fail "$1 has no $file"
  done
}

# vcpkg: its functions do what they would, without its toolchain.
cat >"$scratch/vcpkg.cmake" <<'END'
function(vcpkg_cmake_configure)
  cmake_parse_arguments(given "" SOURCE_PATH OPTIONS ${ARGN})
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${given_SOURCE_PATH}" -B build ${given_OPTIONS}
    "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install build COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(given "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
  file(RENAME "${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}" "${scratch}/config")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share/${given_PACKAGE_NAME}")
  file(COPY "${scratch}/config/" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${given_PACKAGE_NAME}")
endfunction()
function(vcpkg_fixup_pkgconfig)
  file(GLOB found "${CURRENT_PACKAGES_DIR}/share/pkgconfig/*.pc")
  if(NOT found)
    message(FATAL_ERROR "no .pc file was installed")
  endif()
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(given "" "" FILE_LIST ${ARGN})
  file(SIZE "${given_FILE_LIST}" size)
endfunction()
set(CURRENT_PACKAGES_DIR "${scratch}/vcpkg")
include("${port}/portfile.cmake")
END
(cd "$scratch" && "$cmake" "-Dscratch=$scratch" "-Dport=$root/cmake/packages/vcpkg/dplda" -P vcpkg.cmake) >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; fail "the vcpkg port does not install"; }
installed "$scratch/vcpkg" share/dplda

if ! command -v python3 >/dev/null; then
  echo "SKIPPED: python3 is not installed, so the Conan recipe and vcpkg.json were not checked"
  exit 77
fi
cat >"$scratch/conan/__init__.py" <<'END'
class ConanFile: pass
END
: >"$scratch/conan/tools/__init__.py"
cat >"$scratch/conan/tools/build.py" <<'END'
def check_min_cppstd(recipe, standard): assert standard == 20
END
cat >"$scratch/conan/tools/files.py" <<'END'
import pathlib, shutil
def load(recipe, path): return pathlib.Path(path).read_text()
def copy(recipe, pattern, source, target):
    found = [path for path in pathlib.Path(source).glob(pattern)]
    assert found, pattern
    for path in found:
        place = pathlib.Path(target, path.relative_to(source))
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy)(path, place)
END
cat >"$scratch/conan/tools/cmake.py" <<'END'
import subprocess
def cmake_layout(recipe): pass
class CMake:
    def __init__(self, recipe): self.recipe = recipe
    def configure(self, variables):
        subprocess.run([self.recipe.cmake, "-S", self.recipe.source_folder, "-B", self.recipe.build_folder] +
                       ["-D%s=%s" % pair for pair in variables.items()], check=True)
    def install(self):
        subprocess.run([self.recipe.cmake, "--install", self.recipe.build_folder, "--prefix",
                        self.recipe.package_folder], check=True)
END
cat >"$scratch/check.py" <<'END'
import importlib.util, json, pathlib, sys
root, scratch, cmake, version = sys.argv[1:]
sys.dont_write_bytecode = True
port = json.loads(pathlib.Path(root, "cmake/packages/vcpkg/dplda/vcpkg.json").read_text())
assert port["name"] == "dplda" and port["version"] == version, "vcpkg.json names another version"
names = [d if isinstance(d, str) else d["name"] for d in port["dependencies"]]
assert names == sorted(names) and {"eigen3", "boost-math"} <= set(names), names

file = pathlib.Path(root, "cmake/packages/conan/conanfile.py")
spec = importlib.util.spec_from_file_location("conanfile", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
recipe = module.DpldaConan()
recipe.cmake, recipe.recipe_folder = cmake, str(file.parent)
recipe.export_sources_folder = recipe.source_folder = scratch + "/sources"
recipe.build_folder, recipe.package_folder = scratch + "/build_conan", scratch + "/conan_package"
recipe.set_version()
assert recipe.version == version, recipe.version
required = []
recipe.requires = lambda reference, **traits: required.append(reference.split("/")[0])
recipe.requirements()
assert required == ["eigen", "boost"], required
recipe.validate()
recipe.layout()
recipe.export_sources()
recipe.build()
recipe.package()
END
PYTHONPATH=$scratch python3 -B "$scratch/check.py" "$root" "$scratch" "$cmake" "$version" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; fail "the recipes are not right"; }
installed "$scratch/conan_package" share/cmake/dplda
[ -s "$scratch/conan_package/licenses/LICENSE" ] || fail "the Conan package has no licence"

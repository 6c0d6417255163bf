# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe for a checkout: conan create cmake/packages/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, load


class DpldaConan(ConanFile):
    name = "dplda"
    description = "Differentially private LDA topic models"
    license = "Apache-2.0"
    topics = ("differential-privacy", "topic-model", "lda", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "dplda", "version.hpp"))
        self.version = ".".join(re.search(r"#define DPLDA_VERSION_%s (\d+)" % part, header).group(1)
                                for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("eigen/3.4.0", transitive_headers=True)
        self.requires("boost/1.81.0", transitive_headers=True, options={"header_only": True})

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        self.info.clear()

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"DPLDA_BUILD_TESTS": "OFF", "DPLDA_BUILD_EXAMPLES": "OFF"})

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "dplda")
        self.cpp_info.set_property("cmake_target_name", "dplda::dplda")
        self.cpp_info.set_property("pkg_config_name", "dplda")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]

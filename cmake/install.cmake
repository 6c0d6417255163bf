# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, the CMake package, the pkg-config file and gdb's printers, relocatable and, without
# dplda::compiled, free of architecture.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(targets dplda)
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/dplda)
set(any_architecture ARCH_INDEPENDENT)
if(DPLDA_COMPILED)
  list(APPEND targets dplda_compiled)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dplda)
  set(any_architecture)
endif()
set(pkgconfig_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(DIRECTORY include/dplda DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inl" PATTERN "*.ipp" PATTERN "README.md")
install(FILES cmake/gdb/dplda_printers.py DESTINATION ${CMAKE_INSTALL_DATADIR}/dplda/gdb)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(TARGETS ${targets} EXPORT dplda INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dplda NAMESPACE dplda:: FILE dpldaTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/dpldaConfig.cmake.in dpldaConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 each minor version may change the interface.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION VERSION_LESS 1)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(dpldaConfigVersion.cmake COMPATIBILITY ${compatibility} ${any_architecture})
install(FILES "${PROJECT_BINARY_DIR}/dpldaConfig.cmake" "${PROJECT_BINARY_DIR}/dpldaConfigVersion.cmake"
  cmake/dplda_mpi.cmake DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies; an absolute include directory replaces the prefix.
file(RELATIVE_PATH pc_to_prefix "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
set(pc_includedir "\${prefix}")
cmake_path(APPEND pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/dplda.pc.in dplda.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/dplda.pc" DESTINATION ${pkgconfig_dir})

# SPDX-License-Identifier: Apache-2.0
# The pages of the library, in <build directory>/docs/html: cmake --build <build directory> --target docs. A warning of
# Doxygen's is an error.
find_program(DPLDA_DOXYGEN doxygen)
mark_as_advanced(DPLDA_DOXYGEN)
set(docs_dir "${PROJECT_BINARY_DIR}/docs")
configure_file(cmake/Doxyfile.in docs/Doxyfile @ONLY)
if(DPLDA_DOXYGEN)
  add_custom_target(docs COMMAND "${DPLDA_DOXYGEN}" "${docs_dir}/Doxyfile"
    COMMAND "${CMAKE_COMMAND}" -E echo "${docs_dir}/html/index.html" VERBATIM)
else()
  add_custom_target(docs COMMAND "${CMAKE_COMMAND}" -E echo "the pages need doxygen: install it and configure again"
    COMMAND "${CMAKE_COMMAND}" -E false VERBATIM)
endif()

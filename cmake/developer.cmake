# SPDX-License-Identifier: Apache-2.0
# What dplda's own programs are compiled with. These targets are never exported and dplda itself never links them.
option(DPLDA_WARNINGS_AS_ERRORS "Treat warnings in dplda's own programs as errors" ON)
set(DPLDA_SANITIZE "" CACHE STRING "Sanitizers for dplda's own programs, e.g. \"address,undefined\" or \"thread\"")

add_library(dplda_warnings INTERFACE)
target_compile_options(dplda_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  "$<$<BOOL:${DPLDA_WARNINGS_AS_ERRORS}>:-Werror>")

add_library(dplda_sanitizers INTERFACE)
if(DPLDA_SANITIZE)
  target_compile_options(dplda_sanitizers INTERFACE
    -fsanitize=${DPLDA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dplda_sanitizers INTERFACE -fsanitize=${DPLDA_SANITIZE})
endif()

if(DPLDA_COMPILED)
  target_link_libraries(dplda_compiled PRIVATE
    "$<BUILD_INTERFACE:dplda_warnings>" "$<BUILD_INTERFACE:dplda_sanitizers>")
  set(own_library dplda::compiled)
else()
  set(own_library dplda::dplda)
endif()

# Make one of dplda's own programs out of a target: dplda_program(<target> <source>...).
function(dplda_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE ${own_library} dplda_warnings dplda_sanitizers)
endfunction()

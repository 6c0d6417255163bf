# SPDX-License-Identifier: Apache-2.0
# A project that holds dplda inside itself got one target and nothing else: no test, no example, no setting changed.
get_property(targets DIRECTORY "${DPLDA_ROOT}" PROPERTY BUILDSYSTEM_TARGETS)
get_property(folders DIRECTORY "${DPLDA_ROOT}" PROPERTY SUBDIRECTORIES)
if(NOT targets STREQUAL "dplda" OR folders)
  message(FATAL_ERROR "dplda brought more than itself: targets ${targets}, folders ${folders}")
endif()
foreach(setting CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS CMAKE_CXX_STANDARD DPLDA_BUILD_TESTS)
  if(NOT "${${setting}}" STREQUAL "")
    message(FATAL_ERROR "dplda set ${setting} to ${${setting}}")
  endif()
endforeach()

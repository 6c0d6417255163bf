# SPDX-License-Identifier: Apache-2.0
# The target dplda::mpi, for distributed/mpi_communicator.hpp, if MPI is found: for the project and for its package.
set(dplda_mpi_FOUND FALSE)
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  if(NOT TARGET dplda::mpi)
    add_library(dplda::mpi INTERFACE IMPORTED GLOBAL)
    target_link_libraries(dplda::mpi INTERFACE dplda::dplda MPI::MPI_CXX)
    # MPI's former C++ interface is not used.
    target_compile_definitions(dplda::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  endif()
  set(dplda_mpi_FOUND TRUE)
endif()

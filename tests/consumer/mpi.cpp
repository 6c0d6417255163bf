// SPDX-License-Identifier: Apache-2.0
// A program of several processes, run here as one.
#include <dplda/distributed/mpi_communicator.hpp>

#include <cstdint>
#include <iostream>
#include <span>

int main(int argc, char** argv) {
  const dplda::mpi_session mpi(argc, argv);
  std::uint64_t sum = mpi.processes().rank() + 1;
  mpi.processes().sum(std::span(&sum, 1));
  std::cout << mpi.processes().size() << " processes\n";
  return sum == 1 && std::cout.flush() ? 0 : 1;
}

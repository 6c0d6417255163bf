// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_MPI_COMMUNICATOR_HPP
#define DPLDA_DISTRIBUTED_MPI_COMMUNICATOR_HPP

// Processes that MPI has started. This header is not in dplda.hpp: link dplda::mpi, which CMake's find_package(dplda
// COMPONENTS mpi) offers. All else never needs MPI.
//
// If a process dies, or MPI reports an error, MPI ends all processes of the job: that is its own default, and is kept.
// What is thrown here (no memory for a buffer) would leave the others waiting, so it ends the job, too.

#include <dplda/distributed/process_group.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// A Communicator over an MPI communicator, which must outlive it. MPI adds unsigned words as C does, modulo 2^64.
class mpi_communicator {
 public:
  explicit mpi_communicator(MPI_Comm all = MPI_COMM_WORLD) : all_(all) {}

  std::size_t rank() const noexcept {
    int rank = 0;
    MPI_Comm_rank(all_, &rank);
    return static_cast<std::size_t>(rank);
  }
  std::size_t size() const noexcept {
    int size = 1;
    MPI_Comm_size(all_, &size);
    return static_cast<std::size_t>(size);
  }

  void sum(std::span<std::uint64_t> words) noexcept {
    MPI_Allreduce(MPI_IN_PLACE, words.data(), number(words.size()), MPI_UINT64_T, MPI_SUM, all_);
  }

  void sum_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) noexcept {
    const layout slices(sizes);
    const std::size_t own = rank();
    std::vector<std::uint64_t> sums(std::max<std::size_t>(1, sizes[own]));
    MPI_Reduce_scatter(words.data(), sums.data(), slices.sizes.data(), MPI_UINT64_T, MPI_SUM, all_);
    std::copy_n(sums.begin(), sizes[own], words.begin() + slices.begins[own]);
  }

  void gather_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) noexcept {
    const layout slices(sizes);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words.data(), slices.sizes.data(), slices.begins.data(),
                   MPI_UINT64_T, all_);
  }

  void broadcast(std::span<std::byte> bytes, std::size_t from) noexcept {
    MPI_Bcast(bytes.data(), number(bytes.size()), MPI_BYTE, number(from), all_);
  }

 private:
  // process_group hands over at most 2^25 bytes at once.
  static int number(std::size_t size) { return static_cast<int>(size); }

  struct layout {
    explicit layout(std::span<const std::size_t> slices) {
      int begin = 0;
      for (const std::size_t size : slices) {
        sizes.push_back(number(size));
        begins.push_back(begin);
        begin += sizes.back();
      }
    }
    std::vector<int> sizes, begins;
  };

  MPI_Comm all_;
};

/// MPI from here to the end of the scope: make one in main, before anything else. If an exception leaves the scope, all
/// processes of the job are ended, because the others would wait for this one.
class mpi_session {
 public:
  mpi_session(int& argc, char**& argv) {
    int offered = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &offered);
    if (offered < MPI_THREAD_FUNNELED) MPI_Abort(MPI_COMM_WORLD, 1);  // it would not bear the threads of a fit
    processes_ = process_group(mpi_communicator());
  }
  ~mpi_session() {
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
  }
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;

  const process_group& processes() const noexcept { return processes_; }

 private:
  process_group processes_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace dplda::inline v0_1

#endif

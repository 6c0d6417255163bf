// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_PARALLEL_HPP
#define DPLDA_CORE_PARALLEL_HPP

#include <dplda/core/detail/function_ref.hpp>

#include <cstddef>

namespace dplda::inline v0_1 {

/// The number of threads for a request; 0 means as many as the machine runs at once.
std::size_t thread_count(std::size_t requested);

/// Calls work(begin, end, worker) on pieces of [0, n) of at most `grain` items, from `threads` threads (worker <
/// threads). Which worker gets which piece varies from run to run, so results must not depend on it: let each item
/// write to its own place. The first exception is rethrown here, after all workers have stopped.
void parallel_for(std::size_t n, std::size_t grain, std::size_t threads,
                  detail::function_ref<void(std::size_t, std::size_t, std::size_t)> work);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/parallel.ipp>
#endif

#endif

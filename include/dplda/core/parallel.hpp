// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_PARALLEL_HPP
#define DPLDA_CORE_PARALLEL_HPP

#include <dplda/core/detail/function_ref.hpp>

#include <cstddef>
#include <memory>

namespace dplda::inline v0_1 {

/// The number of threads for a request; 0 means as many as the machine runs at once.
std::size_t thread_count(std::size_t requested);

/// Calls work(begin, end, worker) on pieces of [0, n) of at most `grain` items, from `threads` threads (worker <
/// threads). Which worker gets which piece varies from run to run, so results must not depend on it: let each item
/// write to its own place. The first exception is rethrown here, after all workers have stopped.
void parallel_for(std::size_t n, std::size_t grain, std::size_t threads,
                  detail::function_ref<void(std::size_t, std::size_t, std::size_t)> work);

namespace detail {

class thread_team;

/// While it lives, calls of parallel_for from the thread that made it share their helper threads, instead of starting
/// new ones each time. Within the work itself, and in a process forked meanwhile, parallel_for is as without it.
class kept_threads {
 public:
  kept_threads();
  ~kept_threads();
  kept_threads(const kept_threads&) = delete;
  kept_threads& operator=(const kept_threads&) = delete;

 private:
  std::unique_ptr<thread_team> team_;  // none within another one's life
};

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/parallel.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_PARALLEL_HPP
#define DPLDA_CORE_PARALLEL_HPP

#include <dplda/core/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// Threads that are joined at the end of their scope, also when an exception is thrown. (libc++ has std::jthread only
/// from version 20 on.)
class joined_threads {
 public:
  joined_threads() = default;
  joined_threads(const joined_threads&) = delete;
  joined_threads& operator=(const joined_threads&) = delete;
  ~joined_threads() {
    for (std::thread& one : threads_) one.join();
  }

  template <class Run>
  void start(const Run& run, std::size_t worker) {
    threads_.emplace_back(run, worker);
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace detail

/// The number of threads for a request; 0 means as many as the machine runs at once.
inline std::size_t thread_count(std::size_t requested) {
  return requested > 0 ? requested : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

/// Calls work(begin, end, worker) on pieces of [0, n) of at most `grain` items, from `threads` threads (worker <
/// threads). Which worker gets which piece varies from run to run, so results must not depend on it: let each item
/// write
/// to its own place. The first exception is rethrown here, after all workers have stopped.
template <class Work>
void parallel_for(std::size_t n, std::size_t grain, std::size_t threads, Work&& work) {
  grain = std::max<std::size_t>(1, grain);
  threads = std::min(threads, (n + grain - 1) / grain);
  if (threads <= 1) {
    for (std::size_t begin = 0; begin < n; begin += grain) work(begin, std::min(n, begin + grain), std::size_t{0});
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_guard;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t begin; (begin = next.fetch_add(grain)) < n;) work(begin, std::min(n, begin + grain), worker);
    } catch (...) {
      next = n;
      const std::lock_guard lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    detail::joined_threads helpers;
    for (std::size_t worker = 1; worker < threads; ++worker) helpers.start(run, worker);
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dplda::inline v0_1

#endif

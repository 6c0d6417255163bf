// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_PARALLEL_IPP
#define DPLDA_CORE_DETAIL_PARALLEL_IPP

// Bodies of core/parallel.hpp.

#include <dplda/core/parallel.hpp>

#include <algorithm>
#include <atomic>
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

  void start(function_ref<void(std::size_t)> run, std::size_t worker) { threads_.emplace_back(run, worker); }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace detail

DPLDA_INLINE std::size_t thread_count(std::size_t requested) {
  return requested > 0 ? requested : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

DPLDA_INLINE void parallel_for(std::size_t n, std::size_t grain, std::size_t threads,
                               detail::function_ref<void(std::size_t, std::size_t, std::size_t)> work) {
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

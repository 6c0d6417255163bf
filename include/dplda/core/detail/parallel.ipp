// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_PARALLEL_IPP
#define DPLDA_CORE_DETAIL_PARALLEL_IPP

// Bodies of core/parallel.hpp.

#include <dplda/core/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace dplda::inline v0_1 {

namespace detail {

/// Helper threads, started when they are first needed. One job at a time.
class thread_team {
 public:
  thread_team() = default;
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team() {
    {
      const std::lock_guard lock(guard_);
      stopping_ = true;
    }
    start_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  /// Calls job(0) here and job(1), ..., job(threads - 1) in helper threads; fewer of these if the system refuses to start
  /// more. The job must not throw.
  void run(std::size_t threads, function_ref<void(std::size_t)> job) {
    while (helpers_.size() + 1 < threads && add_helper()) {
    }
    {
      const std::lock_guard lock(guard_);
      job_ = &job;
      wanted_ = running_ = std::min(threads - 1, helpers_.size());
      ++jobs_;
    }
    start_.notify_all();
    job(0);
    std::unique_lock lock(guard_);
    done_.wait(lock, [&] { return running_ == 0; });
  }

  /// Whether this is the process that made the team: a forked one has a copy of it, but not its threads.
  bool is_own_process() const { return process_ == process(); }

  /// The team that serves this thread, if any.
  static thread_team*& current() {
    thread_local thread_team* team = nullptr;
    return team;
  }

 private:
#if defined(__unix__) || defined(__APPLE__)
  static long process() { return static_cast<long>(getpid()); }
#else
  static long process() { return 0; }  // no fork
#endif

  bool add_helper() {
    try {
      helpers_.emplace_back([this, own = helpers_.size() + 1] { serve(own); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void serve(std::size_t own) {
    std::unique_lock lock(guard_);
    for (std::size_t seen = 0;;) {
      start_.wait(lock, [&] { return stopping_ || (jobs_ != seen && own <= wanted_); });
      if (stopping_) return;
      seen = jobs_;
      lock.unlock();
      (*job_)(own);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  const long process_ = process();
  std::mutex guard_;
  std::condition_variable start_, done_;
  function_ref<void(std::size_t)>* job_ = nullptr;
  std::size_t jobs_ = 0, wanted_ = 0, running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> helpers_ = {};
};

/// While it lives, the team of this thread takes no other job.
class busy_team {
 public:
  busy_team() : team_(std::exchange(thread_team::current(), nullptr)) {}
  ~busy_team() { thread_team::current() = team_; }
  busy_team(const busy_team&) = delete;
  busy_team& operator=(const busy_team&) = delete;

 private:
  thread_team* team_;
};

DPLDA_INLINE kept_threads::kept_threads() {
  if (thread_team::current() != nullptr) return;
  team_ = std::make_unique<thread_team>();
  thread_team::current() = team_.get();
}

DPLDA_INLINE kept_threads::~kept_threads() {
  if (!team_) return;
  thread_team::current() = nullptr;
  if (!team_->is_own_process()) static_cast<void>(team_.release());  // it would wait for threads that are not there
}

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
  detail::thread_team* const kept = detail::thread_team::current();
  if (kept != nullptr && kept->is_own_process()) {
    const detail::busy_team busy;
    kept->run(threads, run);
  } else {
    detail::thread_team().run(threads, run);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dplda::inline v0_1

#endif

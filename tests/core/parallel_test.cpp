// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/parallel.hpp>

#include "support/catch.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using dplda::parallel_for;

TEST_CASE("parallel_for visits each item once, whatever the threads and the grain", "[core][parallel]") {
  const std::size_t threads = GENERATE(0u, 1u, 2u, 3u, 8u);
  const std::size_t grain = GENERATE(0u, 1u, 7u, 1000u);
  const std::size_t n = GENERATE(0u, 1u, 100u);
  CAPTURE(threads, grain, n);
  std::vector<int> visits(n, 0);
  std::atomic<bool> in_bounds{true};
  parallel_for(n, grain, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    if (begin >= end || end - begin > (grain > 0 ? grain : 1) || worker >= (threads > 0 ? threads : 1))
      in_bounds = false;
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(in_bounds);
  CHECK(visits == std::vector<int>(n, 1));
}

TEST_CASE("parallel_for never runs one worker twice at the same time", "[core][parallel]") {
  std::vector<std::atomic<int>> busy(4);
  std::atomic<bool> shared{false};
  parallel_for(2000, 1, 4, [&](std::size_t, std::size_t, std::size_t worker) {
    if (busy[worker].fetch_add(1) != 0) shared = true;
    busy[worker].fetch_sub(1);
  });
  CHECK_FALSE(shared);
}

TEST_CASE("parallel_for passes an exception on and stops", "[core][parallel]") {
  const std::size_t threads = GENERATE(1u, 4u);
  std::atomic<std::size_t> done{0};
  const auto run = [&] {
    parallel_for(100000, 1, threads, [&](std::size_t begin, std::size_t, std::size_t) {
      if (begin == 10) throw std::runtime_error("item 10");
      // All the others would take far longer than an exception needs.
      if (begin > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done;
    });
  };
  CHECK_THROWS_WITH(run(), "item 10");
  CHECK(done < 99999);
}

TEST_CASE("thread_count keeps a request and turns 0 into the machine's number", "[core][parallel]") {
  CHECK(dplda::thread_count(3) == 3);
  CHECK(dplda::thread_count(0) >= 1);
}

TEST_CASE("Kept threads give parallel_for the same results, and serve again and again", "[core][parallel]") {
  const dplda::detail::kept_threads keep;
  std::atomic<int> started{0};  // threads that had not been here before
  for (std::size_t round = 0; round < 200; ++round) {
    const std::size_t threads = 1 + round % 5, n = round * 7 % 60;
    std::vector<int> visits(n, 0);
    std::vector<std::atomic<int>> busy(threads);
    std::atomic<bool> sound{true};
    parallel_for(n, 3, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      if (worker >= threads || busy[worker].fetch_add(1) != 0) sound = false;
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
      thread_local bool known = false;
      if (!std::exchange(known, true)) ++started;
      busy[worker].fetch_sub(1);
    });
    CHECK(sound);
    CHECK(visits == std::vector<int>(n, 1));
  }
  CHECK(started <= 5);  // this thread and four helpers, which are never replaced
}

TEST_CASE("Kept threads pass an exception on and serve the next call", "[core][parallel]") {
  const dplda::detail::kept_threads keep;
  const dplda::detail::kept_threads within;  // changes nothing
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_WITH(parallel_for(100, 1, 4,
                                   [&](std::size_t begin, std::size_t, std::size_t) {
                                     if (begin % 10 == 9) throw std::runtime_error("an item");
                                   }),
                      "an item");
    std::atomic<std::size_t> done{0};
    parallel_for(100, 1, 4, [&](std::size_t, std::size_t, std::size_t) { ++done; });
    CHECK(done == 100);
  }
}

TEST_CASE("Work that calls parallel_for itself gets threads of its own", "[core][parallel]") {
  const dplda::detail::kept_threads keep;
  std::atomic<std::size_t> done{0};
  parallel_for(20, 1, 3, [&](std::size_t, std::size_t, std::size_t) {
    parallel_for(10, 1, 3, [&](std::size_t, std::size_t, std::size_t) { ++done; });
  });
  CHECK(done == 200);
}

// The thread sanitizer starts no threads after a fork.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__SANITIZE_THREAD__)
TEST_CASE("A process that was forked while threads were kept does without them", "[core][parallel]") {
  const auto sum_of = [](std::size_t n) {
    std::atomic<std::size_t> sum{0};
    parallel_for(n, 1, 3, [&](std::size_t begin, std::size_t, std::size_t) { sum += begin; });
    return sum.load();
  };
  pid_t child = 0;
  {
    const dplda::detail::kept_threads keep;
    CHECK(sum_of(100) == 4950);  // the helpers run now
    child = fork();
    if (child == 0 && sum_of(100) != 4950) _exit(1);
  }  // the child does not wait for threads that only its parent has
  if (child == 0) _exit(0);
  REQUIRE(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/parallel.hpp>

#include "support/catch.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

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

// SPDX-License-Identifier: Apache-2.0
// The random sweep at length: sweep [sets = 100000] [seed = 1] [pld for one set in = 1]. Prints what does not hold.

#include "accounting/sweep.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return i < count ? std::strtoull(arguments[i], nullptr, 10) : otherwise;
  };
  const std::uint64_t sets = argument(1, 100000);
  dplda_tests::sweep sweep(argument(2, 1), {.pld_every = argument(3, 1)});
  const auto start = std::chrono::steady_clock::now();
  double slowest = 0;
  std::size_t told = 0;
  for (std::uint64_t i = 0; i < sets; ++i) {
    const auto before = std::chrono::steady_clock::now();
    sweep.next();
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    for (; told < sweep.result().faults.size(); ++told) {
      std::printf("set %llu: %s\n", static_cast<unsigned long long>(i), sweep.result().faults[told].c_str());
      std::fflush(stdout);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf(
      "%zu sets, %zu checks, %zu faults; %.0f s, the slowest set %.1f s; pld: widest bounds %.3g, none for %zu\n",
      sweep.result().sets, sweep.result().checks, told, seconds, slowest, sweep.result().widest,
      sweep.result().without_pld);
  return told == 0 ? 0 : 1;
}

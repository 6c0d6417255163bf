// SPDX-License-Identifier: Apache-2.0
// The random sweep at length: sweep [sets = 100000] [seed = 1] [pld for one set in = 1] [relative width = 0.02]. Prints
// what does not hold, and quantiles of the relative gaps between the bounds of pld.

#include "accounting/sweep.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return i < count ? std::strtoull(arguments[i], nullptr, 10) : otherwise;
  };
  const std::uint64_t sets = argument(1, 100000);
  const double width = count > 4 ? std::strtod(arguments[4], nullptr) : 0.02;
  dplda_tests::sweep sweep(argument(2, 1), {.pld_every = argument(3, 1), .accuracy = {.relative_width = width}});
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
  std::printf("%zu sets, %zu checks, %zu faults; %.0f s, the slowest set %.1f s; pld: no bounds for %zu, gaps",
              sweep.result().sets, sweep.result().checks, told, seconds, slowest, sweep.result().without_pld);
  std::vector<double> gaps = sweep.result().gaps;
  std::sort(gaps.begin(), gaps.end());
  for (const double share : {0.25, 0.5, 0.75, 0.95, 1.0}) {
    if (gaps.empty()) break;
    std::printf(" %g%%: %.2g", 100 * share, gaps[static_cast<std::size_t>(share * static_cast<double>(gaps.size() - 1))]);
  }
  std::printf("\n");
  return told == 0 ? 0 : 1;
}

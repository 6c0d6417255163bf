// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_CLOCK_HPP
#define DPLDA_BENCHMARKS_SUPPORT_CLOCK_HPP

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

/// Seconds of processor time of the whole process, all threads together.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Wall-clock seconds.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of `work` by a clock: the least of some runs.
template <class Clock, class Work>
double least_seconds(int runs, Clock&& clock, Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const double before = clock();
    work();
    least = std::min(least, clock() - before);
  }
  return least;
}

/// The peak memory of the process, in MiB. From /proc, because getrusage also counts the process before exec.
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    double kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The accountants at q = 0.01, noise 1, 10000 steps, delta = 1e-5, and the time to compile them.

#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/filter.hpp>
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>

namespace {

const dplda::privacy_event step{.noise = dplda::gaussian_noise{1}, .sampling = dplda::poisson_sample{0.01}};

dplda::ledger run(double noise, std::uint64_t steps) {
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{noise}, .sampling = dplda::poisson_sample{0.01}}, steps);
  return book;
}

/// The computed value, beside the time. (A label, because CSV files cannot hold counters that only some runs have.)
void show(benchmark::State& state, double from, double to) {
  std::ostringstream text;
  text << std::setprecision(8) << from;
  if (to != from) text << " to " << to;
  state.SetLabel(text.str());
}

void epsilon(benchmark::State& state, dplda::accountant rule) {
  const dplda::ledger book = run(1, 10000);
  dplda::certified_bounds bounds{};
  for (auto _ : state) bounds = dplda::ledger_epsilon(book, 1e-5, rule);
  show(state, bounds.lower, bounds.upper);
}

void delta(benchmark::State& state, dplda::accountant rule) {
  const dplda::ledger book = run(1, 10000);
  dplda::certified_bounds bounds{};
  for (auto _ : state) bounds = dplda::ledger_delta(book, 6, rule);
  show(state, bounds.lower, bounds.upper);
}

void calibration(benchmark::State& state, dplda::accountant rule) {
  double noise = 0;
  for (auto _ : state) {
    noise = dplda::smallest_noise([](double z) { return run(z, 10000); }, {1, 1e-5}, rule);
  }
  show(state, noise, noise);
}

void odometer_first_spend(benchmark::State& state) {
  for (auto _ : state) {
    dplda::odometer spent;
    spent.spend(step);
    benchmark::ClobberMemory();
  }
}

void odometer_spend(benchmark::State& state) {
  dplda::odometer spent;
  for (auto _ : state) spent.spend(step);
}

void odometer_query(benchmark::State& state) {
  dplda::odometer spent;
  spent.spend(step, 10000);
  double epsilon_so_far = 0;
  for (auto _ : state) epsilon_so_far = spent.epsilon(1e-5);
  show(state, epsilon_so_far, epsilon_so_far);
}

void filter_spend(benchmark::State& state) {
  dplda::privacy_filter filter({1e9, 1e-5}, {.order = 4});
  bool admitted = true;
  for (auto _ : state) admitted = filter.spend(step) && admitted;
  if (!admitted) state.SkipWithError("the budget was exceeded");
}

/// Seconds to compile a file that includes this header and nothing else, by the compiler of $CXX or c++.
double compile_seconds(const std::string& header) {
  const char* given = std::getenv("CXX");
  const std::filesystem::path include = std::filesystem::path(__FILE__).parent_path() / "../../include";
  const std::string command = std::string("echo '#include <") + header + ">' | " + (given != nullptr ? given : "c++") +
                              " -std=c++20 -x c++ -fsyntax-only -I '" + include.string() +
                              "' -isystem /usr/include/eigen3 -";
  const auto start = std::chrono::steady_clock::now();
  const int code = std::system(command.c_str());
  return code == 0 ? std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() : -1;
}

void compilation(benchmark::State& state, const char* header) {
  for (auto _ : state) {
    const double seconds = compile_seconds(header);
    if (seconds < 0) {
      state.SkipWithError("it does not compile");
      break;
    }
    state.SetIterationTime(seconds);
  }
}

}  // namespace

BENCHMARK_CAPTURE(epsilon, rdp, dplda::accountant::rdp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(epsilon, pld, dplda::accountant::pld)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(epsilon, best, dplda::accountant::best)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(delta, rdp, dplda::accountant::rdp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(delta, pld, dplda::accountant::pld)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, rdp, dplda::accountant::rdp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, pld, dplda::accountant::pld)->Unit(benchmark::kMillisecond);
BENCHMARK(odometer_first_spend)->Unit(benchmark::kMicrosecond);
BENCHMARK(odometer_spend)->Unit(benchmark::kMicrosecond);
BENCHMARK(odometer_query)->Unit(benchmark::kMicrosecond);
BENCHMARK(filter_spend)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(compilation, accountant, "dplda/accounting/accountant.hpp")
    ->UseManualTime()
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(compilation, rdp, "dplda/accounting/rdp.hpp")->UseManualTime()->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(compilation, nothing_but_std, "vector")->UseManualTime()->Unit(benchmark::kSecond);
BENCHMARK_MAIN();

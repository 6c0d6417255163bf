// SPDX-License-Identifier: Apache-2.0
// The vectorised functions compared with libm and Boost.Math, values per second.

#include <dplda/core/vector_math.hpp>
#include <dplda/inference/prior.hpp>
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

namespace {

constexpr std::size_t count = 4096;

template <class Real>
std::vector<Real> values(double low, double high) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> position(low, high);
  std::vector<Real> x(count);
  for (Real& value : x) value = static_cast<Real>(position(bits));
  return x;
}

template <class Real, class Function>
void run(benchmark::State& state, const std::vector<Real>& x, Function function) {
  std::vector<Real> y(count);
  for (auto _ : state) {
    function(x, y);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

template <class Real>
void exp_dplda(benchmark::State& state) {
  run(state, values<Real>(-50, 50), [](const auto& x, auto& y) { dplda::vector_exp<Real>(x, y); });
}

template <class Real>
void exp_libm(benchmark::State& state) {
  run(state, values<Real>(-50, 50), [](const auto& x, auto& y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = std::exp(x[i]);
  });
}

template <class Real>
void exp_digamma_dplda(benchmark::State& state) {
  run(state, values<Real>(0.02, 100), [](const auto& x, auto& y) { dplda::vector_exp_digamma<Real>(x, y); });
}

void exp_digamma_boost(benchmark::State& state) {
  run(state, values<double>(0.02, 100), [](const auto& x, auto& y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = std::exp(dplda::detail::digamma(x[i]));
  });
}

}  // namespace

BENCHMARK(exp_dplda<double>);
BENCHMARK(exp_libm<double>);
BENCHMARK(exp_dplda<float>);
BENCHMARK(exp_libm<float>);
BENCHMARK(exp_digamma_dplda<double>);
BENCHMARK(exp_digamma_boost);
BENCHMARK(exp_digamma_dplda<float>);
BENCHMARK_MAIN();

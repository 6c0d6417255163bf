// SPDX-License-Identifier: Apache-2.0
// The cost of a release (noise on all cells, the entry in the ledger, the conversion to floating point), compared with
// std::normal_distribution filling as many doubles; contributions a second; and one release of very many cells.
//
//   release [--large <cells>]     cells of the large release, 200 million by default; 0 leaves it out

#include <dplda/mechanisms/accumulator.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace {

constexpr std::size_t rows = 8000, row_size = 100, cells = rows * row_size;

template <class Work>
double seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Twenty words, in ascending order, with row_size positive values each: the contribution of a document of average
// length.
template <class Real>
struct contribution {
  std::vector<std::uint32_t> where = std::vector<std::uint32_t>(20);
  std::vector<Real> values;

  contribution(std::size_t all_rows, std::size_t width, std::mt19937_64& bits) : values(20 * width) {
    std::uniform_int_distribution<std::uint32_t> row(0, static_cast<std::uint32_t>(all_rows / 20 - 1));
    for (std::uint32_t i = 0; i < 20; ++i) where[i] = static_cast<std::uint32_t>(all_rows / 20) * i + row(bits);
    std::uniform_real_distribution<double> value(0, 1);
    for (Real& v : values) v = static_cast<Real>(value(bits));
  }

  void add_to(dplda::accumulator& sums) const {
    sums.add(std::span<const std::uint32_t>(where), std::span<const Real>(values));
  }
};

void whole_releases() {
  constexpr int rounds = 15;
  const dplda::accumulator_options plan{.rows = rows, .row_size = row_size, .clip = 10, .noise_multiplier = 1};
  dplda::accumulator sums(plan);
  dplda::random_source random = dplda::secure_random();
  dplda::ledger spent;
  std::vector<double> result(cells), reference(cells);
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  std::mt19937_64 words(2);
  const contribution<double> unit(rows, row_size, words);

  // Interleaved, so that all sides see the same disturbances; the best of each.
  double best[4];
  std::fill(std::begin(best), std::end(best), std::numeric_limits<double>::infinity());
  const auto keep = [](double& b, double time) { b = std::min(b, time); };
  for (int round = 0; round < rounds; ++round) {
    keep(best[0], seconds([&] {
           for (double& x : reference) x = normal(bits);
         }));
    for (const std::size_t threads : {1u, 2u}) {
      unit.add_to(sums);
      keep(best[threads], seconds([&] { sums.publish(random, spent, std::span(result), threads); }));
    }
  }
  std::printf("release of %zu cells, best of %d:\n", cells, rounds);
  std::printf("  std::normal_distribution<double>, mt19937_64, 1 thread  %7.2f ms  %6.1f million cells a second\n",
              1e3 * best[0], 1e-6 * static_cast<double>(cells) / best[0]);
  for (const std::size_t threads : {1u, 2u}) {
    std::printf("  whole release, exact Gaussian, %zu thread%s               %7.2f ms  %6.1f million  %5.2fx\n",
                threads, threads == 1 ? " " : "s", 1e3 * best[threads],
                1e-6 * static_cast<double>(cells) / best[threads], best[0] / best[threads]);
  }
  std::printf("  (checks: %g %g)\n", reference[0], result[0]);
}

template <class Real>
void additions(const char* name, dplda::noise_kind noise) {
  constexpr int units = 200, rounds = 20;
  dplda::accumulator sums({.rows = rows, .row_size = row_size, .clip = 10, .noise_multiplier = 1, .noise = noise});
  std::mt19937_64 bits(1);
  std::vector<contribution<Real>> batch;
  for (int i = 0; i < units; ++i) batch.emplace_back(rows, row_size, bits);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, seconds([&] {
                      for (const contribution<Real>& unit : batch) unit.add_to(sums);
                    }));
  }
  const double values = static_cast<double>(batch.size() * batch[0].values.size());
  std::printf("  %-24s %6.1f million values a second\n", name, 1e-6 * values / best);
}

void large_release(std::size_t large) {
  constexpr std::size_t width = 100;
  const std::size_t words = large / width;
  dplda::random_source random = dplda::secure_random();
  dplda::ledger spent;
  const double before = peak_megabytes();
  double filling = 0, releasing = 0;
  {
    dplda::accumulator sums({.rows = words, .row_size = width, .clip = 10, .noise_multiplier = 1});
    std::mt19937_64 bits(1);
    std::vector<contribution<float>> batch;
    for (int i = 0; i < 1000; ++i) batch.emplace_back(words, width, bits);
    filling = seconds([&] {
      for (const contribution<float>& unit : batch) unit.add_to(sums);
    });
    std::vector<float> result(sums.cells());
    releasing = seconds([&] { sums.publish(random, spent, std::span(result), 2); });
  }
  std::printf(
      "large release, %zu cells, float, 2 threads: 1000 sparse contributions in %.3f s, release in %.2f s "
      "(%.1f million cells a second), peak memory %.0f MB (%.1f bytes a cell)\n",
      words * width, filling, releasing, 1e-6 * static_cast<double>(words * width) / releasing, peak_megabytes(),
      (peak_megabytes() - before) * 1024 * 1024 / static_cast<double>(words * width));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t large = 200000000;
  if (argc == 3 && std::strcmp(argv[1], "--large") == 0) {
    large = std::strtoull(argv[2], nullptr, 10);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: release [--large <cells>]\n");
    return 2;
  }
  whole_releases();
  std::printf("add(), 20 rows of %zu values, 1 thread:\n", row_size);
  additions<double>("l2, double", dplda::noise_kind::gaussian);
  additions<float>("l2, float", dplda::noise_kind::gaussian);
  additions<double>("l1, double", dplda::noise_kind::laplace);
  additions<float>("l1, float", dplda::noise_kind::laplace);
  if (large >= 2000) large_release(large);
  return 0;
}

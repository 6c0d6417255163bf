// SPDX-License-Identifier: Apache-2.0
// The two mechanisms that sum over processes: one release of the sum, noise once on each cell.

#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/allocation_sampler.hpp>
#include <dplda/mechanisms/fixed_size_sampler.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/mechanisms/sparse_histogram.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/thread_group.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

using namespace dplda;
using dplda_tests::in_processes;
using dplda_tests::refusal;

namespace {

const accumulator_options plan{.rows = 3000, .row_size = 3, .clip = 2, .noise_multiplier = 0.7, .label = "sums"};

// Every unit of `size` processes adds to its own row.
std::vector<double> released(const process_group& group, random_source& random, std::uint64_t units, ledger& spent,
                             std::size_t threads, const accumulator_options& options = plan) {
  accumulator sums(options);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    if (unit * 31 % group.size() != group.rank()) continue;
    const std::uint32_t row = unit * 7 % static_cast<std::uint32_t>(options.rows);
    const std::vector<double> values(options.row_size, 0.1 * unit);
    sums.add(std::span(&row, 1), std::span(values));
  }
  return sums.publish(random, spent, threads);
}

}  // namespace

TEST_CASE("A release by several processes has the bits of one process", "[distributed]") {
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace, noise_kind::discrete_gaussian}) {
    accumulator_options options = plan;
    options.noise = noise;
    auto random = seeded_random(1);
    ledger spent;
    const std::vector<double> expected = released({}, random, 500, spent, 1, options);
    for (const std::size_t size : {1, 2, 3, 4, 6}) {
      for (const std::size_t threads : {1, 2}) {
        const auto all = in_processes(size, [&](const process_group& group) {
          auto own = shared_random(group, 1);
          ledger book;
          const std::vector<double> sums = released(group, own, 500, book, threads, options);
          return std::pair(sums, book);
        });
        for (const auto& [sums, book] : all) {
          CHECK(sums == expected);
          CHECK(book == spent);
        }
      }
    }
  }
}

TEST_CASE("Noise of several processes is drawn once on each cell, with its planned size", "[distributed]") {
  // 36,000 cells without a unit, from a secret key: the sum of squares of standard normal variables. A false alarm has
  // probability 1e-9; noise drawn by each of 3 processes has 3 times the variance, none has 0, and noise that blocks share is
  // found by the equality of cells.
  constexpr double cells = 36000;
  accumulator_options options = plan;
  options.rows = 12000;
  const auto all = in_processes(3, [&](const process_group& group) {
    auto random = shared_random(group);
    ledger spent;
    return released(group, random, 0, spent, 1, options);
  });
  CHECK(all[0] == all[1]);
  CHECK(all[0] == all[2]);
  const double noise = accumulator_plan(options).noise();
  double squares = 0;
  for (const double cell : all[0]) squares += cell / noise * (cell / noise);
  CHECK(std::abs(squares / cells - 1) < 6.2 * std::sqrt(2 / cells));
  std::size_t equal = 0;
  for (std::size_t i = 4096; i < all[0].size(); ++i) equal += all[0][i] == all[0][i - 4096];
  CHECK(equal == 0);
}

TEST_CASE("Shared sources of two runs differ, and their forks never repeat", "[distributed]") {
  const auto run = [] {
    return in_processes(2, [](const process_group& group) {
      auto random = shared_random(group);
      auto first = random.fork().stream("noise"), second = random.fork().stream("noise");
      return std::pair(first(), second());
    });
  };
  const auto one = run(), other = run();
  CHECK(one[0] == one[1]);
  CHECK(one[0].first != one[0].second);
  CHECK(one[0] != other[0]);
}

TEST_CASE("A seed makes every process's ledger seeded", "[distributed]") {
  const auto books = in_processes(2, [&](const process_group& group) {
    auto random = shared_random(group, 3);
    ledger spent;
    released(group, random, 5, spent, 1);
    return spent;
  });
  CHECK(books[0].seeded());
  CHECK(books[1].seeded());
}

TEST_CASE("A histogram of several processes has the bits of one process", "[distributed]") {
  // Cell 0 is named by all units, so its sum reaches the cap of 2^61 in each process; cells from 5000 on by one unit each.
  for (const sharing shares : {sharing::equal, sharing::counted, sharing::demanded}) {
    for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace}) {
      const sparse_histogram_options options{
          .noise = noise, .shares = shares, .noise_multiplier = 0.5, .delta = 1e-3, .cells_per_unit = 3};
      const auto run = [&](const process_group& group, random_source& random, std::size_t threads) {
        sparse_histogram sums(options);
        for (std::uint32_t unit = 0; unit < 9000; ++unit) {
          if (unit % group.size() != group.rank()) continue;
          std::vector<std::uint32_t> cells{0};
          if (unit % 10 == 0) cells = {unit % 4000 + 1, unit % 30 + 1};
          if (unit % 1000 == 0) cells = {5000 + unit};
          if (cells.size() == 2 && cells[0] == cells[1]) cells.pop_back();
          if (shares == sharing::demanded) {
            sums.add(cells, std::vector<std::uint32_t>(cells.size(), 1 + unit % 9));
          } else {
            sums.add(cells);
          }
        }
        ledger spent;
        const sparse_release found = sums.publish(random, spent, threads);
        return std::tuple(found.passed, found.secret_estimates, spent);
      };
      auto random = seeded_random(5);
      const auto expected = run({}, random, 1);
      CHECK(std::get<0>(expected).size() > 1);
      for (const std::size_t size : {2, 3, 11}) {
        for (const auto& each : in_processes(size, [&](const process_group& group) {
               auto own = shared_random(group, 5);
               return run(group, own, 2);
             }))
          CHECK(each == expected);
      }
    }
  }
}

TEST_CASE("Histograms whose units come in turn are for one process", "[distributed]") {
  CHECK_THROWS_AS(
      in_processes(2,
                   [](const process_group& group) {
                     auto random = shared_random(group, 5);
                     sparse_histogram sums(
                         {.shares = sharing::levelled, .noise_multiplier = 1, .delta = 1e-3, .cells_per_unit = 3});
                     ledger spent;
                     sums.publish(random, spent);
                     return 0;
                   }),
      std::logic_error);
}

TEST_CASE("Samples of several processes are one sample", "[distributed]") {
  std::vector<std::vector<word_id>> documents(300, {0});
  const corpus docs = dplda_tests::make_corpus(documents, 1);
  const auto ids_of = [](const privacy_units& units, unit_batch batch) {
    std::vector<std::uint64_t> ids;
    for (const std::size_t unit : batch.positions()) ids.push_back(units.id(unit));
    return ids;
  };
  const auto draw = [&](const process_group& group, random_source& random) {
    std::vector<std::size_t> own;
    for (std::size_t d = 0; d < docs.size(); ++d) {
      if (d * 11 % group.size() == group.rank()) own.push_back(d);
    }
    const corpus part = docs.select(own);
    const privacy_units units(part, privacy_unit::document);
    const allocation_sampler rounds(4);
    const accumulator_plan of_rounds({.rows = 1, .noise_multiplier = 2, .sampling = rounds.event()});
    ledger spent;
    std::vector<std::vector<std::uint64_t>> batches;
    batches.push_back(ids_of(units, poisson_sampler(0.3).draw(units, random)));
    batches.push_back(ids_of(units, fixed_size_sampler(40, 300).draw(units, random)));
    for (unit_batch& batch : rounds.draw(of_rounds, units, random, spent))
      batches.push_back(ids_of(units, std::move(batch)));
    return batches;
  };
  auto random = seeded_random(9);
  const auto expected = draw({}, random);
  for (const std::size_t size : {2, 3, 4}) {
    std::vector<std::vector<std::uint64_t>> joined(expected.size());
    for (const auto& part : in_processes(size, [&](const process_group& group) {
           auto own = shared_random(group, 9);
           return draw(group, own);
         })) {
      for (std::size_t i = 0; i < part.size(); ++i) joined[i].insert(joined[i].end(), part[i].begin(), part[i].end());
    }
    for (auto& ids : joined) std::sort(ids.begin(), ids.end());
    CHECK(joined == expected);
  }
}

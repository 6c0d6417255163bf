// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/uniform.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

using dplda::chacha20;
using dplda::uniform_below;
using dplda::uniform_open;

static_assert(dplda::BitGenerator64<chacha20>);
static_assert(dplda::BitGenerator64<std::mt19937_64>);
static_assert(!dplda::BitGenerator64<std::mt19937>);

namespace {

// Gives the words that a test wrote down.
struct scripted {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return words.at(used++); }

  std::vector<result_type> words;
  std::size_t used = 0;
};

double chi_squared(const std::vector<std::size_t>& counts, std::size_t draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

}  // namespace

TEST_CASE("uniform_below rejects exactly the words of the incomplete last block", "[random][uniform]") {
  // 2^64 = 1 mod 3: the word 0 alone is one too many.
  scripted three{{0, 0, 1}};
  CHECK(uniform_below(three, 3) == 1);
  CHECK(three.used == 3);
  // 2^64 mod (2^63 + 1) = 2^63 - 1.
  const std::uint64_t n = (std::uint64_t{1} << 63) + 1;
  scripted large{{n - 3, n - 2}};
  CHECK(uniform_below(large, n) == n - 2);
  CHECK(large.used == 2);
  // A power of two divides 2^64, so nothing is refused.
  scripted power{{0}};
  CHECK(uniform_below(power, std::uint64_t{1} << 40) == 0);
  scripted last{{~std::uint64_t{0}}};
  CHECK(uniform_below(last, ~std::uint64_t{0}) == 0);
  scripted one{{42}};
  CHECK(uniform_below(one, 1) == 0);
}

TEST_CASE("uniform_below is uniform", "[random][uniform]") {
  chacha20 bits({1}, 0);
  std::vector<std::size_t> counts(10, 0);
  constexpr std::size_t draws = 100000;
  for (std::size_t i = 0; i < draws; ++i) ++counts.at(uniform_below(bits, counts.size()));
  CHECK(chi_squared(counts, draws) < 27.9);  // 9 degrees of freedom, 0.1 %
}

TEST_CASE("uniform_open stays inside (0, 1)", "[random][uniform]") {
  scripted extremes{{0, ~std::uint64_t{0}, std::uint64_t{1} << 63}};
  CHECK(uniform_open(extremes) == 0x1p-53);
  CHECK(uniform_open(extremes) == 1 - 0x1p-53);
  CHECK(uniform_open(extremes) == 0.5 + 0x1p-53);
}

TEST_CASE("shuffle makes every order equally likely", "[random][uniform]") {
  chacha20 bits({2}, 0);
  std::map<std::array<int, 4>, std::size_t> seen;
  constexpr std::size_t draws = 48000;
  for (std::size_t i = 0; i < draws; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    dplda::shuffle(std::span<int>(items), bits);
    ++seen[items];
  }
  REQUIRE(seen.size() == 24);
  std::vector<std::size_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  CHECK(chi_squared(counts, draws) < 49.7);  // 23 degrees of freedom, 0.1 %
}

TEST_CASE("shuffle accepts no items and one item", "[random][uniform]") {
  scripted silent{{}};
  std::vector<int> none, one{5};
  dplda::shuffle(std::span<int>(none), silent);
  dplda::shuffle(std::span<int>(one), silent);
  CHECK(one == std::vector<int>{5});
}

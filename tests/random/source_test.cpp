// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/parallel.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using dplda::random_source;
using dplda::secure_random;
using dplda::seeded_random;

TEST_CASE("A seed decides every stream", "[random][source]") {
  const random_source a = seeded_random(7), b = seeded_random(7);
  CHECK(a.stream("init", 5)() == b.stream("init", 5)());
  CHECK(a.stream("init", 5)() == a.stream("init", 5)());
}

TEST_CASE("Streams differ by seed, purpose and number", "[random][source]") {
  std::set<std::uint64_t> first_words;
  std::size_t streams = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const std::string purpose : {"", "a", "b", "ab", "ba"}) {
      for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        first_words.insert(seeded_random(seed).stream(purpose, id)());
        ++streams;
      }
    }
  }
  CHECK(first_words.size() == streams);
}

TEST_CASE("Forks differ from each other and from their source, and repeat with it", "[random][source]") {
  random_source a = seeded_random(1), b = seeded_random(1);
  random_source first = a.fork(), second = a.fork();
  CHECK(first.stream("x")() != second.stream("x")());
  CHECK(first.stream("x")() != a.stream("x")());
  CHECK(first.fork().stream("x")() != second.stream("x")());
  CHECK(b.fork().stream("x")() == seeded_random(1).fork().stream("x")());
  CHECK(b.fork().stream("x")() == second.stream("x")());
}

TEST_CASE("A source and its forks say whether a seed is behind them", "[random][source]") {
  random_source seeded = seeded_random(1), secret = secure_random();
  CHECK(seeded.seeded());
  CHECK(seeded.fork().seeded());
  CHECK_FALSE(secret.seeded());
  CHECK_FALSE(secret.fork().seeded());
}

TEST_CASE("Keys from the operating system are fresh", "[random][source]") {
  CHECK(secure_random().stream("x")() != secure_random().stream("x")());
}

// Two copies would hand out the same streams.
static_assert(!std::is_copy_constructible_v<dplda::random_source> && !std::is_copy_assignable_v<dplda::random_source>);
static_assert(std::is_nothrow_move_constructible_v<dplda::random_source>);

TEST_CASE("A source that was moved from refuses to work", "[random][source]") {
  random_source first = seeded_random(1), second = seeded_random(2);
  random_source taken = std::move(first);
  CHECK_THROWS_AS(first.fork(), std::logic_error);
  CHECK_THROWS_AS(first.stream("x"), std::logic_error);
  CHECK(taken.stream("x")() == seeded_random(1).stream("x")());
  taken = std::move(second);
  CHECK_THROWS_AS(second.stream("x"), std::logic_error);
  CHECK(taken.stream("x")() == seeded_random(2).stream("x")());
}

TEST_CASE("Threads that fork one source at once get different forks", "[random][source]") {
  for (const bool seeded : {true, false}) {
    random_source source = seeded ? seeded_random(1) : secure_random();
    std::vector<std::uint64_t> words(20000);
    dplda::parallel_for(words.size(), 1, 4, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) words[i] = source.fork().stream("x")();
    });
    std::sort(words.begin(), words.end());
    CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
  }
}

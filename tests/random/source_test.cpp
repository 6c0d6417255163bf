// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/source.hpp>

#include <type_traits>

#include "support/catch.hpp"

#include <cstdint>
#include <set>
#include <string>

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

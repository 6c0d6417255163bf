// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/parallel.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
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

TEST_CASE("A stream's bits do not change between versions", "[random][source]") {
  CHECK(dplda::stream_purpose("noise").hash() == 0x6c092771d20768d1u);
  CHECK(dplda::stream_purpose("").hash() == 0xcbf29ce484222325u);
  CHECK(seeded_random(1).stream("noise", 2)() == 0x16e74333ca76250du);
}

TEST_CASE("The compiler refuses purposes with the same hash", "[random][source]") {
  using dplda::detail::hashes_differ;
  using dplda::detail::may_stand_beside;
  using names = std::array<std::string_view, 3>;
  STATIC_REQUIRE(hashes_differ(names{"noise", "sample", "svi.order"}));
  STATIC_REQUIRE_FALSE(hashes_differ(names{"noise", "sample", "noise"}));
  STATIC_REQUIRE(may_stand_beside("noise", names{"noise", "sample", "svi.order"}));
  STATIC_REQUIRE(may_stand_beside("held out", names{"noise", "sample", "svi.order"}));
  // This name was constructed to have the hash of "noise".
  STATIC_REQUIRE_FALSE(may_stand_beside("nplnla\x1b!38\b>\x13\x0e\xbap\xe3", names{"noise", "sample", "svi.order"}));
  STATIC_REQUIRE_FALSE(std::is_constructible_v<dplda::stream_purpose, std::string>);
}

TEST_CASE("Every purpose that a header names is in the list", "[random][source]") {
  namespace fs = std::filesystem;
  const auto& listed = dplda::detail::library_purposes;
  const std::regex named(R"re((?:stream\(|source, )"([^"]*)")re");
  std::set<std::string> found;
  const fs::path headers = fs::path(DPLDA_SOURCE_DIR) / "include" / "dplda";
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".ipp") continue;
    std::ifstream file(entry.path());
    const std::string code((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (std::sregex_iterator match(code.begin(), code.end(), named), end; match != end; ++match) {
      const std::string name = (*match)[1];
      CAPTURE(entry.path().string(), name);
      CHECK(std::find(listed.begin(), listed.end(), name) != listed.end());
      found.insert(name);
    }
  }
  CHECK(found.size() == listed.size());  // and the list names no purpose that nobody has
}

TEST_CASE("Streams differ by seed, purpose and number", "[random][source]") {
  std::set<std::uint64_t> first_words;
  std::size_t streams = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const dplda::stream_purpose purpose : std::initializer_list<dplda::stream_purpose>{"", "a", "b", "ab", "ba"}) {
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

TEST_CASE("A source and its forks say whether they are seeded", "[random][source]") {
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

TEST_CASE("A moved-from source refuses to work", "[random][source]") {
  random_source first = seeded_random(1), second = seeded_random(2);
  random_source taken = std::move(first);
  CHECK_THROWS_AS(first.fork(), std::logic_error);
  CHECK_THROWS_AS(first.stream("x"), std::logic_error);
  CHECK(taken.stream("x")() == seeded_random(1).stream("x")());
  taken = std::move(second);
  CHECK_THROWS_AS(second.stream("x"), std::logic_error);
  CHECK(taken.stream("x")() == seeded_random(2).stream("x")());
}

TEST_CASE("Threads that fork a source at the same time get different forks", "[random][source]") {
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

// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/detail/system_key.hpp>

#include "support/catch.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

namespace {

using fill = void (*)(std::span<unsigned char>);

std::vector<fill> sources() {
#if defined(_WIN32)
  return {dplda::detail::fill_from_system};
#else
  return {dplda::detail::fill_from_system, dplda::detail::fill_by_getentropy};
#endif
}

}  // namespace

TEST_CASE("the system fills every byte and nothing else", "[random][system_key]") {
  for (const fill source : sources()) {
    // A byte that is left as it was stays 0 in all of 64 draws; a random one does with probability 2^-512.
    for (const std::size_t size : {0u, 1u, 31u, 32u, 255u, 256u, 257u, 1000u}) {
      std::vector<unsigned char> seen(size + 2, 0);
      for (int draw = 0; draw < 64; ++draw) {
        std::vector<unsigned char> bytes(size + 2, 0);
        source(std::span(bytes).subspan(1, size));
        for (std::size_t i = 0; i < bytes.size(); ++i) seen[i] = static_cast<unsigned char>(seen[i] | bytes[i]);
      }
      CAPTURE(size);
      std::size_t untouched = 0;
      for (std::size_t i = 1; i <= size; ++i) untouched += seen[i] == 0;
      CHECK(untouched == 0);
      CHECK(seen.front() == 0);
      CHECK(seen.back() == 0);
    }
  }
}

TEST_CASE("keys from the system differ, and their bits are balanced", "[random][system_key]") {
  for (const fill source : sources()) {
    std::set<std::array<unsigned char, 32>> keys;
    std::array<int, 256> ones{};
    constexpr int draws = 4000;
    for (int draw = 0; draw < draws; ++draw) {
      std::array<unsigned char, 32> key{};
      source(key);
      keys.insert(key);
      for (std::size_t bit = 0; bit < 256; ++bit) ones[bit] += key[bit / 8] >> (bit % 8) & 1;
    }
    CHECK(keys.size() == draws);
    // Each count is binomial; 8 standard deviations leave the test a failure in 10^12 runs.
    for (const int count : ones) CHECK(std::abs(count - draws / 2.0) < 8 * std::sqrt(draws / 4.0));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/stable_sort.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

TEST_CASE("stable_sort orders by key and keeps the order of equal keys", "[core][stable_sort]") {
  std::mt19937_64 bits(1);
  for (const std::size_t size : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 100u, 1000u, 4097u}) {
    for (const std::size_t keys : {std::size_t{1}, std::size_t{2}, std::size_t{10}, size + 1}) {
      std::vector<std::pair<std::size_t, std::size_t>> items(size);
      for (std::size_t i = 0; i < size; ++i) items[i] = {bits() % keys, i};
      auto expected = items;
      std::sort(expected.begin(), expected.end());
      dplda::detail::stable_sort(items.begin(), items.end(), [](auto& a, auto& b) { return a.first < b.first; });
      CAPTURE(size, keys);
      CHECK(items == expected);
    }
  }
}

TEST_CASE("stable_sort moves and does not copy", "[core][stable_sort]") {
  std::vector<std::unique_ptr<int>> items;
  for (int i = 0; i < 100; ++i) items.push_back(std::make_unique<int>((i * 37) % 100));
  dplda::detail::stable_sort(items.begin(), items.end(), [](auto& a, auto& b) { return *a < *b; });
  for (int i = 0; i < 100; ++i) CHECK(*items[static_cast<std::size_t>(i)] == i);
}

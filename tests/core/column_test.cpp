// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/column.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

using dplda::detail::column;

namespace {

/// Moves its bytes at every change of size, as a store may, and refuses more than it has room for.
class moving_store final : public dplda::detail::byte_store {
 public:
  explicit moving_store(std::size_t room) : room_(room) {}

  void* resize(std::size_t bytes) override {
    if (bytes > room_) throw std::runtime_error("no room");
    std::vector<std::uint64_t> moved(bytes / 8 + 1, 0xA5A5A5A5A5A5A5A5u);
    if (bytes_ > 0) std::memcpy(moved.data(), words_.data(), std::min(bytes, bytes_));
    words_ = std::move(moved);
    bytes_ = bytes;
    return words_.data();
  }

 private:
  std::size_t room_;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace

TEST_CASE("A column keeps what it is given, wherever its bytes lie", "[core][column]") {
  for (const bool moving : {false, true}) {
    CAPTURE(moving);
    column<std::uint32_t> numbers(moving ? std::make_unique<moving_store>(1u << 20) : nullptr);
    std::vector<std::uint32_t> expected;
    CHECK(numbers.empty());
    for (std::uint32_t i = 0; i < 1000; ++i) {
      numbers.push_back(i * i);
      expected.push_back(i * i);
    }
    std::vector<std::uint32_t> more(777);
    std::iota(more.begin(), more.end(), 5u);
    numbers.append(more);
    expected.insert(expected.end(), more.begin(), more.end());
    numbers.reserve(5000);
    numbers.trim();
    CHECK(std::vector<std::uint32_t>(numbers.span().begin(), numbers.span().end()) == expected);
    CHECK(numbers.back() == expected.back());
    numbers.shrink(3);
    numbers.push_back(9);
    CHECK(std::vector<std::uint32_t>(numbers.span().begin(), numbers.span().end()) ==
          std::vector<std::uint32_t>{0, 1, 4, 9});
    column<std::uint32_t> taken(std::move(numbers));
    CHECK(taken.size() == 4);
    CHECK(numbers.empty());
    numbers = std::move(taken);
    CHECK(numbers.size() == 4);
  }
}

TEST_CASE("A column that cannot grow stays as it is", "[core][column]") {
  column<std::uint64_t> numbers(std::make_unique<moving_store>(64 * sizeof(std::uint64_t)));
  for (std::uint64_t i = 0; i < 64; ++i) numbers.push_back(i);
  CHECK_THROWS_AS(numbers.push_back(64), std::runtime_error);
  CHECK_THROWS_AS(numbers.append(std::vector<std::uint64_t>(1)), std::runtime_error);
  CHECK(numbers.size() == 64);
  CHECK(numbers.back() == 63);
}

TEST_CASE("A column of numbers that lie elsewhere keeps their owner", "[core][column]") {
  auto owner = std::make_shared<const std::vector<std::uint32_t>>(3, 7u);
  const std::weak_ptr<const std::vector<std::uint32_t>> alive = owner;
  {
    const column<std::uint32_t> numbers(owner, std::span(owner->data(), owner->size()));
    owner.reset();
    CHECK_FALSE(alive.expired());
    CHECK(numbers.size() == 3);
    CHECK(numbers[2] == 7);
    column<std::uint32_t> fixed(numbers.span().empty() ? nullptr : alive.lock(), numbers.span());
    CHECK_THROWS_AS(fixed.push_back(1), std::logic_error);
    CHECK_THROWS_AS(fixed.append(numbers.span()), std::logic_error);
    CHECK(fixed.size() == 3);
  }
  CHECK(alive.expired());
}

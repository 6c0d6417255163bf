// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/detail/sum_of_deltas.hpp>

#include <cmath>
#include <random>

#include "support/catch.hpp"

using dplda::detail::sum_of_deltas;

namespace {

/// A multiple of 2^-80; its product with a count of 24 bits hardly ever fits a double.
double random_delta(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -80); }
double random_count(std::mt19937_64& random) { return static_cast<double>(random() >> 40); }

}  // namespace

TEST_CASE("A sum of deltas tells a product from its rounding", "[sum_of_deltas]") {
  std::mt19937_64 random(1);
  int exceeding = 0;
  for (int i = 0; i < 10000; ++i) {
    const double count = random_count(random), delta = random_delta(random), rounded = count * delta;
    const bool exceeds = std::fma(count, delta, -rounded) > 0;
    sum_of_deltas sum;
    sum.add(count, delta);
    REQUIRE(sum.within(rounded) == !exceeds);
    exceeding += exceeds;
  }
  CHECK(exceeding > 4500);
  CHECK(exceeding < 5500);
}

TEST_CASE("A sum of deltas is never within less than it is", "[sum_of_deltas]") {
  std::mt19937_64 random(2);
  int met = 0, below = 0;
  for (int i = 0; i < 10000; ++i) {
    const double delta = random_delta(random), total = std::floor(random_count(random) / 8);
    sum_of_deltas sum;
    double left = total;
    for (int n = 0; n < 5; ++n) {
      const double part = std::floor(left * static_cast<double>(random() >> 32) * 0x1p-32);
      sum.add(part, delta);
      left -= part;
    }
    sum.add(left, delta);
    const double rounded = total * delta;
    if (std::fma(total, delta, -rounded) > 0) {
      ++below;
      REQUIRE(!sum.within(rounded));
    } else {
      met += sum.within(rounded);
    }
  }
  CHECK(below > 4500);
  CHECK(met + below >= 9990);
}

TEST_CASE("A sum of deltas knows the error of its own rest", "[sum_of_deltas]") {
  // The exact sum exceeds 0.5 + 2^-53 by 2^-120, which the second double cannot hold.
  sum_of_deltas sum;
  for (const double delta : {0.5, 0x1p-60, 0x1p-120, 0x1p-54 - 0x1p-60, 0x1p-54}) sum.add(1, delta);
  CHECK(!sum.within(0.5 + 0x1p-53));
  CHECK(sum.within(0.5 + 0x1p-52));
}

TEST_CASE("Deltas that add up to a target without rounding meet it", "[sum_of_deltas]") {
  sum_of_deltas sum;
  sum.add(0, 0.1);
  for (int i = 0; i < 8; ++i) sum.add(1, 0x1p-23);
  CHECK(sum.within(0x1p-20));
  sum.add(1, 0x1p-80);
  CHECK(!sum.within(0x1p-20));
  CHECK(sum.value() > 0x1p-20);
}

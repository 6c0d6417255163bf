// SPDX-License-Identifier: Apache-2.0
#include "support/precision_attack.hpp"
#include "support/catch.hpp"

#include <cstdint>

using namespace dplda_tests;

namespace {

constexpr std::uint64_t draws = 1000000;
constexpr double deviations = 7.2;  // p < suite_level

// Integers whose noise went through a float, which has no more than 24 of its 32 bits and more.
class float_release {
 public:
  float_release(double sigma, std::uint64_t seed) : one_(static_cast<std::int64_t>(0x1p32 / sigma)), bits_({}, seed) {}
  released_number operator()(int v) {
    const auto noise = static_cast<float>(dplda::floored_gaussian(bits_, 32));
    const std::int64_t x = v * one_ + static_cast<std::int64_t>(noise);
    return {static_cast<double>(x), static_cast<std::uint8_t>(x)};
  }
  double step() const { return static_cast<double>(one_); }

 private:
  std::int64_t one_;
  dplda::chacha20 bits_;
};

}  // namespace

TEST_CASE("The precision attack succeeds on naive noise and not on exact noise", "[mechanisms][precision_attack]") {
  // At 1 the ideal release itself reveals a good deal, at 700 almost nothing.
  const double sigma = GENERATE(1.0, 700.0);
  const attack_outcome naive = precision_attack(naive_release(sigma, 1), sigma, draws);
  CAPTURE(sigma, naive.advantage, naive.standard_error, naive.lowest_byte_p);
  CHECK(naive.advantage - deviations * naive.standard_error > 0.1);
  if (sigma == 1) CHECK(naive.lowest_byte_p < suite_level);
  if (sigma == 700) CHECK(naive.advantage > 100 * ideal_advantage(sigma));

  const attack_outcome exact = precision_attack(exact_release(sigma, 1), sigma, draws);
  CAPTURE(exact.advantage, exact.standard_error, exact.lowest_byte_p, ideal_advantage(sigma));
  CHECK(exact.standard_error > 0);
  CHECK(exact.advantage < deviations * exact.standard_error);
  CHECK(exact.lowest_byte_p > suite_level);
}

TEST_CASE("The precision attack finds float noise in integers", "[mechanisms][precision_attack]") {
  const attack_outcome outcome = precision_attack(float_release(700, 1), 700, draws);
  CHECK(outcome.advantage > 0.5);
  CHECK(outcome.lowest_byte_p < suite_level);
}

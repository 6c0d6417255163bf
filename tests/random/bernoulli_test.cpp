// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/chacha20.hpp>

#include "support/catch.hpp"
#include "support/scripted.hpp"
#include "support/statistics.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <vector>

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using dplda::bernoulli_exp;
using dplda::chacha20;
using dplda::coin;
using dplda_tests::scripted;

namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

// The number of words that a coin takes for a yes, out of 2^64, found by bisection.
cpp_int words_for_yes(const coin& c) {
  if (c(all_ones)) return cpp_int(1) << 64;
  std::uint64_t low = 0, high = all_ones;  // the first word that is a no
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (c(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// floor(p 2^64), from the bits of the double.
cpp_int exact_threshold(double p) {
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(p, &exponent), 53));
  const int shift = 64 - 53 + exponent;
  return shift >= 0 ? cpp_int(mantissa) << static_cast<unsigned>(shift)
                    : cpp_int(mantissa) >> static_cast<unsigned>(-shift);
}

}  // namespace

TEST_CASE("A coin is true for floor(p 2^64) words", "[random][bernoulli]") {
  CHECK(words_for_yes(coin(0)) == 0);
  CHECK(words_for_yes(coin(-0.0)) == 0);
  CHECK(words_for_yes(coin(1)) == cpp_int(1) << 64);
  CHECK(words_for_yes(coin(0.5)) == cpp_int(1) << 63);
  CHECK(words_for_yes(coin(0x1p-64)) == 1);
  CHECK(words_for_yes(coin(std::nextafter(0x1p-64, 0))) == 0);
  CHECK(words_for_yes(coin(std::nextafter(0x1p-63, 0))) == 1);
  CHECK(words_for_yes(coin(0x1p-65)) == 0);
  CHECK(words_for_yes(coin(std::numeric_limits<double>::min())) == 0);
  CHECK(words_for_yes(coin(std::numeric_limits<double>::denorm_min())) == 0);
  CHECK(words_for_yes(coin(std::nextafter(1, 0))) == (cpp_int(1) << 64) - 2048);
  CHECK(words_for_yes(coin(0.1)) == cpp_int("1844674407370955264"));  // 0.1 as a double is a little more than 1/10

  chacha20 bits({21}, 0);
  for (int i = 0; i < 2000; ++i) {
    const double p = std::ldexp(static_cast<double>(bits() >> 11), -53 - static_cast<int>(bits() % 70));
    CAPTURE(p);
    const cpp_int yes = words_for_yes(coin(p));
    CHECK(yes == exact_threshold(p));
    CHECK(cpp_rational(yes, cpp_int(1) << 64) <= cpp_rational(p));
    CHECK(cpp_rational(yes + 1, cpp_int(1) << 64) > cpp_rational(p));
  }
}

TEST_CASE("A coin takes one word from its generator", "[random][bernoulli]") {
  scripted words{{0, all_ones, std::uint64_t{1} << 62, (std::uint64_t{1} << 62) - 1}};
  const coin quarter(0.25);
  CHECK(quarter(words));
  CHECK_FALSE(quarter(words));
  CHECK_FALSE(quarter(words));
  CHECK(quarter(words));
  CHECK(words.used == 4);
}

TEST_CASE("A coin refuses a value that is not a probability", "[random][bernoulli]") {
  for (const double p : {-std::numeric_limits<double>::denorm_min(), std::nextafter(1, 2), -1.0, 2.0,
                         std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(coin(p), std::invalid_argument);
  }
}

TEST_CASE("The decision tree of bernoulli_exp has the probability exp(-p)", "[random][bernoulli]") {
  // Round k asks for a flip and for a word that is 0 modulo k. A leaf is a path of flips and residues, each residue
  // modulo k standing for 1 / k of the words: a residue is played as the first word of its class that is not refused.
  using real = boost::multiprecision::cpp_bin_float_50;
  const cpp_rational p = GENERATE(cpp_rational(0), cpp_rational(1, 1000), cpp_rational(1, 3), cpp_rational(1, 2),
                                  cpp_rational(7, 8), cpp_rational(1));
  constexpr std::uint64_t rounds = 30;
  cpp_rational yes = 0, no = 0, path = 1;
  std::vector<std::uint64_t> words;
  std::size_t leaves = 0;
  const auto play = [&](std::vector<bool> flips, std::vector<std::uint64_t> script, const cpp_rational& probability) {
    if (probability == 0) return;
    scripted bits{std::move(script)};
    std::size_t flip = 0;
    const bool result = bernoulli_exp(bits, [&] { return flips.at(flip++); });
    REQUIRE(flip == flips.size());
    REQUIRE(bits.used == bits.words.size());
    (result ? yes : no) += probability;
    ++leaves;
  };
  std::vector<bool> flips;
  for (std::uint64_t k = 1; k <= rounds && path != 0; ++k) {
    flips.push_back(false);
    play(flips, words, path * (1 - p));
    flips.back() = true;
    const std::uint64_t refused = (0 - k) % k;
    words.push_back(0);
    for (std::uint64_t r = 0; r < k; ++r) {
      words.back() = refused + (r + k - refused % k) % k;
      REQUIRE(words.back() % k == r);
      if (r > 0) play(flips, words, path * p / k);
    }
    words.back() = refused + (k - refused % k) % k;
    path *= p / k;
  }
  const real exact = exp(-real(p)), low = real(yes), high = real(1 - no), slack = real(1e-49);
  CHECK(low <= exact + slack);
  CHECK(high >= exact - slack);
  CHECK(high - low <= real(1e-30));
  CHECK(leaves >= 1);
}

TEST_CASE("bernoulli_exp is true with probability exp(-p)", "[random][bernoulli]") {
  chacha20 bits({22}, 0);
  constexpr std::uint64_t draws = 1000000;
  for (const double p : {0.01, 1.0 / 3, 0.5, 1.0}) {
    const coin flip(p);
    std::uint64_t yes = 0;
    for (std::uint64_t i = 0; i < draws; ++i) yes += bernoulli_exp(bits, [&] { return flip(bits); });
    CAPTURE(p, yes);
    CHECK(dplda_tests::binomial_p_value(yes, draws, std::exp(-p)) > dplda_tests::suite_level);
    CHECK(dplda_tests::binomial_p_value(yes, draws, std::exp(-p) * 1.01) < dplda_tests::suite_level);
  }
}

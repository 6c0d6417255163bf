// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/discrete.hpp>

#include "support/catch.hpp"
#include "support/check_fit.hpp"
#include "support/scripted.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using dplda::chacha20;
using dplda::discrete_gaussian;
using dplda::discrete_laplace;
using dplda::floored_laplace;

namespace {

constexpr std::uint64_t gaussian_draws = 1000000, laplace_draws = 4000000;

void check_low_bits(const std::vector<std::int64_t>& sample) {
  dplda_tests::low_bits_fit fit;
  for (const std::int64_t x : sample) fit.add(x);
  for (const auto& [name, p, sees_scale] : fit.p_values()) {
    CAPTURE(name, p);
    CHECK(p > dplda_tests::suite_level);
  }
}

std::uint64_t scales() { return GENERATE(as<std::uint64_t>{}, 1, 2, 3, 1000, std::uint64_t{1} << 32); }

}  // namespace

TEST_CASE("discrete_gaussian fits its distribution, and none that is 1 % off", "[random][discrete]") {
  const std::uint64_t sigma = scales();
  chacha20 bits({31}, sigma);
  const auto sample = dplda_tests::check_fit(dplda_tests::discrete_gaussian_law, static_cast<double>(sigma),
                                             gaussian_draws, [&] { return discrete_gaussian(bits, sigma); });
  if (sigma > 1000000) check_low_bits(sample);
}

TEST_CASE("discrete_laplace fits its distribution, and none that is 1 % off", "[random][discrete]") {
  const std::uint64_t scale = scales();
  chacha20 bits({32}, scale);
  const auto sample = dplda_tests::check_fit(dplda_tests::discrete_laplace_law, static_cast<double>(scale),
                                             laplace_draws, [&] { return discrete_laplace(bits, scale); });
  if (scale > 1000000) check_low_bits(sample);
}

TEST_CASE("floored_laplace fits its distribution, and none that is 1 % off", "[random][discrete]") {
  const std::uint64_t scale = scales();
  chacha20 bits({33}, scale);
  const auto sample = dplda_tests::check_fit(dplda_tests::floored_laplace_law, static_cast<double>(scale),
                                             laplace_draws, [&] { return floored_laplace(bits, scale); });
  if (scale > 1000000) check_low_bits(sample);
}

TEST_CASE("The tests distinguish a discrete distribution from the floored one", "[random][discrete]") {
  chacha20 bits({34}, 0);
  dplda_tests::goodness_of_fit gaussian(dplda_tests::floored_gaussian_law(16), gaussian_draws),
      laplace(dplda_tests::floored_laplace_law(16), gaussian_draws);
  for (std::uint64_t i = 0; i < gaussian_draws; ++i) {
    gaussian.add(discrete_gaussian(bits, 16));
    laplace.add(discrete_laplace(bits, 16));
  }
  CHECK(gaussian.p_values().front().p < dplda_tests::suite_level);
  CHECK(laplace.p_values().front().p < dplda_tests::suite_level);
}

TEST_CASE("The largest scale neither overflows nor truncates", "[random][discrete]") {
  constexpr std::uint64_t scale = dplda::discrete_max_scale, draws = 200000;
  chacha20 bits({35}, 0);
  dplda_tests::goodness_of_fit gaussian(dplda_tests::discrete_gaussian_law(static_cast<double>(scale)), draws),
      laplace(dplda_tests::discrete_laplace_law(static_cast<double>(scale)), draws),
      floored(dplda_tests::floored_laplace_law(static_cast<double>(scale)), draws);
  for (std::uint64_t i = 0; i < draws; ++i) {
    gaussian.add(discrete_gaussian(bits, scale));
    laplace.add(discrete_laplace(bits, scale));
    floored.add(floored_laplace(bits, scale));
  }
  for (const auto* fit : {&gaussian, &laplace, &floored}) {
    for (const auto& [name, p, sees_scale] : fit->p_values()) {
      CAPTURE(name, p);
      CHECK(p > dplda_tests::suite_level);
    }
  }
}

TEST_CASE("The discrete samplers refuse scales out of range", "[random][discrete]") {
  dplda_tests::scripted none{{}};
  for (const std::uint64_t scale : {std::uint64_t{0}, dplda::discrete_max_scale + 1, ~std::uint64_t{0}}) {
    CHECK_THROWS_AS(discrete_gaussian(none, scale), std::invalid_argument);
    CHECK_THROWS_AS(discrete_laplace(none, scale), std::invalid_argument);
    CHECK_THROWS_AS(floored_laplace(none, scale), std::invalid_argument);
  }
  CHECK_THROWS_WITH(discrete_laplace(none, 0), "dplda::discrete_laplace: scale is 0, but must lie in [1, 2^56]");
}

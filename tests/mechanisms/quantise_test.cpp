// SPDX-License-Identifier: Apache-2.0
// The check that sensitivity rests on, with factors that the library would never choose.
#include <dplda/mechanisms/detail/quantise.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

using dplda::detail::integer_norm_bound;
using dplda::detail::quantise;
using dplda::detail::quantising_factor;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

bool accepted(const std::vector<double>& values, double factor, const integer_norm_bound& bound) {
  std::vector<std::int64_t> integers;
  return quantise(std::span<const double>(values), factor, bound, integers);
}

}  // namespace

TEST_CASE("Integers beyond the norm are refused, whatever the factor", "[mechanisms][quantise]") {
  const integer_norm_bound l2{1000, false, false}, l1{1000, true, false};
  CHECK(accepted({600, 800}, 1, l2));  // on the bound
  CHECK_FALSE(accepted({601, 800}, 1, l2));
  CHECK_FALSE(accepted({600, 800, 1}, 1, l2));
  CHECK(accepted({600, 800, 0.99}, 1, l2));
  CHECK_FALSE(accepted({600, 800}, 2, l2));
  CHECK_FALSE(accepted({900, 900, 900}, 1, l2));
  CHECK(accepted({1000}, 1, l2));
  CHECK_FALSE(accepted({1001}, 1, l2));
  CHECK(accepted({500, 500}, 1, l1));
  CHECK_FALSE(accepted({500, 501}, 1, l1));
  CHECK_FALSE(accepted({600, 800}, infinity, l2));
  CHECK_FALSE(accepted({0}, infinity, l2));
  CHECK_FALSE(accepted({600, 800}, std::nan(""), l2));
}

TEST_CASE("Negative integers count where they are allowed, and are zero where not", "[mechanisms][quantise]") {
  const integer_norm_bound any{1000, false, true}, none{1000, false, false};
  CHECK_FALSE(accepted({-1001}, 1, any));
  CHECK_FALSE(accepted({-600, -801}, 1, any));
  std::vector<std::int64_t> integers;
  const std::vector<double> values{-600.9, 800.9, -1e300};
  REQUIRE(quantise(std::span<const double>(values), 1, none, integers));
  CHECK(integers == std::vector<std::int64_t>{0, 800, 0});
  const std::vector<double> fewer{-600.9, 799.9};
  REQUIRE(quantise(std::span<const double>(fewer), 1, any, integers));
  CHECK(integers == std::vector<std::int64_t>{-600, 799});
}

TEST_CASE("Norms of many large integers do not overflow", "[mechanisms][quantise]") {
  const std::uint64_t most = std::uint64_t{1} << 55;
  const integer_norm_bound l2{most, false, false};
  for (const std::size_t count : {2u, 255u, 256u, 257u, 512u, 1u << 17, 1u << 19}) {
    // 2^18 squares of 2^55 would be 2^128, that is zero.
    CHECK_FALSE(accepted(std::vector<double>(count, 0x1p55), 1, l2));
  }
  CHECK(accepted({0x1p55}, 1, l2));
  CHECK_FALSE(accepted({0x1p55, 1}, 1, l2));
  // 2^20 squares of 2^45 are the bound exactly; one more token is too many.
  CHECK(accepted(std::vector<double>(1u << 20, 0x1p45), 1, l2));
  std::vector<double> more(1u << 20, 0x1p45);
  more.push_back(1);
  CHECK_FALSE(accepted(more, 1, l2));
}

TEST_CASE("The usual factor keeps short units and shortens long ones", "[mechanisms][quantise]") {
  const integer_norm_bound bound{1 << 20, false, false};
  const std::vector<double> shorter{0.3, 0.4}, longer{30, 40}, sick{1, infinity}, sicker{1, std::nan("")};
  CHECK(quantising_factor(std::span<const double>(shorter), 1, bound) == 0x1p20);
  CHECK(quantising_factor(std::span<const double>(longer), 1, bound) == Catch::Approx(0x1p20 / 50).epsilon(1e-5));
  CHECK(quantising_factor(std::span<const double>(longer), 1, bound) < 0x1p20 / 50);
  CHECK_FALSE(quantising_factor(std::span<const double>(sick), 1, bound) > 0);
  CHECK_FALSE(quantising_factor(std::span<const double>(sicker), 1, bound) > 0);
  const std::vector<double> mixed{1, -100};
  CHECK(quantising_factor(std::span<const double>(mixed), 2, bound) == 0x1p19);
}

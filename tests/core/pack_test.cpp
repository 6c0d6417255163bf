// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/pack.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "support/catch.hpp"

// The packs of the instruction set that this file is compiled for: two registers of 16 bytes on a plain x86-64 or arm64
// build, one of 32 with -mavx2 -mfma.
using dplda::detail::lanes;
namespace isa = dplda::detail::own_isa;

namespace {

template <class Number>
using numbers = std::array<Number, lanes<Number>>;

template <class Number>
numbers<Number> counted(Number first, Number step) {
  numbers<Number> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = first + step * static_cast<Number>(i);
  return x;
}

template <class Number>
isa::pack<Number> packed(const numbers<Number>& x) {
  isa::pack<Number> p;
  isa::load<Number>(x.data(), p);
  return p;
}

template <class Number>
numbers<Number> unpacked(const isa::pack<Number>& p) {
  numbers<Number> x;
  isa::store<Number>(x.data(), p);
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("a pack computes lane by lane", "[pack]", float, double) {
  const auto x = counted<TestType>(-2, 1), y = counted<TestType>(3, TestType(0.5));
  const isa::pack<TestType> a = packed(x), b = packed(y);
  isa::pack<TestType> c = a;
  c += b;
  c *= b;
  c -= a;
  c /= b;
  const auto sums = unpacked<TestType>(a + b), differences = unpacked<TestType>(a - b);
  const auto products = unpacked<TestType>(a * b), quotients = unpacked<TestType>(TestType(1) / b);
  const auto negative = unpacked<TestType>(-a), scaled = unpacked<TestType>(a * TestType(2) - TestType(1));
  const auto smaller = unpacked<TestType>(isa::select(a < b, a, b)),
             larger = unpacked<TestType>(isa::select(a > b, a, b));
  const auto compound = unpacked<TestType>(c);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(a[i] == x[i]);
    CHECK(sums[i] == x[i] + y[i]);
    CHECK(differences[i] == x[i] - y[i]);
    CHECK(products[i] == x[i] * y[i]);
    CHECK(quotients[i] == 1 / y[i]);
    CHECK(negative[i] == -x[i]);
    CHECK(scaled[i] == 2 * x[i] - 1);
    CHECK(smaller[i] == std::min(x[i], y[i]));
    CHECK(larger[i] == std::max(x[i], y[i]));
    CHECK(compound[i] == Catch::Approx((x[i] + y[i]) * y[i] / y[i] - x[i] / y[i]));
  }
}

TEST_CASE("a pack of integers computes lane by lane", "[pack]") {
  const auto x = counted<std::int32_t>(-3, 1);
  const isa::pack<std::int32_t> a = packed(x);
  isa::pack<std::int32_t> b = a & 6;
  b |= 1;
  const auto masks = unpacked<std::int32_t>(a == 2), below = unpacked<std::int32_t>(a <= 0);
  const auto bits = unpacked<std::int32_t>(b), shifted = unpacked<std::int32_t>(a << 3),
             flipped = unpacked<std::int32_t>(~a);
  const auto floats = unpacked<float>(isa::to_float(a));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(masks[i] == (x[i] == 2 ? -1 : 0));
    CHECK(below[i] == (x[i] <= 0 ? -1 : 0));
    CHECK(bits[i] == ((x[i] & 6) | 1));
    CHECK(shifted[i] == x[i] * 8);
    CHECK(flipped[i] == ~x[i]);
    CHECK(floats[i] == static_cast<float>(x[i]));
  }
}

TEST_CASE("shuffle takes lanes of two packs", "[pack]") {
  const isa::pack<double> a = packed(counted<double>(0, 1)), b = packed(counted<double>(4, 1));
  CHECK(unpacked<double>(isa::shuffle<0, 4, 2, 6>(a, b)) == numbers<double>{0, 4, 2, 6});
  CHECK(unpacked<double>(isa::shuffle<2, 3, 6, 7>(a, b)) == numbers<double>{2, 3, 6, 7});
  const isa::pack<float> c = packed(counted<float>(0, 1)), d = packed(counted<float>(8, 1));
  CHECK(unpacked<float>(isa::shuffle<0, 8, 9, 10, 11, 12, 13, 14>(c, d)) ==
        numbers<float>{0, 8, 9, 10, 11, 12, 13, 14});
  CHECK(unpacked<float>(isa::shuffle<4, 5, 6, 7, 0, 1, 2, 3>(c, d)) == numbers<float>{4, 5, 6, 7, 0, 1, 2, 3});
  CHECK(unpacked<float>(isa::shuffle<7, 7, 7, 7, 7, 7, 7, 7>(c, d)) == numbers<float>{7, 7, 7, 7, 7, 7, 7, 7});
}

TEMPLATE_TEST_CASE("the lanes of each pack are summed in pairs", "[pack]", float, double) {
  // Numbers whose sum depends on the order, so that the order is tested too.
  constexpr std::size_t width = lanes<TestType>;
  isa::pack<TestType> sums[width], out;
  numbers<TestType> expected;
  for (std::size_t i = 0; i < width; ++i) {
    auto x = counted<TestType>(TestType(0.1) * static_cast<TestType>(i + 1), TestType(1) / 3);
    sums[i] = packed(x);
    for (std::size_t size = width; size > 1; size /= 2) {
      for (std::size_t j = 0; j < size / 2; ++j) x[j] = x[2 * j] + x[2 * j + 1];
    }
    expected[i] = x[0];
  }
  isa::sum_lanes(sums, out);
  CHECK(unpacked<TestType>(out) == expected);
}

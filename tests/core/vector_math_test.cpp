// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/vector_math.hpp>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace {

using reference = boost::multiprecision::cpp_bin_float_50;

struct errors {
  double worst = 0, mean = 0;  // in machine epsilons of the exact value
  double of_bound = 0;         // the worst as a share of what is claimed
};

// Errors against 50 digits, point by point against the claim.
template <class Real, class Truth, class Claim>
errors measure(const std::vector<Real>& x, const std::vector<Real>& y, Truth truth, Claim claim) {
  errors e;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const reference exact = truth(x[i]);
    const auto off = static_cast<double>(abs(reference(y[i]) - exact) / exact / std::numeric_limits<Real>::epsilon());
    e.worst = std::max(e.worst, off);
    e.mean += off / static_cast<double>(x.size());
    e.of_bound = std::max(e.of_bound, off / claim(static_cast<double>(x[i])));
  }
  return e;
}

template <class Real>
std::vector<Real> spread(double low, double high, std::size_t n, bool logarithmic) {
  std::mt19937_64 bits(7);
  std::uniform_real_distribution<double> position(logarithmic ? std::log(low) : low,
                                                  logarithmic ? std::log(high) : high);
  std::vector<Real> x(n);
  for (Real& value : x) value = static_cast<Real>(logarithmic ? std::exp(position(bits)) : position(bits));
  return x;
}

template <class Real>
void report(const char* what, double low, double high, const errors& e) {
  std::printf("%s<%s> on [%g, %g]: max %.2f eps, mean %.2f eps\n", what, sizeof(Real) == 4 ? "float" : "double", low,
              high, e.worst, e.mean);
}

}  // namespace

TEMPLATE_TEST_CASE("vector_exp agrees with 50 digits", "[vector_math]", float, double) {
  const bool single = sizeof(TestType) == 4;
  for (const double high : {0.1, 1.0, 10.0, single ? 87.0 : 700.0}) {
    const auto x = spread<TestType>(-high, high, 5000, false);
    std::vector<TestType> y(x.size());
    dplda::vector_exp<TestType>(x, y);
    // An ulp is between half an epsilon and an epsilon of the value.
    const errors e = measure(
        x, y, [](TestType v) { return reference(exp(reference(v))); }, [](double) { return 1.5; });
    report<TestType>("exp", -high, high, e);
    CHECK(e.of_bound < 1);
    CHECK(e.mean < 0.5);
  }
}

TEMPLATE_TEST_CASE("vector_exp_digamma agrees with 50 digits", "[vector_math]", float, double) {
  const bool single = sizeof(TestType) == 4;
  const double smallest = single ? 0.0125 : 0.00145;  // below, the value is subnormal
  const std::vector<std::pair<double, double>> regimes{
      {smallest, 0.1}, {0.1, 1}, {1, 1.4}, {1.4, 1.6}, {1.6, 10}, {10, 1000}, {1000, 1e9}, {1e9, single ? 1e12 : 1e50}};
  for (const auto& [low, high] : regimes) {
    const auto x = spread<TestType>(low, high, 3000, true);
    std::vector<TestType> y(x.size());
    dplda::vector_exp_digamma<TestType>(x, y);
    const errors e = measure(
        x, y, [](TestType v) { return reference(exp(boost::math::digamma(reference(v)))); },
        [](double v) { return 4 + 2 / v; });
    report<TestType>("exp_digamma", low, high, e);
    CHECK(e.of_bound < 1);
  }
}

TEMPLATE_TEST_CASE("a value depends neither on its neighbours nor on its position", "[vector_math]", float, double) {
  const auto x = spread<TestType>(0.02, 1e4, 67, true);
  std::vector<TestType> whole(x.size());
  dplda::vector_exp_digamma<TestType>(x, whole);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; begin + size <= 19; ++size) {
      std::vector<TestType> part(size + 1, TestType(-1));
      dplda::vector_exp_digamma<TestType>(std::span(x).subspan(begin, size), std::span(part).first(size));
      for (std::size_t i = 0; i < size; ++i) REQUIRE(part[i] == whole[begin + i]);
      REQUIRE(part[size] == TestType(-1));
    }
  }
}

TEMPLATE_TEST_CASE("the ends of the range are defined", "[vector_math]", float, double) {
  const TestType infinity = std::numeric_limits<TestType>::infinity();
  const std::vector<TestType> x{
      0, -infinity, infinity, TestType(-1e5), TestType(1e5), std::numeric_limits<TestType>::quiet_NaN()};
  std::vector<TestType> y(x.size());
  dplda::vector_exp<TestType>(x, y);
  CHECK(y[0] == 1);
  CHECK(y[1] == 0);
  CHECK(y[2] == infinity);
  CHECK(y[3] == 0);
  CHECK(y[4] == infinity);
  CHECK(std::isnan(y[5]));

  const std::vector<TestType> small{0, std::numeric_limits<TestType>::denorm_min(),
                                    std::numeric_limits<TestType>::min(), TestType(1e-4)};
  std::vector<TestType> z(small.size());
  dplda::vector_exp_digamma<TestType>(small, z);
  for (const TestType value : z) CHECK(value == 0);
}

TEMPLATE_TEST_CASE("every instruction set gives the same values to rounding", "[vector_math]", float, double) {
  const auto x = spread<TestType>(0.1, 1e4, 1000, true);
  std::vector<TestType> dispatched(x.size()), own(x.size());
  dplda::vector_exp_digamma<TestType>(x, dispatched);
  dplda::detail::own_isa::exp_digamma_of(x.data(), own.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(std::abs(dispatched[i] - own[i]) <= 30 * std::numeric_limits<TestType>::epsilon() * own[i]);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/gamma_functions.hpp>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace {

using precise = boost::multiprecision::cpp_bin_float_50;

std::vector<double> arguments() {
  std::vector<double> all{1e-300, 1e-20, 0.5, 1, 1.4616321449683622, 2, 9.999999999999998, 10, 10.000000000000002,
                          1e20,   1e299};
  for (double x = 1e-12; x < 1e12; x *= 1.0371) all.push_back(x);
  for (double x = 0.9; x < 2.6; x += 0.0037) all.push_back(x);  // the zeros of log gamma and digamma
  return all;
}

/// The largest error in machine epsilons, of max(floor, |value|).
template <class Mine, class Exact>
double worst(double least, double floor, const Mine& mine, const Exact& exact) {
  double most = 0;
  for (const double x : arguments()) {
    if (x < least) continue;
    const precise expected = exact(precise(x));
    const precise scale = std::max(floor, std::abs(static_cast<double>(expected)));
    most = std::max(most, static_cast<double>(abs(precise(mine(x)) - expected) / scale));
  }
  return most / std::numeric_limits<double>::epsilon();
}

}  // namespace

TEST_CASE("log gamma and its derivatives agree with 50 digits", "[gamma_functions]") {
  CHECK(worst(0, 1, dplda::detail::digamma, [](const precise& x) { return boost::math::digamma(x); }) < 8);
  CHECK(worst(1e-150, 0, dplda::detail::trigamma, [](const precise& x) { return boost::math::trigamma(x); }) < 8);
  CHECK(worst(0, 1, dplda::detail::log_gamma, [](const precise& x) { return boost::math::lgamma(x); }) < 32);
}

TEST_CASE("log gamma and its derivatives meet their recurrences", "[gamma_functions]") {
  for (double x = 0.01; x < 50; x *= 1.3) {
    CHECK(dplda::detail::digamma(x + 1) - dplda::detail::digamma(x) == Catch::Approx(1 / x).epsilon(1e-12));
    CHECK(dplda::detail::trigamma(x) - dplda::detail::trigamma(x + 1) == Catch::Approx(1 / (x * x)).epsilon(1e-11));
    CHECK(dplda::detail::log_gamma(x + 1) - dplda::detail::log_gamma(x) == Catch::Approx(std::log(x)).margin(1e-13));
  }
}

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_ACCOUNTING_PRECISE_HPP
#define DPLDA_TESTS_ACCOUNTING_PRECISE_HPP

// The truth to many digits, by formulas and methods other than the library's.

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <random>

namespace dplda_tests {

using real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>, boost::multiprecision::et_off>;

inline real pi() { return boost::math::constants::pi<real>(); }

/// (1 - Phi(t)) / phi(t).
inline real precise_mills(const real& t) {
  if (t < 6) return sqrt(pi() / 2) * exp(t * t / 2) * boost::math::erfc(t / sqrt(real(2)));
  const int terms = 40 + static_cast<int>(9000 / (static_cast<double>(t) * static_cast<double>(t)));
  real rest = 0;
  for (int i = terms; i >= 1; --i) rest = i / (t + rest);
  return 1 / (t + rest);
}

/// log delta of the Gaussian mechanism.
inline real precise_gaussian_log_delta(double multiplier, double epsilon) {
  const real z = multiplier, e = epsilon, u = e * z - 1 / (2 * z), v = e * z + 1 / (2 * z);
  const real log_density = -u * u / 2 - log(2 * pi()) / 2;
  if (v - u < real("1e-15")) {
    // R' at the middle, relatively right within the step squared.
    const real middle = (u + v) / 2;
    return log_density + log((v - u) * (1 - middle * precise_mills(middle)));
  }
  if (u > -3) return log_density + log(precise_mills(u) - precise_mills(v));
  // The complement, 1 - delta = (1 - Phi(|u|)) + phi(u) R(v).
  const real rest = exp(log_density) * (precise_mills(-u) + precise_mills(v));
  return rest < real("1e-40") ? -rest : log(1 - rest);
}

/// A double whose logarithm is uniform between those of the bounds.
inline double log_uniform(std::mt19937_64& bits, double low, double high) {
  return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(bits));
}

}  // namespace dplda_tests

#endif

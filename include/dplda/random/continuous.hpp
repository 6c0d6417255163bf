// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_CONTINUOUS_HPP
#define DPLDA_RANDOM_CONTINUOUS_HPP

// Floating-point samplers for initial values and synthetic data. Their low-order bits are not exact, so they are never
// used for privacy noise.

#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace dplda::inline v0_1 {

/// A standard normal value (Marsaglia's polar method).
template <BitGenerator64 Generator>
double normal(Generator& bits) {
  for (;;) {
    const double u = 2 * uniform_open(bits) - 1, v = 2 * uniform_open(bits) - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

/// The logarithm of a Gamma(shape, 1) value (Marsaglia and Tsang 2000). For shapes below about 0.01 the value itself
/// underflows. Precondition: shape > 0.
template <BitGenerator64 Generator>
double log_gamma_variate(Generator& bits, double shape) {
  if (shape < 1) {
    const double larger = log_gamma_variate(bits, shape + 1);  // first: a sum leaves the order of draws to the compiler
    return larger + std::log(uniform_open(bits)) / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(bits), t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(uniform_open(bits)) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

/// Fills `point` with a draw from the Dirichlet distribution with these parameters. Preconditions: same sizes,
/// parameters > 0.
template <BitGenerator64 Generator>
void dirichlet(Generator& bits, std::span<const double> parameters, std::span<double> point) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] = log_gamma_variate(bits, parameters[i]);
    largest = std::max(largest, point[i]);
  }
  double sum = 0;
  for (double& p : point) sum += p = std::exp(p - largest);
  for (double& p : point) p /= sum;
}

}  // namespace dplda::inline v0_1

#endif

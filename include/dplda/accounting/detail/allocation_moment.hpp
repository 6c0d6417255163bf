// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ALLOCATION_MOMENT_HPP
#define DPLDA_ACCOUNTING_DETAIL_ALLOCATION_MOMENT_HPP

// Renyi divergences of random allocation, with W as in allocation_pair.hpp: the mean of t independent log-normals.
//
// Claim: log_moment(n) bounds log E_Q[W^n], of order n >= 2 if the unit is removed, and divergence_if_added(alpha) the
//   divergence of order alpha if it is added.
// Argument: W^n is convex in W, and so is W^(1 - alpha), so both grow with the convex order.
//   - Removed: E[W^n] t^n / n! is the coefficient of x^n in the t-th power of the sum of x^k E[e^(k l)] / k! over k, where
//     E[e^(k l)] = e^(s^2 k (k - 1) / 2). All terms are positive, and powers are taken by squaring.
//   - Added: W is at least e to the mean m of the l_i (the arithmetic mean is at least the geometric one), which is normal
//     with mean -s^2/2 and variance s^2/t. So E[W^(1 - alpha)] <= E[e^((1 - alpha) m)], which gives s^2/2 + (alpha - 1)
//     s^2 / (2 t).
//   - Arithmetic: in logarithms. Coefficient 0 is exactly 1. A product's coefficient n errs by what its factors' k and n -
//     k err, and by at most (4 libm + orders) ulps of 1 and of the size of the numbers in it; so by induction the error
//     of coefficient n of any power is at most n times that for each product.
// Test: tests/accounting/allocation_test.cpp

#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

class allocation_moments {
 public:
  /// The largest order of log_moment.
  static constexpr std::size_t orders = 96;

  allocation_moments(double multiplier, std::uint64_t batches)
      : squared_(1 / multiplier / multiplier), batches_(static_cast<double>(batches)) {
    series base(orders + 1);
    for (std::size_t k = 0; k <= orders; ++k) {
      const auto x = static_cast<double>(k);
      base[k] = squared_ * x * (x - 1) / 2 - log_factorial(k) - x * std::log(batches_);
    }
    power_ = base;
    for (int bit = static_cast<int>(std::bit_width(batches)) - 2; bit >= 0; --bit) {
      power_ = product(power_, power_);
      if (((batches >> bit) & 1) != 0) power_ = product(power_, base);
    }
  }

  /// Precondition: 2 <= n <= orders.
  double log_moment(double n) const {
    const auto k = static_cast<std::size_t>(n);
    const double size = squared_ * n * n / 2 + log_factorial(k) + n * std::log(batches_);
    const double error = (4 * libm + static_cast<double>(orders)) * ulp * n * 2 * std::log2(4 * batches_) * (1 + size);
    const double bound = power_[k] + log_factorial(k) + error;
    return std::isnan(bound) ? infinite : std::max(0.0, bound);
  }

  double divergence_if_added(double alpha) const {
    return raised(squared_ / 2 + (alpha - 1) * squared_ / 2 / batches_);
  }

 private:
  using series = std::vector<double>;  // logarithms of coefficients

  static double log_factorial(std::size_t k) {
    double sum = 0;
    for (std::size_t i = 2; i <= k; ++i) sum += std::log(static_cast<double>(i));
    return sum;
  }

  static series product(const series& a, const series& b) {
    series c(orders + 1);
    for (std::size_t n = 0; n <= orders; ++n) {
      double largest = -infinite, sum = 0;
      for (std::size_t k = 0; k <= n; ++k) largest = std::max(largest, a[k] + b[n - k]);
      for (std::size_t k = 0; k <= n; ++k) sum += std::exp(a[k] + b[n - k] - largest);
      c[n] = largest + std::log(sum);
    }
    return c;
  }

  double squared_, batches_;
  series power_;
};

}  // namespace dplda::inline v0_1::detail

#endif

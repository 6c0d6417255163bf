// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SUM_OF_DELTAS_HPP
#define DPLDA_ACCOUNTING_DETAIL_SUM_OF_DELTAS_HPP

// Claim: within(delta) is false if the exact sum of count * delta exceeds delta.
// Preconditions: counts are whole numbers up to 2^53, deltas are not negative, the rounding mode is to nearest.
// Argument: a product is exactly its rounded value and the residue that fma tells, and a sum likewise (two-sum), as long
//   as nothing underflows; below 1e-270, four denormal numbers make up for it. So the exact sum is high_ + low_, but for
//   the roundings of residues and of low_. Each is at most 2^-53 of its result, and error_ takes four times that, which
//   also covers the rounding of error_ itself and of low_ + error_.
// Test: tests/accounting/sum_of_deltas_test.cpp, mutant sum_of_deltas_forgets_its_error.

#include <dplda/accounting/detail/safe_side.hpp>

#include <cmath>
#include <limits>

namespace dplda::inline v0_1::detail {

/// A sum of count * delta in two doubles, so that deltas that add up exactly to a target are found to meet it.
class sum_of_deltas {
 public:
  void add(double count, double delta) {
    if (count == 0 || delta == 0) return;
    // Volatile, so that compilers neither fuse nor reorder these operations.
    const volatile double product = count * delta, sum = high_ + product, back = sum - high_, rest = sum - back;
    const volatile double of_high = high_ - rest, of_addend = product - back;
    const double of_product = std::fma(count, delta, -product), of_sum = of_high + of_addend;
    const double residue = of_product + of_sum;
    if (of_product != 0 && of_sum != 0) error_ += rounding * std::abs(residue);
    if (low_ != 0 && residue != 0) error_ += rounding * (std::abs(low_) + std::abs(residue));
    if (product < 1e-270) error_ += 4 * std::numeric_limits<double>::denorm_min();
    low_ += residue;
    high_ = sum;
  }
  bool within(double delta) const { return (high_ - delta) + (low_ + error_) <= 0; }
  /// Rounded up.
  double value() const { return high_ == 0 ? 0 : raised(high_ + low_, 4); }

 private:
  static constexpr double rounding = 0x1p-51;  // four times the error of an addition
  double high_ = 0, low_ = 0, error_ = 0;      // error_ bounds that of low_
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SUM_OF_DELTAS_HPP
#define DPLDA_ACCOUNTING_DETAIL_SUM_OF_DELTAS_HPP

#include <dplda/accounting/detail/safe_side.hpp>

#include <cmath>
#include <limits>

namespace dplda::inline v0_1::detail {

/// A sum of count * delta in two doubles, so that deltas that add up exactly to a target are found to meet it.
class sum_of_deltas {
 public:
  void add(double count, double delta) {
    if (delta == 0) return;
    const double product = count * delta, sum = high_ + product, back = sum - high_;
    low_ += std::fma(count, delta, -product) + ((high_ - (sum - back)) + (product - back));
    high_ = sum;
    terms_ += 1;
  }
  bool within(double delta) const {
    double error = (terms_ - 1) * terms_ * 0x1p-104 * high_;  // of low_, which is at most terms_ 2^-52 high_
    if (high_ > 0 && high_ < 1e-270) error += 4 * terms_ * std::numeric_limits<double>::denorm_min();
    return (high_ - delta) + (low_ + error) <= 0;
  }
  /// Rounded up.
  double value() const { return high_ == 0 ? 0 : raised(high_ + low_, 4); }

 private:
  double high_ = 0, low_ = 0, terms_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_COMPENSATED_SUM_HPP
#define DPLDA_ACCOUNTING_DETAIL_COMPENSATED_SUM_HPP

#include <dplda/core/config.hpp>

namespace dplda::inline v0_1::detail {

/// Kahan's sum of fewer than 2^40 positive numbers, within 2 ulps.
class compensated_sum {
 public:
  void add(double x) {
    const double y = x - excess_, sum = sum_ + y;
    excess_ = (sum - sum_) - y;
    sum_ = sum;
  }
  double value() const { return sum_; }

 private:
  double sum_ = 0, excess_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_RENYI_MOMENTS_HPP
#define DPLDA_ACCOUNTING_DETAIL_RENYI_MOMENTS_HPP

// The arithmetic under every Renyi curve. All of them need log E_Q[(P/Q)^a] = log(1 + X), where the excess X may be as
// small as 1e-40 or as large as e^(10^12). X is always written as a sum of positive terms, so that nothing cancels and
// the relative error of the sum is that of its terms.

#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::detail {

/// e^y - 1 - y >= 0, within 10 ulps.
inline double expm1_minus(double y) {
  if (!(std::abs(y) < 0.25)) return std::expm1(y) - y;
  double sum = 1.0 / 6227020800;
  for (const double inverse : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                               1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2}) {
    sum = sum * y + inverse;
  }
  return sum * y * y;
}

/// A positive number mantissa * e^exponent.
struct scaled_number {
  double exponent;
  double mantissa;
  double log() const { return exponent + std::log(mantissa); }
};

/// r^a - 1 - a (r - 1) for r = e^l and a = 1 + b: what a point of likelihood ratio r adds to the excess, given that the
/// linear part vanishes in the mean. It equals e^l (b f(-l) + f(b l)) with f = expm1_minus, both summands positive;
/// l = -infinity (a point that P never takes) gives b.
inline scaled_number moment_excess(double l, double b) {
  if (l < -36) {
    const double r = std::exp(l);
    return {0, b * (1 - r) + r * std::expm1(b * l)};
  }
  const double y = b * l;
  if (std::abs(l) < 1e-100 && std::abs(y) < 1e-20)
    return {2 * std::log(std::abs(l)), b * (1 + b) / 2};  // l^2 underflows
  if (y > 30) {
    const double r = std::exp(-y);
    return {l + y, 1 - r * (1 + y - b * expm1_minus(-l))};
  }
  return {l, b * expm1_minus(-l) + expm1_minus(y)};
}

/// A sum of positive terms of any size, with a bound on its relative error.
class positive_sum {
 public:
  /// Adds term * e^scale. `magnitude` is the size of the largest number that was added up to reach the term's
  /// exponent: its rounding is what the exponent may be wrong by.
  void add(scaled_number term, double scale, double magnitude) {
    const double exponent = term.exponent + scale;
    if (!(term.mantissa > 0) || exponent == -infinite) return;
    if (!(exponent <= reference_ + 300)) {
      const double shrink = std::exp(reference_ - exponent);
      sum_ *= shrink;
      top_ *= shrink;
      reference_ = exponent;
    }
    const double value = term.mantissa * std::exp(exponent - reference_);
    sum_ += value;
    if (value > top_) {
      top_ = value;
      magnitude_ = magnitude;
    }
    count_ += 1;
  }

  /// The logarithm of the sum, raised by the rounding errors that adding may have made and by the relative error
  /// `bound` of each term.
  double log_upper(double bound) const {
    if (!(sum_ > 0)) return -infinite;
    return reference_ + std::log(sum_) + bound + ulp * (count_ + 16 * (1 + magnitude_));
  }

 private:
  double reference_ = -infinite;
  double sum_ = 0;
  double top_ = 0;
  double magnitude_ = 0;
  double count_ = 0;
};

/// log(1 + e^x), rounded up.
inline double softplus_above(double x) { return raised(softplus(x), 16 + 2 * std::clamp(-x, 0.0, 1e4)); }

/// The divergence of order 1 + b from an upper bound on the log moment.
inline double divergence_above(double log_moment, double b) { return raised(raised(log_moment) / b); }

/// Upper bound on the log moment of order 1 + b of a mixture whose two components have log moments 0 and `log_moment`,
/// the second with weight `rate`: the moment is jointly convex in (P, Q).
inline double mixed_log_moment(double log_moment, double rate) {
  if (rate >= 1) return log_moment;
  const double excess = log_expm1(log_moment);
  return std::min(log_moment, softplus_above(std::log(rate) + excess + 16 * ulp * (1 + std::abs(excess))));
}

}  // namespace dplda::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_RENYI_MOMENTS_HPP
#define DPLDA_ACCOUNTING_DETAIL_RENYI_MOMENTS_HPP

// The arithmetic of Renyi curves. All of them need log E_Q[(P/Q)^a] = log(1 + X), where the excess X may be as small as
// 1e-40 or as large as e^(10^12). X is always a sum of positive terms, so nothing cancels and the relative error of the
// sum is that of its terms.

#include <dplda/accounting/detail/safe_side.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace dplda::inline v0_1::detail {

/// 1/2!, 1/3!, .., 1/21!.
inline constexpr std::array<double, 20> inverse_factorials = [] {
  std::array<double, 20> inverses{};
  double factorial = 1;
  for (std::size_t i = 0; i < inverses.size(); ++i) inverses[i] = 1 / (factorial *= static_cast<double>(i + 2));
  return inverses;
}();

/// e^y - 1 - y >= 0, within 2.5 libm + 2 ulps: at least 0.41 of |expm1(y)| where that is taken, else a sum of twenty
/// terms.
inline double expm1_minus(double y) {
  if (!(std::abs(y) < 1)) return std::expm1(y) - y;
  double sum = 0;
  for (std::size_t i = inverse_factorials.size(); i-- > 0;) sum = sum * y + inverse_factorials[i];
  return sum * y * y;
}

/// A positive number mantissa * e^exponent.
struct scaled_number {
  double exponent;
  double mantissa;
  double log() const { return exponent + std::log(mantissa); }
};

/// r^a - 1 - a (r - 1) for r = e^l and a = 1 + b: what a point of likelihood ratio r adds to the excess, as the linear
/// part has mean 0. It equals e^l (b f(-l) + f(b l)) with f = expm1_minus, both summands positive;
/// l = -infinity (a point that P never takes) gives b. The mantissa is within 3 libm + 4 ulps.
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
  /// Adds term * e^scale. `magnitude` is the size of the largest number that was added to get the term's exponent; its
  /// rounding bounds the error of the exponent.
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

  /// The logarithm of the sum, raised by the rounding errors of the additions and by the relative error `bound` of each
  /// term. The margin counts the additions; for the dominant term exp, log and the roundings of its exponent, whose
  /// summands may themselves be products with up to 3 libm - 4 ulps; and the logarithm of the sum.
  double log_upper(double bound) const {
    if (!(sum_ > 0)) return -infinite;
    const double log_sum = std::log(sum_);
    return reference_ + log_sum + bound +
           ulp * (count_ + 3 * libm * (1 + magnitude_) + (libm + 1) * std::abs(log_sum) + std::abs(reference_));
  }

 private:
  double reference_ = -infinite;
  double sum_ = 0;
  double top_ = 0;
  double magnitude_ = 0;
  double count_ = 0;
};

/// log(1 + e^x), rounded up: softplus, and the rounding of x.
inline double softplus_above(double x) { return raised(softplus(x), 2 * libm + 4 + 2 * std::clamp(-x, 0.0, 1e4)); }

/// The divergence of order 1 + b from an upper bound on the log moment.
inline double divergence_above(double log_moment, double b) { return raised(raised(log_moment) / b); }

/// Upper bound on the log moment of order 1 + b of a mixture whose two components have log moments 0 and `log_moment`,
/// the second with weight `rate`: the moment is jointly convex in (P, Q).
inline double mixed_log_moment(double log_moment, double rate) {
  if (rate >= 1) return log_moment;
  const double excess = log_expm1(log_moment), log_rate = std::log(rate);
  const double error = 2 * libm * ulp * (1 + std::abs(excess) - log_rate);
  return std::min(log_moment, softplus_above(log_rate + excess + error));
}

}  // namespace dplda::inline v0_1::detail

#endif

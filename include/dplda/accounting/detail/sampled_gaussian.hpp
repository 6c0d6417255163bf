// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SAMPLED_GAUSSIAN_HPP
#define DPLDA_ACCOUNTING_DETAIL_SAMPLED_GAUSSIAN_HPP

// The moments of a Gaussian mixture against a Gaussian, by the trapezoidal rule on integrands without cancellation.

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/renyi_moments.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dplda::inline v0_1::detail {

/// log E_N(0, sigma^2)[((1 - q) + q L)^a], L(x) = exp((2 x - 1) / (2 sigma^2)): the log moment of order a = 1 + b of
/// the Gaussian under Poisson sampling (Mironov, Talwar, Zhang 2019, section 3.2), from above.
///
/// With r = 1 + q (L - 1) and E[L] = 1 the excess is E[r^a - 1 - a (r - 1)], a positive integrand. In z = x / sigma it
/// is analytic up to |Im z| = pi sigma (where r = 0), so that the trapezoidal rule converges like
/// exp(-2 pi^2 sigma / h): see `step`. Relative error below 1e-12, 4500 ulps, of which 3 libm + 4 are those of a point
/// and up to 37 libm those of ratios r near 0; plus those of the exponents involved, 2 libm + 2 ulps (see log_upper).
class sampled_gaussian_moment {
 public:
  sampled_gaussian_moment(double rate, double sigma, double alpha)
      : q_(rate), b_(alpha - 1), inverse_(1 / sigma), alpha_(alpha) {
    step_ = std::min(0.4, 0.4 * sigma);
    left_ = -tail;
    const double right = std::max(alpha, 2.0) * inverse_ + tail;
    nodes_ = (right - left_) / step_;
  }

  double log_upper() {
    // The a-norm of (1 - q) + q L lies between q |L|_a and (1 - q) + q |L|_a (Minkowski), |L|_a = e^growth. Where the
    // second is hardly larger than the first, no integral is needed.
    const double growth = b_ / 2 * inverse_ * inverse_;
    const double simple = mixed_log_moment(raised(alpha_ * growth, 8), q_);
    const double log_q = std::log(q_), exponent = growth + log_q;
    double norm = infinite;
    if (exponent > 1) {
      const double slack = std::log1p((1 - q_) * std::exp(-exponent));
      norm = alpha_ * raised(exponent + slack + ulp * (4 * growth - (libm + 2) * log_q));
      if (slack <= 1e-14 * exponent) return std::min(simple, norm);
    }
    if (!(nodes_ <= 2e7) || inverse_ > 100 || q_ < 1e-290 || (alpha_ < 2 && nodes_ > 2e5))
      return std::min(simple, norm);
    if (nodes_ <= 256 || alpha_ < 2) {
      for (std::int64_t i = 0; i <= static_cast<std::int64_t>(nodes_) + 1; ++i) add(i);
    } else {
      threshold_ = -infinite;
      for (const double z : {-1.0, 1.0, 2 * inverse_ + 1, alpha_ * inverse_}) {
        threshold_ = std::max(threshold_, point(z).log() - z * z / 2);
      }
      threshold_ -= negligible;
      left_bound_ = moment_excess(std::log1p(-q_), b_).log();
      block_ = static_cast<std::int64_t>(std::ceil(1 / step_));
      const auto blocks = static_cast<std::int64_t>(nodes_) / block_ + 1;
      add_blocks(0, blocks, majorant(at(0)), majorant(at(blocks * block_)));
    }
    return std::min(simple, softplus_above(sum_.log_upper(1e-12) + std::log(step_) - log_sqrt_two_pi));
  }

 private:
  static constexpr double tail = 9.5;
  static constexpr double negligible = 46;

  double at(std::int64_t i) const { return left_ + static_cast<double>(i) * step_; }
  double log_ratio(double z) const { return (z - inverse_ / 2) * inverse_; }

  scaled_number point(double z) const {
    const double l = log_ratio(z);
    return moment_excess(log_mixture(q_, l), b_);
  }

  void add(std::int64_t i) {
    const double z = at(i);
    const scaled_number value = point(z);
    sum_.add(value, -z * z / 2, std::abs(value.exponent) + alpha_ * std::max(log_ratio(z), 0.0) + z * z / 2);
  }

  /// log of the excess at r = 1 + q L instead of 1 + q (L - 1): larger where L > 1, and for a >= 2 convex in z, being
  /// the integral over s in [0, 1] of a (a - 1) (1 - s) (q L)^2 (1 + s q L)^(a - 2), all of them log-convex in log L.
  double majorant(double z) const {
    const double l = log_ratio(z);
    return moment_excess(l < 700 ? std::log1p(q_ * std::exp(l)) : std::log(q_) + l, b_).log();
  }

  /// Adds the nodes of the blocks [first, last), except those that the chord of the convex majorant (on the left: its
  /// limit) proves negligible.
  void add_blocks(std::int64_t first, std::int64_t last, double low, double high) {
    const double from = at(first * block_), to = at(last * block_);
    const double slope = (high - low) / (to - from);
    const double peak = std::clamp(slope, from, to);
    double bound = low + slope * (peak - from) - peak * peak / 2;
    if (from < inverse_ / 2) {
      const double nearest = std::clamp(0.0, from, to);
      bound = std::max(bound, left_bound_ - nearest * nearest / 2);
    }
    if (bound < threshold_) return;
    if (last - first <= 1) {
      for (std::int64_t i = first * block_; i < last * block_; ++i) add(i);
      return;
    }
    const std::int64_t middle = first + (last - first) / 2;
    const double value = majorant(at(middle * block_));
    add_blocks(first, middle, low, value);
    add_blocks(middle, last, value, high);
  }

  double q_, b_, inverse_, alpha_;
  double step_ = 0, left_ = 0, nodes_ = 0, threshold_ = 0, left_bound_ = 0;
  std::int64_t block_ = 1;
  positive_sum sum_;
};

}  // namespace dplda::inline v0_1::detail

#endif

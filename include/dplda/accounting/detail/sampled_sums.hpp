// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SAMPLED_SUMS_HPP
#define DPLDA_ACCOUNTING_DETAIL_SAMPLED_SUMS_HPP

// Log moments of sampled mechanisms: the published sums over integer orders, exact values for mechanisms with few
// outcomes, and the forward differences of the Gaussian.

#include <dplda/accounting/detail/normal.hpp>
#include <dplda/accounting/detail/renyi_moments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Sums run up to this order. Beyond it the bound by convexity is used, which is close at such orders.
inline constexpr double largest_sum_order = 10000;

/// A product of many factors that neither overflows nor underflows. Moving the mantissa to the exponent loses at most
/// libm ulps of size().
class running_product {
 public:
  explicit running_product(double exponent = 0) : value_{exponent, 1} {}

  void times(double factor) {
    value_.mantissa *= factor;
    if (!(value_.mantissa > 1e-50 && value_.mantissa < 1e50) && value_.mantissa > 0) {
      const double moved = std::log(value_.mantissa);
      value_.exponent += moved;
      value_.mantissa = 1;
      size_ += std::abs(moved);
    }
  }
  scaled_number operator*(scaled_number other) const {
    return {value_.exponent + other.exponent, value_.mantissa * other.mantissa};
  }
  double size() const noexcept { return size_; }

 private:
  scaled_number value_;
  double size_ = 0;
};

/// Poisson sampling of any mechanism, integer order n >= 2 (Zhu and Wang 2019; eq (3) of Huang and Chen 2021 with
/// factor 1). `divergence(l)` bounds the mechanism's divergence of order l, in both directions; terms l >= 3 carry
/// `factor`. The printed (1 - q)^(n-1) (n q - q + 1) is 1 minus the binomial weights of l >= 2, so that the excess is
/// the positive sum over l >= 2 of C(n, l) (1 - q)^(n-l) q^l (factor e^((l-1) divergence(l)) - 1).
inline double poisson_log_moment(double q, real_function divergence, double n, double factor) {
  const double start = (n - 2) * std::log1p(-q);
  running_product weight(start);
  weight.times(n * (n - 1) / 2);
  weight.times(q);
  weight.times(q);
  positive_sum sum;
  for (double l = 2; l <= n; ++l) {
    const double k = (l - 1) * divergence(l);
    if (k == infinite) return infinite;
    const double c = l < 3 ? 1 : factor;
    sum.add(weight * (k < 30 ? scaled_number{0, c * std::expm1(k) + (c - 1)} : scaled_number{k, c - std::exp(-k)}), 0,
            k - start + l + weight.size());
    weight.times((n - l) / (l + 1) * (q / (1 - q)));
  }
  return softplus_above(sum.log_upper(8 * n * ulp));
}

/// Wang, Balle and Kasiviswanathan 2019, Theorem 9: the logarithm of the factor beside C(n, j) q^j.
inline double fixed_size_log_term(real_function divergence, double epsilon_infinity, double j) {
  const double log_two = std::log(2.0);
  const double d = divergence(j), tail = std::min(log_two, j * log_expm1(epsilon_infinity));
  return j < 3 ? std::min(2 * log_two + log_expm1(d), d + tail) : (j - 1) * d + tail;
}

/// Sampling without replacement, integer order n >= 2: log(1 + sum over j = 2..n of C(n, j) q^j e^log_term(j)).
inline double fixed_size_log_moment(double q, double n, real_function log_term) {
  running_product weight;
  weight.times(n * (n - 1) / 2);
  weight.times(q);
  weight.times(q);
  positive_sum sum;
  for (double j = 2; j <= n; ++j) {
    const double t = log_term(j);
    if (t == infinite) return infinite;
    sum.add(weight * scaled_number{t, 1}, 0, std::abs(t) + j + weight.size());
    weight.times((n - j) / (j + 1) * q);
  }
  return softplus_above(sum.log_upper(8 * n * ulp));
}

/// The forward differences of e^((i-1) i / (2 sigma^2)) at 0, of even order: log E_N(0, sigma^2)[(L - 1)^l], L as in
/// sampled_gaussian_moment. As a sum they cancel; as an integral of an entire positive function, the trapezoidal rule
/// gives them to a few roundings. They are kept, because they do not depend on the order of the moment.
class gaussian_differences {
 public:
  explicit gaussian_differences(double sigma) : inverse_(1 / sigma) {}

  /// An upper bound on the logarithm for l = 2, 4, 6, ... up to largest_sum_order + 1; relative error of the difference
  /// below 1e-13 plus the errors of the exponents (see log_upper). Infinite below sigma = 0.01, where Theorem 9 is as
  /// good.
  double operator()(double l) {
    const auto index = static_cast<std::size_t>(l) / 2;
    while (logs_.size() <= index) logs_.push_back(integral(2 * static_cast<double>(logs_.size())));
    return logs_[index];
  }

 private:
  static constexpr double step = 0.375;
  static constexpr double reach = 10;

  /// On either side of the zero at L = 1 the integrand is log-concave, its logarithm at least as curved as -z^2 / 2.
  double integral(double l) const {
    if (l < 2) return 0;
    if (inverse_ > 100) return infinite;
    const double zero = inverse_ / 2, root = std::sqrt(l);
    const double right = peak(l, zero, l * inverse_ + root + zero + 1), left = peak(l, -root - 1, zero);
    positive_sum sum;
    const bool one_window = right - left < 2 * reach;
    if (one_window || exponent(l, left) > exponent(l, right) - 60) {
      add(sum, l, left - reach, one_window ? right + reach : std::min(left + reach, zero));
    }
    if (!one_window) add(sum, l, std::max(right - reach, zero), right + reach);
    return sum.log_upper(1e-13) + std::log(step) - log_sqrt_two_pi;
  }

  double exponent(double l, double z) const {
    const double ratio = (z - inverse_ / 2) * inverse_;
    return l * (ratio < 700 ? std::log(std::abs(std::expm1(ratio))) : ratio) - z * z / 2;
  }

  /// The zero of the derivative l e^r / (e^r - 1) / sigma - z, which falls from plus to minus between the ends.
  double peak(double l, double low, double high) const {
    while (high - low > 0.01) {
      const double z = (low + high) / 2, r = (z - inverse_ / 2) * inverse_;
      (l * inverse_ / -std::expm1(-r) > z ? low : high) = z;
    }
    return (low + high) / 2;
  }

  void add(positive_sum& sum, double l, double from, double to) const {
    const double first = std::ceil(from / step), last = std::floor(to / step);
    for (double i = first; i <= last; ++i) {
      const double z = i * step, r = std::max((z - inverse_ / 2) * inverse_, 0.0);
      const double e = exponent(l, z);
      sum.add({e, 1}, 0, l * (1 + r) + std::abs(e) + z * z);
    }
  }

  double inverse_;
  std::vector<double> logs_;
};

/// Theorem 27 of the same paper beside Theorem 9, for Gaussian noise.
inline double fixed_size_gaussian_log_term(gaussian_differences& differences, double sigma, double j) {
  const auto divergence = [&](double l) { return raised(l / sigma / sigma / 2); };
  const double general = fixed_size_log_term(divergence, infinite, j);
  if (j < 3) return general;
  const double even = 2 * std::floor(j / 2);
  return std::min(general, 2 * std::log(2.0) + (differences(even) + differences(even == j ? j : j + 1)) / 2);
}

/// A mechanism that answers "high" with probability w e^spread on one input and w on the other, "low" the other way
/// round, and otherwise an answer that tells nothing; log_weight = log w.
struct two_answers {
  double log_weight;
  double spread;
};

/// The log moment of order 1 + b of the pair of `base` if the input is sampled with probability q, the larger of both
/// directions. If the mechanism tells the input with probability delta: of the pair that remains after q delta is set
/// aside.
inline double two_answers_log_moment(two_answers base, double q, double delta, double b) {
  // With delta, the mechanism is (1 - delta) of two answers and delta of an outcome that tells the input. P = (1 - q)
  // M0 + q M1 is then (1 - q delta) P' + q delta (that outcome for M1) with P' = (1 - q') M0 + q' N1, where N1 is the
  // two answers on input 1.
  const double kept = std::log1p(-delta), mixed = q * (1 - delta) / (1 - q * delta);
  positive_sum forward, backward;
  const auto add = [&](double log_probability, double log_ratio) {
    const auto size = [&](double l) {
      return std::abs(log_probability) + base.spread + (l > 0 ? (1 + b) * l : std::min(-l, 36.0));
    };
    forward.add(moment_excess(log_ratio, b), log_probability, size(log_ratio));
    if (log_ratio > -infinite) {
      backward.add(moment_excess(-log_ratio, b), log_probability + log_ratio, size(-log_ratio) + std::abs(log_ratio));
    }
  };
  add(base.log_weight + kept, log_mixture(mixed, base.spread - kept));
  add(base.log_weight + base.spread + kept, log_mixture(mixed, -base.spread - kept));
  if (delta > 0) add(std::log(delta), std::log1p(-mixed));
  // A mantissa, and the roundings of the mixed probability.
  const double bound = (3 * libm + 16) * ulp;
  return softplus_above(std::max(forward.log_upper(bound), backward.log_upper(bound)));
}

/// The log moment of real order alpha from those of integer orders. (alpha - 1) D_alpha = log E_Q[(P/Q)^alpha] is
/// convex in alpha (Hoelder) and 0 at alpha = 1, so that chords between upper bounds are upper bounds.
inline double chord_log_moment(double alpha, real_function at_integer) {
  if (alpha > largest_sum_order) return infinite;
  const double low = std::floor(alpha), part = alpha - low;
  const double left = low < 2 ? 0 : at_integer(low);
  return part == 0 ? left : raised((1 - part) * left + part * at_integer(low + 1));
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SAFE_SIDE_HPP
#define DPLDA_ACCOUNTING_DETAIL_SAFE_SIDE_HPP

// Arithmetic that errs to one side. The stated bounds assume that exp, log, expm1, log1p, erfc, tanh and pow err by at
// most 4 ulps of double; glibc, musl and the usual others stay below 2.

#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace dplda::detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double ulp = std::numeric_limits<double>::epsilon();

/// x >= 0 raised by `ulps` of itself; never 0, so that what underflowed stays above the truth.
inline double raised(double x, double ulps = 16) {
  return x * (1 + ulps * ulp) + std::numeric_limits<double>::denorm_min();
}
/// x >= 0 lowered by `ulps` of itself; never negative.
inline double lowered(double x, double ulps = 16) {
  if (std::isinf(x)) return x;
  return std::max(0.0, x * (1 - ulps * ulp) - std::numeric_limits<double>::denorm_min());
}

/// The logarithm of a probability, rounded down; of 0 minus infinity.
inline double log_below(double x) {
  const double value = std::log(x);
  return std::isinf(value) ? value : value - 8 * ulp * std::abs(value);
}
/// The logarithm of a probability, rounded up.
inline double log_above(double x) {
  const double value = std::log(x);
  return std::isinf(value) ? value : value + 8 * ulp * std::abs(value);
}
/// The probability of this logarithm, rounded up, at most 1.
inline double probability_above(double log_probability) {
  if (log_probability == -infinite) return 0;
  return std::min(1.0, raised(std::exp(log_probability), 8));
}

/// log(exp(x) - 1) for x >= 0.
inline double log_expm1(double x) { return x > 1 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x)); }
/// log(1 + exp(x)).
inline double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
/// log(exp(a) + exp(b)).
inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -infinite ? a : a + std::log1p(std::exp(b - a));
}

/// The end `hi` of a bracket of the root of a decreasing function, narrowed to `tolerance` of its size: f(hi) <= 0 was
/// seen, so what is returned fulfils f <= 0 whatever the arithmetic did. Preconditions: f(lo) = f_lo > 0, f(hi) = f_hi
/// <= 0; 0 <= lo < hi. Regula falsi (Illinois) aimed just beyond the root, so that both ends come close, and bisection
/// where that does not halve the bracket in three steps.
template <class Function>
double fulfilling_end(const Function& f, double lo, double f_lo, double hi, double f_hi, double tolerance) {
  int last = 0, since = 0;
  double halved = hi - lo;
  for (int round = 0; round < 400 && hi - lo > tolerance * hi; ++round) {
    const double width = hi - lo, margin = tolerance * hi / 2;
    if (width <= halved / 2) {
      halved = width;
      since = 0;
    }
    double x = lo + width / 2;
    if (++since <= 3 && std::isfinite(f_lo) && std::isfinite(f_hi)) {
      const double root = lo + width * (f_lo / (f_lo - f_hi));
      x = std::clamp(last >= 0 ? root - margin / 2 : root + margin / 2, lo + margin, hi - margin);
    } else if (lo > 0 && hi > 4 * lo) {
      x = std::sqrt(lo) * std::sqrt(hi);
    }
    if (!(x > lo && x < hi)) break;
    const double f_x = f(x);
    if (f_x <= 0) {
      hi = x;
      f_hi = f_x;
      if (last == 1) f_lo /= 2;
      last = 1;
    } else {
      lo = x;
      f_lo = f_x;
      if (last == -1) f_hi /= 2;
      last = -1;
    }
  }
  return hi;
}

/// The root of an increasing function, to 1e-10 of the bracket's width; for places where any point near it will do.
template <class Function>
double increasing_root(const Function& f, double lo, double hi) {
  const auto falling = [&](double shift) { return -f(lo + shift); };
  const double width = hi - lo, f_lo = falling(0), f_hi = falling(width);
  if (!(f_lo > 0)) return lo;
  if (f_hi > 0) return hi;
  return lo + fulfilling_end(falling, 0, f_lo, width, f_hi, 1e-10);
}

inline void require_epsilon(double epsilon, std::string_view function, std::string_view argument = "epsilon") {
  require(epsilon >= 0, function, argument, epsilon, "must be at least 0");
}
inline void require_delta(double delta, std::string_view function, std::string_view argument = "delta") {
  require(delta >= 0 && delta <= 1, function, argument, delta, "must lie in [0, 1]");
}
inline void require_count(std::uint64_t count, std::string_view function) {
  require(count > 0, function, "count", count, "must be at least 1");
}

}  // namespace dplda::detail

#endif

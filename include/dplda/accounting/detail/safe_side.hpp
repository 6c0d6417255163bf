// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SAFE_SIDE_HPP
#define DPLDA_ACCOUNTING_DETAIL_SAFE_SIDE_HPP

// Arithmetic that errs to one side.
//
// Assumed by every bound of this folder: doubles are IEEE and rounded to nearest; exp, log, expm1, log1p, erf, erfc,
// tanh, sinh, cosh and asinh are within `libm` = 8 units in the last place (ulps) of the truth and within their range,
// and are exact where the truth is 0. Common libraries do not prove this: GNU's aims at a few ulps and lists the errors
// it knows of. No bound relies on the accuracy of pow, exp2, log2, sin or cos. The rounding mode is checked whenever a
// pricing function checks its arguments.
//
// How margins are written: `ulp` is 2^-52, so an error of n ulps is at most n * ulp of the result. A rounding costs
// half an ulp, a function `libm` ulps. A margin of "2 * libm + 4" therefore covers two functions and up to eight
// roundings. How an error of the argument x passes on: a relative error of x gives no larger a relative error of
// log1p(x) and expm1(-x), x >= 0; an absolute error of x gives as large a relative error of exp(x), and no larger an
// absolute error of log(1 + e^x).
// Test: tests/accounting/libm_test.cpp measures these functions; tests/accounting/coarse_libm.cpp makes them worse, and
// the tests of the accountants still pass.

#include <dplda/core/detail/function_ref.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1::detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double ulp = std::numeric_limits<double>::epsilon();
/// How many ulps a function of the mathematical library may err by.
inline constexpr double libm = 8;

/// x >= 0 raised by `ulps` of itself, which covers errors of up to ulps - 1; by default three functions and fourteen
/// roundings. Never 0, so that a value that underflowed, or lost digits below the smallest normal number, stays above
/// the truth.
inline double raised(double x, double ulps = 4 * libm) {
  return x * (1 + ulps * ulp) + ulps * std::numeric_limits<double>::denorm_min();
}
/// x >= 0 lowered by `ulps` of itself, likewise; never negative.
inline double lowered(double x, double ulps = 4 * libm) {
  if (std::isinf(x)) return x;
  return std::max(0.0, x * (1 - ulps * ulp) - ulps * std::numeric_limits<double>::denorm_min());
}

/// The logarithm of a probability, rounded down; minus infinity for 0. The margin: the function and two roundings.
inline double log_below(double x) {
  const double value = std::log(x);
  return std::isinf(value) ? value : value - (libm + 1) * ulp * std::abs(value);
}
/// The logarithm of a probability, rounded up.
inline double log_above(double x) {
  const double value = std::log(x);
  return std::isinf(value) ? value : value + (libm + 1) * ulp * std::abs(value);
}
/// The probability of this logarithm, rounded up, at most 1. The margin: the function and two roundings.
inline double probability_above(double log_probability) {
  if (log_probability == -infinite) return 0;
  return std::min(1.0, raised(std::exp(log_probability), libm + 2));
}

/// log(exp(x) - 1) for x >= 0. Its absolute error is at most (libm + 1) ulps of 1 + |value|: an inner error of libm
/// ulps counts for at most 0.6 of itself where x > 1 and in full elsewhere. A relative error of x counts 2 (1 +
/// |value|) times.
inline double log_expm1(double x) { return x > 1 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x)); }
/// log(1 + exp(x)), within 2 * libm + 1 ulps of itself.
inline double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
/// log(1 - q + q e^y) for q in [0, 1], within 3 * libm + 4 ulps of itself: no step subtracts numbers of one size.
inline double log_mixture(double q, double y) {
  if (q >= 1) return y;
  if (y >= 700) {
    // e^y in two factors, as it may overflow; where the product still does, it outweighs the rest.
    const double half = std::exp(std::min(y, 1400.0) / 2), odds = q * half * half;
    return y < 1400 && odds < infinite ? std::log1p(odds) : y + std::log(q);
  }
  const double change = q * std::expm1(y);
  return change < -0.5 ? std::log((1 - q) + q * std::exp(y)) : std::log1p(change);
}
/// log(exp(a) + exp(b)).
inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -infinite ? a : a + std::log1p(std::exp(b - a));
}

/// The end `hi` of a bracket of the root of a decreasing function, narrowed to `tolerance` of its size: f(hi) <= 0 was
/// computed, so the value returned satisfies f <= 0 whatever the rounding. Preconditions: f(lo) = f_lo > 0, f(hi) =
/// f_hi <= 0; 0 <= lo < hi. Regula falsi (Illinois) aimed just beyond the root, so that both ends come close, and
/// bisection where that does not halve the bracket in three steps.
inline double fulfilling_end(real_function f, double lo, double f_lo, double hi, double f_hi, double tolerance) {
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

/// The root of an increasing function, to 1e-10 of the bracket's width; for uses where any point near it is valid.
inline double increasing_root(real_function f, double lo, double hi) {
  const auto falling = [&](double shift) { return -f(lo + shift); };
  const double width = hi - lo, f_lo = falling(0), f_hi = falling(width);
  if (!(f_lo > 0)) return lo;
  if (f_hi > 0) return hi;
  return lo + fulfilling_end(falling, 0, f_lo, width, f_hi, 1e-10);
}

/// Throws std::runtime_error unless the floating-point rounding mode is to nearest.
inline void require_rounding_to_nearest(std::string_view function) {
  if (std::fegetround() == FE_TONEAREST) return;
  throw std::runtime_error(
      text("dplda::", function,
           ": the floating-point rounding mode is not to nearest, so computed privacy bounds would "
           "not hold; call std::fesetround(FE_TONEAREST) first"));
}

// Every public pricing function checks its arguments by one of the following, or by a function of its own that begins
// the same way, so each of them refuses other rounding modes.
inline void require_epsilon(double epsilon, std::string_view function, std::string_view argument = "epsilon") {
  require_rounding_to_nearest(function);
  require(epsilon >= 0, function, argument, epsilon, "must be at least 0");
}
inline void require_delta(double delta, std::string_view function, std::string_view argument = "delta") {
  require_rounding_to_nearest(function);
  require(delta >= 0 && delta <= 1, function, argument, delta, "must lie in [0, 1]");
}
inline void require_count(std::uint64_t count, std::string_view function) {
  require_rounding_to_nearest(function);
  require(count > 0, function, "count", count, "must be at least 1");
}

}  // namespace dplda::inline v0_1::detail

#endif

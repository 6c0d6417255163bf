// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SELECTION_IPP
#define DPLDA_ACCOUNTING_DETAIL_SELECTION_IPP

// Bodies of accounting/selection.hpp, which has their claim, argument and test.

#include <dplda/accounting/selection.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void check_runs(const negative_binomial_runs& runs, const char* function) {
  require(runs.shape == 0 || (runs.shape > -1 && runs.shape <= 1 && std::abs(runs.shape) >= 0x1p-11), function,
          "shape of the number of runs", runs.shape, "must be 0, or lie in (-1, 1] and be at least 2^-11 in size");
  require(runs.stop >= 0x1p-11 && runs.stop < 1, function, "stop of the number of runs", runs.stop,
          "must lie in [2^-11, 1)");
}

DPLDA_INLINE void check_runs(const poisson_runs& runs, const char* function) {
  require(runs.mean >= 0x1p-11 && runs.mean <= 0x1p20, function, "mean of the number of runs", runs.mean,
          "must lie in [2^-11, 2^20]");
}

DPLDA_INLINE run_count_law law_of(const negative_binomial_runs& runs) {
  // 1 - c is exact for c >= 1/2. Below, its rounding would be many ulps of the logarithm.
  const double s = runs.shape, c = runs.stop, log_stop = c < 0.5 ? std::log(c) : std::log1p(-(1 - c));
  const double inverse_norm = s == 0 ? -1 / log_stop : -s / std::expm1(s * log_stop);
  // An error of n ulps of x > 0 is at most (1 + x) n ulps of expm1(x).
  const double mean = raised(std::max(1.0, (1 - c) / c * inverse_norm), 4 * libm + (libm + 2) * std::abs(s * log_stop));
  return {.mean = mean,
          .log_mean = log_above(mean),
          .power = 1 + s,
          .log_inverse_stop = raised(-log_stop),
          .odds = lowered(c / (1 - c))};
}

DPLDA_INLINE run_count_law law_of(const poisson_runs& runs) {
  return {.mean = runs.mean, .log_mean = log_above(runs.mean)};
}

DPLDA_INLINE double likelihood_bound(double odds, real_function delta_of, double guess) {
  const auto excess = [&](double e) { return log_above(delta_of(e)) - log_below(lowered(odds * std::expm1(e))); };
  double hi = std::max(guess, 1e-12), lo = 0, at_lo = infinite, at_hi = excess(hi);
  while (at_hi > 0 && hi < 1e6) {
    lo = hi;
    at_lo = at_hi;
    hi *= 2;
    at_hi = excess(hi);
  }
  return at_hi > 0 ? infinite : fulfilling_end(excess, lo, at_lo, hi, at_hi, 1e-3);
}

}  // namespace detail

DPLDA_INLINE double expected_runs(const negative_binomial_runs& runs) {
  detail::check_runs(runs, "expected_runs");
  return detail::law_of(runs).mean;
}
DPLDA_INLINE double expected_runs(const poisson_runs& runs) {
  detail::check_runs(runs, "expected_runs");
  return runs.mean;
}

DPLDA_INLINE negative_binomial_runs runs_with_mean(double mean, double shape) {
  const char* const function = "runs_with_mean";
  const double most = expected_runs({shape, 0x1p-11});
  detail::require(mean > 1 && mean <= most, function, "mean", mean, detail::text("must lie in (1, ", most, ']'));
  double low = 0x1p-11, high = 1 - 0x1p-53;  // the mean falls with `stop`
  for (int round = 0; round < 80; ++round) {
    const double middle = low + (high - low) / 2;
    (expected_runs(negative_binomial_runs{shape, middle}) > mean ? low : high) = middle;
  }
  return {shape, high};
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_TRUNCATION_IPP
#define DPLDA_ACCOUNTING_DETAIL_TRUNCATION_IPP

// Bodies of accounting/truncation.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/binomial.hpp>
#include <dplda/accounting/truncation.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

/// P[Binomial(n, p) >= k] from above, for 0 < p < 1: from the first term whose successors fall on, they are summed, and
/// the rest is at most a geometric series. 1 where the terms do not fall from k on.
inline double binomial_tail(double n, double p, double k) {
  if (k > n) return 0;
  const auto ratio = [&](double x) { return raised((n - x) / (x + 1) * (p / (1 - p)), 8); };
  if (!(ratio(k) < 1)) return 1;
  double sum = 0;
  for (double x = k;; ++x) {
    double error = 0;
    const double term = probability_above(log_binomial(x, n, p, 1 - p, error) + error), next = ratio(x);
    const double rest = x < n ? term / (1 - next) : term;
    if (x == n || x - k > 1e5 || next * term <= 1e-12 * (1 - next) * sum) return std::min(1.0, raised(sum + rest, 1e6));
    sum += term;
  }
}

}  // namespace detail

DPLDA_INLINE privacy_event truncation(const privacy_event& event, const largest_sample& largest) {
  const char* const function = "truncation";
  check(event);
  const auto* sample = std::get_if<poisson_sample>(&event.sampling);
  detail::require(sample != nullptr, function, "sampling", "not a Poisson sample",
                  "must be the Poisson sample that is cut");
  detail::require(largest.most >= 1, function, "most", largest.most, "must be at least 1");
  detail::require(largest.units >= 1 && largest.units <= std::uint64_t{1} << 53, function, "units", largest.units,
                  "must lie in [1, 2^53]");
  const auto others = static_cast<double>(largest.units - 1), most = static_cast<double>(largest.most);
  const double often = sample->rate == 1 ? (most > others ? 0 : 1) : detail::binomial_tail(others, sample->rate, most);
  return {.noise = approximate_dp{0, std::min(often, 1 - 0x1p-53)},
          .unit = event.unit,
          .relation = event.relation,
          .label = event.label};
}

}  // namespace dplda::inline v0_1

#endif

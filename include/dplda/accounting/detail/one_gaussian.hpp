// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ONE_GAUSSIAN_HPP
#define DPLDA_ACCOUNTING_DETAIL_ONE_GAUSSIAN_HPP

// The rule `gaussian`: ledgers that are one Gaussian mechanism, priced exactly. Argument: accountant.hpp.

#include <dplda/accounting/amplification.hpp>
#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/gaussian.hpp>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A ledger as one Gaussian mechanism, on a sample or on all units; multiplier 0 if it is not one.
struct one_gaussian {
  double multiplier = 0;
  double rate = 1;
  double ulps = 0;  // how far the multiplier may be below the truth
};

inline one_gaussian as_one_gaussian(const canonical_ledger& book) {
  std::vector<repeated_gaussian> parts;
  for (const auto& [event, count] : book.uses()) {
    const auto* noise = std::get_if<gaussian_noise>(&event.noise);
    if (noise == nullptr) return {};
    if (!std::holds_alternative<all_units>(event.sampling)) {
      if (book.uses().size() > 1 || count > 1 || std::holds_alternative<random_allocation>(event.sampling)) return {};
      const bool poisson = std::holds_alternative<poisson_sample>(event.sampling);
      if (poisson && event.relation == neighbours::replace) return {};
      return {noise->multiplier, sampling_rate(event.sampling), 0};
    }
    parts.push_back({noise->multiplier, count});
  }
  return {composed_gaussian_multiplier(parts), 1, 64 + 4 * static_cast<double>(parts.size())};
}

/// A lower bound on the smallest epsilon at delta. The margin that gaussian_log_delta adds is at most a sixteenth of
/// `rounding` where v (|u| + 2) dominates, and far below 1e-9 elsewhere. 1e-12 is 4500 ulps, more than three functions
/// and a sum that nearly cancels can lose.
inline double gaussian_epsilon_below(const one_gaussian& g, double delta) {
  if (!(delta > 0)) return 0;
  const double upper = gaussian_epsilon(g.multiplier, std::min(1.0, delta / g.rate));
  if (!(upper < infinite)) return 0;
  const double half_step = 0.5 / g.multiplier, shift = upper * g.multiplier;
  const double rounding = 64 * ulp * (16 + (shift + half_step) * (std::abs(shift - half_step) + 2));
  const double larger = delta / g.rate * (delta < 1e-290 ? 2 : 1 + 1e-9 + rounding);
  const double base = gaussian_epsilon(g.multiplier * (1 + 1e-12 + g.ulps * ulp), std::min(1.0, larger)) * (1 - 1e-12);
  if (g.rate == 1 || base == 0) return base;
  const double amplified = base < 700 ? std::log1p(g.rate * std::expm1(base)) : base + std::log(g.rate);
  return std::max(0.0, amplified * (1 - 1e-12));
}

inline certified_bounds one_gaussian_epsilon(const one_gaussian& g, double delta) {
  if (g.multiplier == 0) return {0, infinite};
  const double base = gaussian_epsilon(g.multiplier, std::min(1.0, lowered(delta / g.rate, 8)));
  const double upper = amplified_epsilon(base, g.rate);
  return {std::min(upper, gaussian_epsilon_below(g, delta)), upper};
}

inline certified_bounds one_gaussian_delta(const one_gaussian& g, double epsilon) {
  if (g.multiplier == 0) return {0, 1};
  // The unsampled epsilon, log(1 + (e^epsilon - 1)/q), from below and from above.
  double below = epsilon, above = epsilon;
  if (g.rate < 1 && epsilon > 0 && epsilon < infinite) {
    const double base = epsilon < 700 ? std::log1p(std::expm1(epsilon) / g.rate) : epsilon - std::log(g.rate);
    below = lowered(base);
    above = raised(base);
  }
  const double upper = raised(g.rate * gaussian_delta(g.multiplier, below), g.rate < 1 ? 4 : 0);
  const double half_step = 0.5 / g.multiplier, shift = above * g.multiplier;
  const double rounding = 64 * ulp * (16 + (shift + half_step) * (std::abs(shift - half_step) + 2));
  const double less = gaussian_delta(g.multiplier * (1 + g.ulps * ulp), above * (1 + 4 * ulp));
  const double lower = upper < 1e-290 || !(rounding < 0.5) ? 0 : g.rate * less * (1 - 1e-9 - rounding);
  return {std::min(upper, lower), std::min(1.0, upper)};
}

}  // namespace dplda::inline v0_1::detail

#endif

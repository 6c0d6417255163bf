// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SELECTION_CURVE_IPP
#define DPLDA_ACCOUNTING_DETAIL_SELECTION_CURVE_IPP

// Bodies of accounting/detail/selection_curve.hpp.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1::detail {

DPLDA_INLINE selection_curve::selection_curve(const run_count_law& law, const ledger& run) : law_(law) {
  const canonical_ledger plain(run);
  rounding_ = 16 + 2 * plain.size();
  for (const auto& [event, count] : plain.uses()) {
    run_.push_back({rdp_curve(event), static_cast<double>(count)});
    reserved_ += run_.back().count * run_.back().curve.reserved_delta();
  }
  if (reserved_ > 0) reserved_ = std::min(1.0, raised(law.mean * raised(reserved_, rounding_)));
  for (double beyond = 0x1p-10; beyond < 0x1p20; beyond *= beyond >= 0x1p-2 && beyond <= 0x1p7 ? 1.25 : 2)
    grid_.push_back({1 + beyond, of_one_run(1 + beyond)});
  if (law.power == 0) return;
  double bound = infinite;
  for (const auto& [order, divergence] : grid_)
    bound = std::min(bound, raised((1 - 1 / order) * divergence + law.log_inverse_stop / order));
  if (bound < infinite)
    bound = std::min(bound, likelihood_bound(
                                law.odds, [&](double e) { return profile(e); }, bound));
  shift_ = raised(law.power * bound);
}

DPLDA_INLINE double selection_rdp(const run_count_law& law, const ledger& run, double alpha) {
  return selection_curve(law, run)(alpha);
}
DPLDA_INLINE double selection_delta(const run_count_law& law, const ledger& run) {
  return selection_curve(law, run).reserved_delta();
}

DPLDA_INLINE double selection_curve::operator()(double alpha) {
  const double one = of_one_run(alpha);
  if (law_.power > 0) return raised(one + shift_ + law_.log_mean / (alpha - 1));
  const double shift = raised(law_.mean * profile(lowered(std::log1p(1 / (alpha - 1)))));
  const double runs = raised((alpha - 1) * (one + shift));
  // log(e^-m + m e^x), at least 0; the margin is for exponents that cancel.
  const double moment = log_add(-law_.mean, law_.log_mean + runs);
  return raised(std::max(0.0, moment + 4 * libm * ulp * (1 + law_.mean + runs)) / (alpha - 1));
}

DPLDA_INLINE bool selection_curve::piecewise() const noexcept {
  return std::any_of(run_.begin(), run_.end(), [](const counted& c) { return c.curve.piecewise(); });
}

DPLDA_INLINE double selection_curve::of_one_run(double alpha) {
  double sum = 0;
  for (counted& c : run_) sum += c.count * c.curve(alpha);
  return sum == 0 ? 0 : raised(sum, rounding_);
}

DPLDA_INLINE double selection_curve::profile(double epsilon) const {
  double least = 0, order = 2, divergence = infinite;
  for (const point& p : grid_) {
    if (p.divergence == infinite) continue;
    const double found = std::min(rdp_log_delta(p.order, p.divergence, epsilon, rdp_conversion::improved),
                                  rdp_log_delta(p.order, p.divergence, epsilon, rdp_conversion::branch2));
    if (found > least && divergence < infinite) continue;
    least = found;
    order = p.order;
    divergence = p.divergence;
  }
  if (divergence == infinite) return 1;
  return std::min(probability_above(least), rdp_delta(order, divergence, epsilon, rdp_conversion::exact));
}

}  // namespace dplda::inline v0_1::detail

#endif

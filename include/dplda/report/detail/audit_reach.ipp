// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_AUDIT_REACH_IPP
#define DPLDA_REPORT_DETAIL_AUDIT_REACH_IPP

// Bodies of report/audit_reach.hpp.

#include <dplda/audit/limits.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/report/audit_reach.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE bool attack_too_small(const audit_report& report) {
  return std::isfinite(report.claimed) && report.provable <= report.claimed;
}

DPLDA_INLINE std::string describe_reach(const audit_report& report) {
  if (!std::isfinite(report.provable)) return {};
  std::string words = "Even with every guess right, this attack would have proven an epsilon of " +
                      significant(report.provable, 3) + ", and no more";
  if (!attack_too_small(report)) return words + ".";
  words += ", so it could not have refuted the claim.";
  const auto canaries = canaries_to_exceed(report.claimed, report.delta, report.confidence, most_canaries);
  const auto runs = runs_to_exceed(report.claimed, report.delta, report.confidence, most_runs);
  if (!canaries && !runs)
    return words + " No larger attack was found that could, up to " + std::to_string(most_canaries) + " canaries and " +
           std::to_string(most_runs) + " runs.";
  words += " To exceed the claim, an attack needs ";
  if (canaries) words += "about " + std::to_string(*canaries) + " canaries in a vocabulary of as many words";
  if (canaries && runs) words += ", or ";
  if (runs) words += "about " + std::to_string(*runs) + " runs";
  return words + ".";
}

}  // namespace dplda::inline v0_1

#endif

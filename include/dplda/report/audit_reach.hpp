// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_AUDIT_REACH_HPP
#define DPLDA_REPORT_AUDIT_REACH_HPP

#include <dplda/audit/audit.hpp>
#include <dplda/audit/limits.hpp>
#include <dplda/core/rounding.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace dplda {

/// The largest attacks that are looked for.
inline constexpr std::size_t most_canaries = 100'000, most_runs = 1'000'000;

/// Whether the attack could not have refuted the claim, whatever it had found.
inline bool too_weak(const audit_report& report) {
  return std::isfinite(report.claimed) && report.provable <= report.claimed;
}

/// What the attack could have proven at best, and about how large it must be to reach beyond the claim (what an attack
/// can prove does not always rise with its size); empty if not known.
inline std::string reach(const audit_report& report) {
  if (!std::isfinite(report.provable)) return {};
  std::string words = "Had it been right about everything, this attack would have proven an epsilon of " +
                      significant(report.provable, 3) + ", and no more";
  if (!too_weak(report)) return words + ".";
  words += ", so that it could not have refuted the claim.";
  const auto canaries = canaries_to_exceed(report.claimed, report.delta, report.confidence, most_canaries);
  const auto runs = runs_to_exceed(report.claimed, report.delta, report.confidence, most_runs);
  if (!canaries && !runs)
    return words + " Nor was a larger one found that could, up to " + std::to_string(most_canaries) + " canaries and " +
           std::to_string(most_runs) + " runs.";
  words += " It takes ";
  if (canaries)
    words += "about " + std::to_string(*canaries) + " canaries (--canaries) in a vocabulary of as many words";
  if (canaries && runs) words += ", or ";
  if (runs) words += "about " + std::to_string(*runs) + " runs (--runs)";
  return words + ", to reach beyond it.";
}

}  // namespace dplda

#endif

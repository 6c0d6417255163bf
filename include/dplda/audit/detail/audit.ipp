// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_AUDIT_IPP
#define DPLDA_AUDIT_DETAIL_AUDIT_IPP

// Bodies of audit/audit.hpp.

#include <dplda/accounting/event.hpp>
#include <dplda/audit/audit.hpp>

#include <algorithm>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::optional<roc_curve> audit_report::roc() const {
  std::vector<scored_document> bounded = scores;
  bool seen[2] = {false, false};
  for (scored_document& one : bounded) {
    constexpr double most = std::numeric_limits<double>::max();
    one.score = std::clamp(one.score, -most, most);
    seen[one.member ? 1 : 0] = true;
  }
  if (!seen[0] || !seen[1]) return std::nullopt;
  return roc_curve(std::move(bounded));
}

DPLDA_INLINE std::ostream& operator<<(std::ostream& out, const audit_report& report) {
  if (std::isfinite(report.claimed)) {
    out << "claimed epsilon " << report.claimed;
  } else {
    out << "no claim";
  }
  out << ", audited at least " << report.audited << " (delta " << report.delta << ", confidence " << report.confidence
      << ", " << report.method;
  if (std::isfinite(report.provable)) out << ", which can prove at most " << report.provable;
  out << ")";
  if (report.by_ledger) {
    out << ", and at least " << *report.by_ledger
        << " if the mechanism is that of its ledger except for the scale of the noise";
  }
  if (report.contradicted()) out << ": the claim is refuted" << (report.premise.empty() ? "" : " if " + report.premise);
  return report.undecided.empty() ? out : out << ": no verdict, " << report.undecided;
}

namespace detail {

DPLDA_INLINE std::vector<std::size_t> planned_looks(std::size_t runs, std::size_t looks) {
  std::vector<std::size_t> planned;
  for (; runs > 0 && planned.size() < looks; runs /= 2) planned.push_back(runs);
  std::reverse(planned.begin(), planned.end());
  return planned;
}

DPLDA_INLINE void require_audited_unit(const char* function, privacy_unit unit) {
  require(unit != privacy_unit::token, function, "the claim's unit", unit,
          "must be document or user: a canary has many tokens");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

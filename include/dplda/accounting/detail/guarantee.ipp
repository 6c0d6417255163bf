// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_GUARANTEE_IPP
#define DPLDA_ACCOUNTING_DETAIL_GUARANTEE_IPP

// Bodies of accounting/guarantee.hpp.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/core/rounding.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::ostream& operator<<(std::ostream& out, accountant rule) {
  switch (rule) {
    case accountant::linear:
      return out << "linear";
    case accountant::advanced:
      return out << "advanced";
    case accountant::optimal:
      return out << "optimal";
    case accountant::zcdp:
      return out << "zcdp";
    case accountant::rdp:
      return out << "rdp";
    case accountant::gaussian:
      return out << "gaussian";
    case accountant::pld:
      return out << "pld";
    case accountant::best:
      break;
  }
  return out << "best";
}

DPLDA_INLINE std::string one_part(const std::string& rule) {
  return "This holds for one part of the data only (" + rule +
         "). It goes on from releases of earlier parts; what these cost the units of earlier parts is not counted "
         "here.";
}

DPLDA_INLINE std::ostream& operator<<(std::ostream& out, const guarantee& g) {
  const bool proven = g.basis == basis::proven;
  out << "(epsilon = " << rounded_up(g.epsilon) << ", delta = " << rounded_up(g.delta) << ") differential privacy "
      << (!proven    ? "is claimed, not proven,"
          : g.seeded ? "would hold with secret noise"
                     : "holds")
      << " for each " << g.unit << ": ";
  if (g.relation == neighbours::add_remove) {
    out << "whether one " << g.unit << " is in the data or not";
  } else {
    out << "which content one " << g.unit << " has";
  }
  out << " changes the probability of any result by at most a factor of e^epsilon, up to delta.";
  if (g.gamma) out << " This holds except with probability " << rounded_up(*g.gamma) << " over the data.";
  out << " Accountant: " << g.accountant << '.';
  if (g.assumes_fixed_plans) out << ' ' << fixed_plans;
  if (!g.part.empty()) out << ' ' << one_part(g.part);
  if (!proven) out << " Why it is not a proof: " << g.caveat;
  if (g.seeded) out << " The noise came from a known seed: for experiments only, not private.";
  return out;
}

}  // namespace dplda::inline v0_1

#endif

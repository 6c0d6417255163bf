// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_WEAKNESSES_IPP
#define DPLDA_ACCOUNTING_DETAIL_WEAKNESSES_IPP

// Bodies of accounting/weaknesses.hpp.

#include <dplda/accounting/weaknesses.hpp>
#include <dplda/core/rounding.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::string> weaknesses(const guarantee& claim, std::uint64_t units) {
  std::vector<std::string> found;
  const std::string unit = claim.unit == privacy_unit::token ? "word of a document" : to_string(claim.unit);
  const double right = 1 / (1 + std::exp(-claim.epsilon));
  if (right >= 0.99)
    found.push_back("Epsilon is large: a guess about a " + unit + " may be right in " + percent_at_most(right) +
                    " of the cases, and the promise is still kept.");
  const double exposed = claim.delta * static_cast<double>(units);
  if (exposed >= 0.01)
    found.push_back("Delta is not far below one over the number of " + unit +
                    "s: the promise would still be kept if one of them were shown in full with probability " +
                    percent_at_most(1 - std::pow(1 - claim.delta, static_cast<double>(units))) + ".");
  if (units == 0 && claim.delta > 1e-6)
    found.push_back("Delta is large, and nobody said how many " + unit +
                    "s there are: it must be far below one over their number.");
  return found;
}

}  // namespace dplda::inline v0_1

#endif

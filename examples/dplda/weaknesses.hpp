// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_WEAKNESSES_HPP
#define DPLDA_EXAMPLES_DPLDA_WEAKNESSES_HPP

#include <dplda/accounting/guarantee.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../support/paragraph.hpp"
#include "report_text.hpp"

namespace dplda_program {

/// Why a guarantee that holds may still promise too little: a sentence for each reason. `units` is how many there are
/// about; 0 if that is not known.
inline std::vector<std::string> weaknesses(const dplda::guarantee& claim, std::uint64_t units) {
  std::vector<std::string> found;
  const std::string unit = claim.unit == dplda::privacy_unit::user       ? "user"
                           : claim.unit == dplda::privacy_unit::document ? "document"
                                                                         : "word of a document";
  const double right = 1 / (1 + std::exp(-claim.epsilon));
  if (right >= 0.99)
    found.push_back("Epsilon is large: who guesses about a " + unit + " may be right in " + page::at_most(right) +
                    " of the cases and the promise is kept.");
  const double exposed = claim.delta * static_cast<double>(units);
  if (exposed >= 0.01)
    found.push_back("Delta is not far below one in the number of " + unit +
                    "s: to show somebody whole with probability " +
                    page::percent(1 - std::pow(1 - claim.delta, static_cast<double>(units)), true) +
                    " would be within the promise.");
  if (units == 0 && claim.delta > 1e-6)
    found.push_back("Delta is large, and nobody said how many " + unit +
                    "s there are: it must be far below one in their "
                    "number.");
  return found;
}

/// The same for a terminal, with an empty line after each.
inline std::string weak_paragraphs(const dplda::guarantee& claim, std::uint64_t units) {
  std::string text;
  for (const std::string& why : weaknesses(claim, units)) text += dplda_examples::paragraph("Weak: ", why) + '\n';
  return text;
}

}  // namespace dplda_program

#endif

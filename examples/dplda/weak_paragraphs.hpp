// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_WEAK_PARAGRAPHS_HPP
#define DPLDA_EXAMPLES_DPLDA_WEAK_PARAGRAPHS_HPP

#include <dplda/accounting/weaknesses.hpp>

#include <cstdint>
#include <string>

#include "../support/paragraph.hpp"

namespace dplda_program {

/// The reasons why a guarantee may promise too little, for a terminal, with an empty line after each.
inline std::string weak_paragraphs(const dplda::guarantee& claim, std::uint64_t units) {
  std::string text;
  for (const std::string& why : dplda::weaknesses(claim, units))
    text += dplda_examples::paragraph("Weak: ", why) + '\n';
  return text;
}

}  // namespace dplda_program

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_REAL_BETWEEN_HPP
#define DPLDA_EXAMPLES_DPLDA_REAL_BETWEEN_HPP

#include <dplda/core/rounding.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <string>

namespace dplda_program {

/// A check for numbers in [low, high]; unlike CLI::Range, it refuses NaN.
inline CLI::Validator real_between(double low, double high) {
  const std::string range = "[" + dplda::significant(low, 6) + " - " + dplda::significant(high, 6) + "]";
  return CLI::Validator(
      [low, high, range](std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool inside = !text.empty() && *end == '\0' && value >= low && value <= high;
        return inside ? "" : "Value " + text + " not in range " + range;
      },
      "FLOAT in " + range);
}

}  // namespace dplda_program

#endif

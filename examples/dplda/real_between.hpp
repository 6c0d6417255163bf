// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_REAL_BETWEEN_HPP
#define DPLDA_EXAMPLES_DPLDA_REAL_BETWEEN_HPP

#include <CLI/CLI.hpp>

#include <string>

namespace dplda_program {

/// A check for numbers in [low, high]; unlike CLI::Range, it refuses NaN.
inline CLI::Validator real_between(double low, double high) {
  const std::string range = "[" + CLI::detail::to_string(low) + " - " + CLI::detail::to_string(high) + "]";
  return CLI::Validator(
      [low, high, range](std::string& text) -> std::string {
        double value = 0;
        const bool inside = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return inside ? "" : "Value " + text + " not in range " + range;
      },
      "FLOAT in " + range);
}

}  // namespace dplda_program

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_UNIT_OF_TOPICS_HPP
#define DPLDA_EXAMPLES_DPLDA_UNIT_OF_TOPICS_HPP

#include <dplda/accounting/guarantee.hpp>

#include <string>

#include "engines.hpp"
#include "program.hpp"

namespace dplda_program {

/// The unit of topics with this guarantee, for what is measured of them: losses of different units do not add up. Throws
/// usage_error if another one was asked for, or if the input does not tell users.
inline dplda::privacy_unit unit_of_topics(const dplda::guarantee& topics, const budget_options& options,
                                          const input_options& input) {
  if (options.unit != "auto" && options.unit != to_string(topics.unit))
    throw usage_error("--unit is " + options.unit + ", but the topics protect each " + to_string(topics.unit) +
                      "; leave it out");
  if (topics.unit == dplda::privacy_unit::user && !input.has_users())
    throw usage_error("the topics protect each user, so say who wrote each document (--user, --users)");
  return topics.unit;
}

}  // namespace dplda_program

#endif

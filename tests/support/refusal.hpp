// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_REFUSAL_HPP
#define DPLDA_TESTS_SUPPORT_REFUSAL_HPP

#include <stdexcept>
#include <string>

namespace dplda_tests {

/// The message of the std::invalid_argument that `action` throws; empty if it throws none.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return {};
}

}  // namespace dplda_tests

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_STOPPED_HPP
#define DPLDA_TESTS_SUPPORT_STOPPED_HPP

#include <dplda/core/progress.hpp>

#include <cstddef>

namespace dplda_tests {

/// Whether fit() ended because its observer stopped it.
template <class Fit>
bool stopped(Fit&& fit) {
  try {
    fit();
  } catch (const dplda::fit_stopped&) {
    return true;
  }
  return false;
}

/// An observer that stops a fit after the next step.
inline bool at_once(const dplda::progress&) { return true; }

/// An observer that stops a fit after this step.
inline auto after_step(std::size_t last) {
  return [last](const dplda::progress& now) { return now.step == last; };
}

}  // namespace dplda_tests

#endif

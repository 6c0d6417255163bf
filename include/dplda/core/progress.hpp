// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_PROGRESS_HPP
#define DPLDA_CORE_PROGRESS_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <functional>

namespace dplda {

/// How far a fit has come.
struct progress {
  std::size_t step = 0;   ///< steps done
  std::size_t steps = 0;  ///< steps in all
};

/// Called after each step; returning true stops the fit, which then returns what it has. Empty: nobody watches.
using observer = std::function<bool(const progress&)>;

}  // namespace dplda

#endif

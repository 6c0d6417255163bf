// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_PROGRESS_HPP
#define DPLDA_CORE_PROGRESS_HPP

#include <dplda/core/errors.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>

namespace dplda::inline v0_1 {

/// The progress of a fit.
struct progress {
  std::size_t step = 0;   ///< steps done
  std::size_t steps = 0;  ///< steps in all
};

/// Called after each step; returning true stops the fit. A non-private learner then returns its current topics. A
/// private
/// learner throws fit_stopped and releases nothing: the time of the stop could reveal what the observer knew of the
/// data.
/// After the last step the returned value has no effect. Empty: no observer.
using observer = std::function<bool(const progress&)>;

/// The observer of a private fit stopped it. Nothing was released. A fit that keeps its state can be resumed.
class fit_stopped : public std::runtime_error {
 public:
  explicit fit_stopped(const progress& at)
      : std::runtime_error(detail::text("dplda: the observer stopped the private fit after step ", at.step, " of ",
                                        at.steps, "; nothing was released")) {}
};

namespace detail {

/// Calls the observer of a private fit. Throws fit_stopped if it returns true before the last step.
inline void tell(const observer& watch, const progress& now) {
  if (watch && watch(now) && now.step < now.steps) throw fit_stopped(now);
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

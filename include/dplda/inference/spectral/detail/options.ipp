// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_OPTIONS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_OPTIONS_IPP

// Bodies of inference/spectral/options.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/spectral/options.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void validate(const tensor_options& o, const char* function) {
  require(o.restarts >= 1, function, "restarts", o.restarts, "must be at least 1");
  require(o.iterations >= 1, function, "iterations", o.iterations, "must be at least 1");
  require(o.tolerance >= 0 && std::isfinite(o.tolerance), function, "tolerance", o.tolerance,
          "must be finite and not negative");
}

DPLDA_INLINE void require_alpha0(double alpha0, const char* function) {
  require(alpha0 > 0 && std::isfinite(alpha0), function, "alpha0", alpha0, "must be positive and finite");
}

DPLDA_INLINE void validate(const spectral_options& o) {
  require(o.topics >= 1, "spectral", "topics", o.topics, "must be at least 1");
  require(o.topics <= 1000, "spectral", "topics", o.topics,
          "must be at most 1000: a larger tensor takes too much memory");
  require_alpha0(o.alpha0, "spectral");
  validate(o.tensor, "spectral");
  require(o.eigen_tolerance > 0 && o.eigen_tolerance < 1, "spectral", "eigen_tolerance", o.eigen_tolerance,
          "must lie in (0, 1)");
  require(o.eigen_iterations >= 1, "spectral", "eigen_iterations", o.eigen_iterations, "must be at least 1");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

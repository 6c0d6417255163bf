// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_OPTIONS_IPP
#define DPLDA_INFERENCE_SVI_DETAIL_OPTIONS_IPP

// Bodies of inference/svi/options.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/svi/options.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void validate(const svi_options& o) {
  require(o.topics >= 1, "svi", "topics", o.topics, "must be at least 1");
  require(o.topics <= 1'000'000, "svi", "topics", o.topics, "must be at most 1000000");
  require(o.passes >= 1, "svi", "passes", o.passes, "must be at least 1");
  require(o.tau0 >= 1 && std::isfinite(o.tau0), "svi", "tau0", o.tau0, "must be finite and at least 1");
  require(o.kappa > 0.5 && o.kappa <= 1, "svi", "kappa", o.kappa, "must lie in (0.5, 1], or the steps do not converge");
  require(o.document_iterations >= 1, "svi", "document_iterations", o.document_iterations, "must be at least 1");
  require(o.document_tolerance >= 0 && std::isfinite(o.document_tolerance), "svi", "document_tolerance",
          o.document_tolerance, "must be finite and not negative");
  require(!o.learn_eta || o.eta.symmetric(), "svi", "learn_eta", "true", "needs a symmetric eta");
  o.alpha.expand(o.topics, "svi", "alpha");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_OPTIONS_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_OPTIONS_IPP

// Bodies of inference/gibbs/options.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/gibbs/options.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE Eigen::VectorXd expand_for_sampling(const dirichlet_prior& prior, std::size_t size,
                                                 std::string_view name) {
  Eigen::VectorXd values = prior.expand(size, "gibbs", name);
  for (const double value : values) {
    require(value >= 1e-9 && value <= 1e9, "gibbs", name, value, "must lie in [1e-9, 1e9]");
  }
  return values;
}

DPLDA_INLINE void validate(const gibbs_options& o) {
  require(o.topics >= 1, "gibbs", "topics", o.topics, "must be at least 1");
  require(o.topics <= 1'000'000, "gibbs", "topics", o.topics, "must be at most 1000000");
  require(o.burn_in + o.samples >= 1, "gibbs", "burn_in + samples", 0, "must be at least 1");
  require(o.burn_in <= 1'000'000'000, "gibbs", "burn_in", o.burn_in, "must be at most 1000000000");
  require(o.samples <= 1'000'000, "gibbs", "samples", o.samples, "must be at most 1000000");
  require(o.spacing >= 1, "gibbs", "spacing", o.spacing, "must be at least 1");
  require(o.spacing <= 1'000'000, "gibbs", "spacing", o.spacing, "must be at most 1000000");
  require(o.prior_interval >= 1, "gibbs", "prior_interval", o.prior_interval, "must be at least 1");
  require(o.calm_threshold >= 0 && std::isfinite(o.calm_threshold), "gibbs", "calm_threshold", o.calm_threshold,
          "must be finite and not negative");
  require(o.calm_sweeps >= 1, "gibbs", "calm_sweeps", o.calm_sweeps, "must be at least 1");
  require(o.shards >= 1, "gibbs", "shards", o.shards, "must be at least 1");
  require(o.shards <= 1024, "gibbs", "shards", o.shards, "must be at most 1024");
  require(!o.learn_eta || o.eta.symmetric(), "gibbs", "learn_eta", "true", "needs a symmetric eta");
  expand_for_sampling(o.alpha, o.topics, "alpha");
  if (o.eta.symmetric()) expand_for_sampling(o.eta, 1, "eta");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_OPTIONS_HPP
#define DPLDA_INFERENCE_GIBBS_OPTIONS_HPP

#include <dplda/inference/prior.hpp>

#include <cstddef>
#include <string_view>

namespace dplda::inline v0_1 {

/// Settings of collapsed Gibbs sampling. A fit makes burn_in + samples * spacing sweeps.
struct gibbs_options {
  std::size_t topics = 20;
  std::size_t burn_in = 150;        ///< sweeps before the first sample can be taken
  std::size_t samples = 10;         ///< topics are averaged over this many states; 0: those of the last state
  std::size_t spacing = 5;          ///< sweeps per sample
  dirichlet_prior alpha = 0.1;      ///< prior of a document's topic proportions: one number, or one per topic
  dirichlet_prior eta = 0.01;       ///< prior of a topic's words: one number, or one per word
  bool learn_alpha = false;         ///< refit alpha, one number per topic, to the assignments
  bool learn_eta = false;           ///< refit a symmetric eta to the assignments
  std::size_t prior_start = 50;     ///< priors are first refitted after this many sweeps, when topics have separated
  std::size_t prior_interval = 10;  ///< and then again every this many sweeps
  /// Burn-in ends early once the training perplexity has moved by at most this in each of `calm_sweeps` sweeps (eq. (9)
  /// of Huang and Chen 2021, SUB-LDA; s = calm_sweeps - 1). 0: never, and no perplexity is computed.
  double calm_threshold = 0;
  std::size_t calm_sweeps = 5;
  std::size_t shards = 1;   ///< 1: the exact sequential chain; more: that many tasks at once, see gibbs
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

namespace detail {

/// All `size` parameters of a prior. From 1e-9 on, the product of two of them, divided by the number of tokens, does
/// not underflow in single precision. Throws std::invalid_argument if one is outside [1e-9, 1e9].
Eigen::VectorXd expand_for_sampling(const dirichlet_prior& prior, std::size_t size, std::string_view name);

void validate(const gibbs_options& o);

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/options.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_OPTIONS_HPP
#define DPLDA_INFERENCE_SVI_OPTIONS_HPP

#include <dplda/inference/prior.hpp>

#include <cstddef>

namespace dplda::inline v0_1 {

/// Settings of stochastic variational inference. The defaults suit a few thousand documents or more.
struct svi_options {
  std::size_t topics = 20;
  std::size_t passes = 10;       ///< times that every document is read
  std::size_t batch_size = 256;  ///< documents per step; 0: all of them, which is batch variational Bayes
  dirichlet_prior alpha = 0.1;   ///< prior of a document's topic proportions: one number, or one per topic
  dirichlet_prior eta = 0.01;    ///< prior of a topic's words: one number, or one per word
  bool learn_alpha = false;      ///< refit alpha, one number per topic, after each pass
  bool learn_eta = false;        ///< refit a symmetric eta after each pass
  double tau0 = 10;              ///< step t = 0, 1, ... moves by rho_t = (tau0 + t)^-kappa
  double kappa = 0.7;
  std::size_t document_iterations = 100;  ///< at most this many updates of a document's posterior
  double document_tolerance = 1e-3;       ///< a document is done when its gamma moves by less than this per topic
  std::size_t threads = 0;                ///< 0: as many as the machine runs at once; never changes the result
};

namespace detail {

void validate(const svi_options& o);

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/svi/detail/options.ipp>
#endif

#endif

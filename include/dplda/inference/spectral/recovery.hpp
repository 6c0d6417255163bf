// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_RECOVERY_HPP
#define DPLDA_INFERENCE_SPECTRAL_RECOVERY_HPP

// From the eigenpairs of the second moment and of the whitened third to LDA's parameters. Functions of their arguments
// alone: on released values they are post-processing.

#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <utility>

namespace dplda::inline v0_1 {

/// The whitening matrix W = U L^-1/2 (words x topics) of M2 = U L U' + rest, with W' M2 W = I.
/// Throws std::invalid_argument if an eigenvalue is not positive beyond rounding: there are then fewer topics than
/// requested.
detail::tall_matrix whitening_matrix(const eigenpairs& second);

/// The nearest distribution in Euclidean distance: max(x_v - t, 0) with the t that makes it sum to 1. Two points never
/// end farther apart than they were. Precondition: not empty, all finite.
Eigen::VectorXd project_to_simplex(const Eigen::VectorXd& x);

/// LDA's parameters as the moments give them.
struct lda_parameters {
  Eigen::MatrixXd topics;  ///< topics x words; entries may be negative, and rows sum to 1 only approximately
  Eigen::VectorXd alpha;
};

/// With eigenvalues lambda_i and eigenvectors v_i of the whitened third moment,
///   mu_i = (alpha0+2)/2 lambda_i U L^1/2 v_i,  alpha_i = 4 alpha0(alpha0+1)/((alpha0+2)^2 lambda_i^2).
/// Where lambda_i lies below 2 sqrt(alpha0+1)/(alpha0+2), its least value under the model, alpha_i is alpha0.
/// Throws std::invalid_argument if alpha0 is not positive and finite.
lda_parameters recover_parameters(double alpha0, const eigenpairs& second, const tensor_decomposition& third);

/// The topic model of recovered parameters: each topic is scaled to sum 1, where it has a positive sum, and projected to
/// the simplex.
template <class Real = double>
topic_model<Real> to_topic_model(const lda_parameters& parameters, vocabulary_ptr vocab) {
  typename topic_model<Real>::matrix phi(parameters.topics.rows(), parameters.topics.cols());
  for (Eigen::Index i = 0; i < phi.rows(); ++i) {
    Eigen::VectorXd topic(phi.cols());
    double sum = 0;
    for (Eigen::Index v = 0; v < phi.cols(); ++v) sum += topic[v] = parameters.topics(i, v);
    if (sum > 0) {
      for (double& t : topic) t /= sum;
    }
    topic = project_to_simplex(topic);
    for (Eigen::Index v = 0; v < phi.cols(); ++v) phi(i, v) = static_cast<Real>(topic[v]);
  }
  return topic_model<Real>(std::move(phi), std::move(vocab), parameters.alpha);
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/recovery.ipp>
#endif

#endif

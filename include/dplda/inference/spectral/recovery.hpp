// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_RECOVERY_HPP
#define DPLDA_INFERENCE_SPECTRAL_RECOVERY_HPP

// From the eigenpairs of the second moment and of the whitened third to LDA's parameters. Functions of their arguments
// alone: on released values they are post-processing.

#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The whitening matrix W = U L^-1/2 (words x topics) of M2 = U L U' + rest, with W' M2 W = I.
/// Throws std::invalid_argument if an eigenvalue is not positive beyond rounding: there are then fewer topics than
/// requested.
inline detail::tall_matrix whitening_matrix(const eigenpairs& second) {
  const Eigen::Index k = second.values.size();
  double least = 0;
  for (const double value : second.values) least = std::max(least, 1e-12 * std::abs(value));
  detail::tall_matrix w(second.vectors.rows(), k);
  for (Eigen::Index i = 0; i < k; ++i) {
    detail::require(second.values[i] > least, "spectral", "number of topics", k,
                    detail::text("must be at most ", i, ", the number of positive eigenvalues of the second moment"));
    const double factor = 1 / std::sqrt(second.values[i]);
    for (Eigen::Index v = 0; v < w.rows(); ++v) w(v, i) = factor * second.vectors(v, i);
  }
  return w;
}

/// The nearest distribution in Euclidean distance: max(x_v - t, 0) with the t that makes it sum to 1. Two points never
/// end farther apart than they were. Precondition: not empty, all finite.
inline Eigen::VectorXd project_to_simplex(const Eigen::VectorXd& x) {
  const double top = *std::max_element(x.begin(), x.end());
  std::vector<double> left(x.begin(), x.end());
  for (double& entry : left) entry -= top;
  // Entries that do not exceed the shift of the remaining ones end as 0, and without them the shift grows (Michelot
  // 1986). It is below 0, so the largest entry stays.
  double shift = 0;
  for (std::size_t before = 0; left.size() != before;) {
    before = left.size();
    double sum = 0;
    for (const double entry : left) sum += entry;
    shift = (sum - 1) / static_cast<double>(before);
    std::erase_if(left, [&](double entry) { return !(entry > shift); });
  }
  Eigen::VectorXd point(x.size());
  double total = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) total += point[i] = std::max(x[i] - top - shift, 0.0);
  for (double& p : point) p /= total;
  return point;
}

/// LDA's parameters as the moments give them.
struct lda_parameters {
  Eigen::MatrixXd topics;  ///< topics x words; entries may be negative, and rows sum to 1 only approximately
  Eigen::VectorXd alpha;
};

/// With eigenvalues lambda_i and eigenvectors v_i of the whitened third moment,
///   mu_i = (alpha0+2)/2 lambda_i U L^1/2 v_i,  alpha_i = 4 alpha0(alpha0+1)/((alpha0+2)^2 lambda_i^2).
/// Where lambda_i lies below 2 sqrt(alpha0+1)/(alpha0+2), its least value under the model, alpha_i is alpha0.
/// Throws std::invalid_argument if alpha0 is not positive and finite.
inline lda_parameters recover_parameters(double alpha0, const eigenpairs& second, const tensor_decomposition& third) {
  detail::require_alpha0(alpha0, "recover_parameters");
  lda_parameters result;
  const double scale = (alpha0 + 2) / 2;
  const Eigen::Index k = third.values.size();
  Eigen::MatrixXd combination(k, k);  // row i: scale lambda_i (L^1/2 v_i)'
  result.alpha.resize(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const double lambda = third.values[i], share = (alpha0 + 1) / (scale * scale * lambda * lambda);
    result.alpha[i] = share < 1 ? alpha0 * share : alpha0;
    for (Eigen::Index j = 0; j < k; ++j) {
      combination(i, j) = scale * lambda * std::sqrt(second.values[j]) * third.vectors(j, i);
    }
  }
  result.topics = Eigen::MatrixXd::Zero(k, second.vectors.rows());
  detail::add_multiplied_transposed(detail::whole(result.topics), detail::whole(std::as_const(combination)),
                                    detail::whole(second.vectors));
  return result;
}

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

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_STATE_IPP
#define DPLDA_INFERENCE_SVI_DETAIL_STATE_IPP

// Bodies of inference/svi/state.hpp.

#include <dplda/core/vector_math.hpp>
#include <dplda/inference/document_kernels.hpp>
#include <dplda/inference/svi/state.hpp>

#include <algorithm>
#include <utility>

namespace dplda::inline v0_1 {

template <class Real>
Eigen::VectorXd svi_state<Real>::lambda(word_id word) const {
  return eta_[word] + scale_ * weights_.col(word).head(alpha_.size()).template cast<double>().array();
}

template <class Real>
topic_model<Real> svi_state<Real>::into_model() {
  const auto k = static_cast<Eigen::Index>(topics());
  for (Eigen::Index v = 0; v < weights_.cols(); ++v) {
    for (Eigen::Index i = 0; i < k; ++i) {
      weights_(i, v) = static_cast<Real>(std::max(0.0, eta_[v] + scale_ * static_cast<double>(weights_(i, v))));
    }
  }
  if (weights_.rows() != k) weights_.conservativeResize(k, Eigen::NoChange);
  const Eigen::VectorXd sums = weights_.template cast<double>().rowwise().sum();
  for (Eigen::Index v = 0; v < weights_.cols(); ++v) {
    for (Eigen::Index i = 0; i < k; ++i)
      weights_(i, v) = static_cast<Real>(static_cast<double>(weights_(i, v)) / sums[i]);
  }
  return topic_model<Real>(std::move(weights_), std::move(vocab_), std::move(alpha_));
}

}  // namespace dplda::inline v0_1

#endif

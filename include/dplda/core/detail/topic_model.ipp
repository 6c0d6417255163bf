// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_TOPIC_MODEL_IPP
#define DPLDA_CORE_DETAIL_TOPIC_MODEL_IPP

// Bodies of core/topic_model.hpp.

#include <dplda/core/topic_model.hpp>

#include <cmath>
#include <utility>

namespace dplda::inline v0_1 {

template <class Real>
topic_model<Real>::topic_model(matrix phi, vocabulary_ptr vocab, Eigen::VectorXd alpha)
    : phi_(std::move(phi)), alpha_(std::move(alpha)), vocab_(std::move(vocab)) {
  detail::require(vocab_ != nullptr, "topic_model", "vocabulary", "null", "must be given");
  detail::require(phi_.rows() >= 1, "topic_model", "number of topics", phi_.rows(), "must be at least 1");
  detail::require(words() == vocab_->size(), "topic_model", "number of columns", words(),
                  detail::text("must be the vocabulary's size, ", vocab_->size()));
  detail::require(alpha_.size() == 0 || alpha_.size() == phi_.rows(), "topic_model", "size of alpha", alpha_.size(),
                  detail::text("must be 0 or the number of topics, ", topics()));
  for (Eigen::Index k = 0; k < alpha_.size(); ++k) {
    detail::require(alpha_[k] > 0 && std::isfinite(alpha_[k]), "topic_model", detail::text("alpha[", k, "]"), alpha_[k],
                    "must be positive and finite");
  }
  constexpr double tolerance = std::is_same_v<Real, float> ? 1e-4 : 1e-9;
  for (Eigen::Index k = 0; k < phi_.rows(); ++k) {
    double sum = 0;
    for (Eigen::Index v = 0; v < phi_.cols(); ++v) {
      const auto p = static_cast<double>(phi_(k, v));
      if (!(p >= 0 && std::isfinite(p))) {
        detail::refuse("topic_model", detail::text("phi(", k, ", ", v, ")"), p, "must be non-negative and finite");
      }
      sum += p;
    }
    detail::require(std::abs(sum - 1) <= tolerance, "topic_model", detail::text("sum of row ", k), sum, "must be 1");
  }
}

template <class Real>
topic_model<Real> topic_model<Real>::with_counts(std::shared_ptr<const topic_counts> counts) const {
  if (counts != nullptr) {
    const topic_counts& c = *counts;
    detail::require(c.cells.rows() == phi_.rows() && c.cells.cols() == phi_.cols() &&
                        c.cell_noise.size() == phi_.cols() && c.words.size() == phi_.cols() &&
                        c.word_noise.size() == phi_.cols(),
                    "topic_model", "the counts", "of another size", "must have the topics and words of the model");
    detail::require(c.cells.allFinite() && c.cell_noise.allFinite() && c.words.allFinite() && c.word_noise.allFinite(),
                    "topic_model", "a count or its noise", "not finite", "must be finite");
    detail::require(c.cell_noise.minCoeff() > 0 && c.word_noise.minCoeff() > 0, "topic_model", "the noise of a count",
                    "not positive", "must be positive");
  }
  topic_model same = *this;
  same.counts_ = std::move(counts);
  return same;
}

}  // namespace dplda::inline v0_1

#endif

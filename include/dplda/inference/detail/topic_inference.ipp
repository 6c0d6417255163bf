// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_TOPIC_INFERENCE_IPP
#define DPLDA_INFERENCE_DETAIL_TOPIC_INFERENCE_IPP

// Bodies of inference/topic_inference.hpp.

#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/prior.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/inference/topic_inference.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

template <class Real>
topic_inference<Real>::topic_inference(const topic_model<Real>& model, const inference_options& options)
    : options_(options),
      stride_(detail::padded<Real>(model.topics())),
      vocab_(model.vocab()),
      possible_(model.words()) {
  const double alpha = options.alpha;
  detail::require(alpha >= 0 && std::isfinite(alpha), "topic_inference", "alpha", alpha,
                  "must be finite and not negative");
  detail::require(options.iterations >= 1, "topic_inference", "iterations", options.iterations, "must be at least 1");
  detail::require(options.tolerance >= 0, "topic_inference", "tolerance", options.tolerance, "must not be negative");
  alpha_ = alpha == 0 && model.alpha().size() > 0
               ? model.alpha()
               : Eigen::VectorXd::Constant(model.phi().rows(), alpha > 0 ? alpha : 0.1);
  rows_.setZero(static_cast<Eigen::Index>(stride_), model.phi().cols());
  for (Eigen::Index v = 0; v < rows_.cols(); ++v) {
    const Real largest = model.phi().col(v).maxCoeff();
    possible_[static_cast<std::size_t>(v)] = largest > 0;
    if (largest > 0) rows_.col(v).head(alpha_.size()) = model.phi().col(v) / largest;
  }
}

template <class Real>
Eigen::VectorXd topic_inference<Real>::gamma(const document& doc) const {
  auto solver = make_solver();
  solve(solver, doc);
  return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(solver.gamma().data(), alpha_.size())
      .template cast<double>();
}

template <class Real>
Eigen::VectorXd topic_inference<Real>::operator()(const document& doc) const {
  Eigen::VectorXd theta = gamma(doc);
  return theta / theta.sum();
}

template <class Real>
Eigen::MatrixXd topic_inference<Real>::operator()(const corpus& docs, std::size_t threads) const {
  detail::require_same_vocabulary("topic_inference", docs.vocab(), vocab_);
  Eigen::MatrixXd thetas(static_cast<Eigen::Index>(docs.size()), alpha_.size());
  parallel_for(docs.size(), 16, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
    auto solver = make_solver();
    for (std::size_t d = begin; d < end; ++d) {
      solve(solver, docs[d]);
      const Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> fitted(solver.gamma().data(), alpha_.size());
      const Eigen::VectorXd theta = fitted.template cast<double>();
      thetas.row(static_cast<Eigen::Index>(d)) = theta / theta.sum();
    }
  });
  return thetas;
}

template <class Real>
detail::document_solver<Real> topic_inference<Real>::make_solver() const {
  return detail::document_solver<Real>(
      alpha_, options_.iterations, options_.tolerance,
      options_.estimator == theta_estimator::em ? detail::weight_rule::expected : detail::weight_rule::expected_log);
}

template <class Real>
void topic_inference<Real>::solve(detail::document_solver<Real>& solver, const document& doc) const {
  if (!doc.empty()) {
    const word_id last = *std::max_element(doc.words.begin(), doc.words.end());
    detail::require(last < possible_.size(), "topic_inference", "word", last,
                    "must be below the size of the model's vocabulary");
  }
  solver.solve(
      doc, [&](word_id word) { return possible_[word] ? rows_.col(static_cast<Eigen::Index>(word)).data() : nullptr; });
}

}  // namespace dplda::inline v0_1

#endif

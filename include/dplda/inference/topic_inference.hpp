// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_TOPIC_INFERENCE_HPP
#define DPLDA_INFERENCE_TOPIC_INFERENCE_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/prior.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dplda::inline v0_1 {

/// How a document's topic proportions are estimated.
enum class theta_estimator {
  variational,  ///< the mean of q(theta) = Dirichlet(gamma), as in training: few topics, the others at their prior
  em            ///< theta_k ∝ alpha_k + expected tokens of topic k, by expectation maximisation
};

/// How the topic proportions of a document are inferred.
struct inference_options {
  theta_estimator estimator = theta_estimator::variational;
  double alpha = 0;              ///< symmetric prior of theta; 0: the model's own, or 0.1 if it has none
  std::size_t iterations = 500;  ///< at most this many updates per document
  double tolerance = 1e-4;       ///< a document is done when its gamma moves by less than this per topic
};

/// Topic proportions of new documents under a fixed model. Deterministic, the same from call to call and for any number
/// of threads. Words to which no topic gives a positive probability are ignored.
template <class Real = double>
class topic_inference {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit topic_inference(const topic_model<Real>& model, const inference_options& options = {})
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

  std::size_t topics() const noexcept { return static_cast<std::size_t>(alpha_.size()); }
  const Eigen::VectorXd& alpha() const noexcept { return alpha_; }

  /// gamma = alpha + the expected tokens of each topic; alpha for an empty document. Precondition: the words are
  /// numbered as in the model's vocabulary. Throws std::invalid_argument if a word is beyond it.
  Eigen::VectorXd gamma(const document& doc) const {
    auto solver = make_solver();
    solve(solver, doc);
    return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(solver.gamma().data(), alpha_.size())
        .template cast<double>();
  }

  /// theta = gamma / sum(gamma); the prior mean for an empty document. Throws as gamma does.
  Eigen::VectorXd operator()(const document& doc) const {
    Eigen::VectorXd theta = gamma(doc);
    return theta / theta.sum();
  }

  /// theta of all documents, one row each. Throws std::invalid_argument if the vocabulary is not the model's; use
  /// corpus::restrict_to or text_options::vocab for new text.
  Eigen::MatrixXd operator()(const corpus& docs, std::size_t threads = 0) const {
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

 private:
  detail::document_solver<Real> make_solver() const {
    return detail::document_solver<Real>(
        alpha_, options_.iterations, options_.tolerance,
        options_.estimator == theta_estimator::em ? detail::weight_rule::expected : detail::weight_rule::expected_log);
  }

  void solve(detail::document_solver<Real>& solver, const document& doc) const {
    if (!doc.empty()) {
      const word_id last = *std::max_element(doc.words.begin(), doc.words.end());
      detail::require(last < possible_.size(), "topic_inference", "word", last,
                      "must be below the size of the model's vocabulary");
    }
    solver.solve(doc, [&](word_id word) {
      return possible_[word] ? rows_.col(static_cast<Eigen::Index>(word)).data() : nullptr;
    });
  }

  inference_options options_;
  std::size_t stride_;
  vocabulary_ptr vocab_;
  Eigen::VectorXd alpha_;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> rows_;  // topics (padded) x words, each column's largest entry 1
  std::vector<bool> possible_;                                // words with a positive probability somewhere
};

}  // namespace dplda::inline v0_1

#endif

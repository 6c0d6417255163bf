// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_TOPIC_INFERENCE_HPP
#define DPLDA_INFERENCE_TOPIC_INFERENCE_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>

#include <Eigen/Core>

#include <cstddef>
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

namespace detail {
template <class Real>
class document_solver;
}

/// Topic proportions of new documents under a fixed model. Deterministic, the same from call to call and for any number
/// of threads. Words to which no topic gives a positive probability are ignored.
template <class Real = double>
class topic_inference {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit topic_inference(const topic_model<Real>& model, const inference_options& options = {});

  std::size_t topics() const noexcept { return static_cast<std::size_t>(alpha_.size()); }
  const Eigen::VectorXd& alpha() const noexcept { return alpha_; }

  /// gamma = alpha + the expected tokens of each topic; alpha for an empty document. Precondition: the words are
  /// numbered as in the model's vocabulary. Throws std::invalid_argument if a word is beyond it.
  Eigen::VectorXd gamma(const document& doc) const;

  /// theta = gamma / sum(gamma); the prior mean for an empty document. Throws as gamma does.
  Eigen::VectorXd operator()(const document& doc) const;

  /// theta of all documents, one row each. Throws std::invalid_argument if the vocabulary is not the model's; use
  /// corpus::restrict_to or text_options::vocab for new text.
  Eigen::MatrixXd operator()(const corpus& docs, std::size_t threads = 0) const;

 private:
  detail::document_solver<Real> make_solver() const;

  void solve(detail::document_solver<Real>& solver, const document& doc) const;

  inference_options options_;
  std::size_t stride_;
  vocabulary_ptr vocab_;
  Eigen::VectorXd alpha_;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> rows_;  // topics (padded) x words, each column's largest entry 1
  std::vector<bool> possible_;                                // words with a positive probability somewhere
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/detail/topic_inference.ipp>
#endif

#endif

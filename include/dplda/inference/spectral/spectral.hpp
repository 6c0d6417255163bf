// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_SPECTRAL_HPP
#define DPLDA_INFERENCE_SPECTRAL_SPECTRAL_HPP

// Formulas, arguments, options and limits: inference/spectral/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/recovery.hpp>
#include <dplda/inference/spectral/tensor.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <utility>

namespace dplda::inline v0_1 {

/// What spectral LDA computes on its way to the topics.
template <class Real = double>
class spectral_state {
 public:
  spectral_state(double alpha0, vocabulary_ptr vocab, Eigen::VectorXd first, eigenpairs second, symmetric_tensor third,
                 tensor_decomposition decomposition);

  const Eigen::VectorXd& first() const noexcept { return first_; }   ///< M1
  const eigenpairs& second() const noexcept { return second_; }      ///< leading eigenpairs of M2
  const symmetric_tensor& third() const noexcept { return third_; }  ///< whitened M3
  const tensor_decomposition& decomposition() const noexcept { return decomposition_; }

  lda_parameters parameters() const { return recover_parameters(alpha0_, second_, decomposition_); }
  topic_model<Real> model() const { return to_topic_model<Real>(parameters(), vocab_); }

 private:
  double alpha0_;
  vocabulary_ptr vocab_;
  Eigen::VectorXd first_;
  eigenpairs second_;
  symmetric_tensor third_;
  tensor_decomposition decomposition_;
};

/// Latent Dirichlet allocation by the method of moments (Anandkumar et al. 2012, 2014). Not private.
///
///     dplda::spectral learner({.topics = 20});
///     auto random = dplda::seeded_random(42);
///     dplda::topic_model<> topics = learner.fit(docs, random);
///
/// The leading eigenvectors of the second moment whiten the third, which is then a small tensor whose orthonormal
/// eigenvectors are the topics in other coordinates. Only the iterations of the eigensolver read the documents, and
/// only the small tensor can have local optima. Consistent if documents follow LDA with this alpha0 and linearly
/// independent topics. Documents of fewer than three tokens are left out.
/// The same source and corpus give the same bits for every number of threads.
template <class Real = double>
class spectral {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit spectral(spectral_options options = {}) : options_(std::move(options)) { detail::validate(options_); }

  const spectral_options& options() const noexcept { return options_; }

  /// Learns topics from all documents; the topic with the smallest alpha comes first. After each of the four steps
  /// (moments, whitening, whitened third moment, decomposition) watch(progress) is called. There is no model before the
  /// last step, so its answer is ignored. Throws std::invalid_argument if the vocabulary has fewer words than topics,
  /// if fewer than three documents (one, for moment_products::plug_in) have at least three tokens, or if the second
  /// moment has fewer positive eigenvalues than topics.
  topic_model<Real> fit(const corpus& docs, random_source& random, const observer& watch = {}) const;

  /// As fit, but returns all that was computed.
  spectral_state<Real> fit_state(const corpus& docs, random_source& random, const observer& watch = {}) const;

 private:
  spectral_options options_;
};

spectral(spectral_options)->spectral<double>;
spectral()->spectral<double>;

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/spectral.ipp>
#endif

#endif

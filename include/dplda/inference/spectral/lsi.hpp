// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_LSI_HPP
#define DPLDA_INFERENCE_SPECTRAL_LSI_HPP

// Formulas, options and limits: inference/spectral/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>

namespace dplda::inline v0_1 {

/// The entries of the matrix that latent semantic indexing decomposes.
enum class lsi_weights {
  tf_idf,  ///< count times log(documents / documents with the word), each document scaled to length 1
  counts   ///< counts of words in documents
};

/// Settings of latent semantic indexing.
struct lsi_options {
  std::size_t topics = 20;
  lsi_weights weights = lsi_weights::tf_idf;
  double eigen_tolerance = 1e-9;       ///< residuals of the squared singular values, relative to the largest
  std::size_t eigen_iterations = 500;  ///< at most this many products with the matrix
  std::size_t threads = 0;             ///< 0: as many as the machine runs at once; never changes the result
};

/// The leading singular values of a corpus, largest first, and their directions in the space of words.
struct lsi_state {
  Eigen::VectorXd singular_values;
  Eigen::MatrixXd directions;  ///< words x topics, orthonormal columns; each column's largest entry is positive
  vocabulary_ptr vocab;

  /// Row k has the probabilities directions(w, k)^2; no prior.
  topic_model<> model() const;
};

/// Latent semantic indexing: the truncated singular value decomposition X = sum_k s_k y_k u_k' of the documents' weighted
/// counts (Deerwester, Dumais, Furnas, Landauer and Harshman 1990). Not private.
///
///     dplda::lsi learner({.topics = 20});
///     auto random = dplda::seeded_random(42);
///     dplda::topic_model<> topics = learner.fit(docs, random);
///
/// A direction u_k has entries of both signs, and its own sign is arbitrary. As a topic it is the distribution
///   phi_kw = u_kw^2,
/// which sums to 1 because u_k has length 1: the share of word w in sum_w |s_k u_kw|^2, the part of X that direction k
/// explains. It ranks words by |u_kw|, as LSI does, and it does not depend on the sign. Words of both ends of a
/// direction are in one topic. It is no generative model: held-out perplexity says little about it.
///
/// Right singular vectors are the eigenvectors of X'X, so singular values below about 1e-8 of the largest are lost in
/// rounding. If the rank of X is below `topics`, the last directions are arbitrary ones with singular value 0.
/// The same source and corpus give the same bits for every number of threads.
class lsi {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit lsi(lsi_options options = {});

  const lsi_options& options() const noexcept { return options_; }

  /// Learns topics from all documents. Throws std::invalid_argument if the corpus has no documents or fewer words than
  /// topics.
  topic_model<> fit(const corpus& docs, random_source& random, const observer& watch = {}) const;

  /// As fit, with the singular values and the signs of the directions.
  lsi_state fit_state(const corpus& docs, random_source& random, const observer& watch = {}) const;

 private:
  lsi_options options_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/lsi.ipp>
#endif

#endif

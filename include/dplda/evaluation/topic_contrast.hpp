// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_TOPIC_CONTRAST_HPP
#define DPLDA_EVALUATION_TOPIC_CONTRAST_HPP

// Whether learned topics say more than noise would. A learner separates topics even if documents have none, the more so
// the shorter the documents and the larger the noise. So topics are not judged by how much they differ, but by whether
// they differ more than the topics that the same learner finds in documents without topics.

// Claim: stands_out and what it calls read only the topics, public numbers and fresh random bits. They cost no privacy
//   if the topics are a release.
// Preconditions: `fit` does not touch the data that the topics were learned from.
// Argument: post-processing.
// Test: tests/evaluation/topic_contrast_test.cpp

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dplda::inline v0_1 {

/// How much topics differ: the mean Kullback-Leibler divergence of a topic from the mean of all, in nats. 0 if all are
/// equal, log(topics) if no two share a word.
template <class Real>
double topic_contrast(const topic_model<Real>& model) {
  const Eigen::MatrixXd phi = model.phi().template cast<double>();
  const Eigen::RowVectorXd mean = phi.colwise().mean();
  double sum = 0;
  for (Eigen::Index v = 0; v < phi.cols(); ++v) {
    for (Eigen::Index k = 0; k < phi.rows(); ++k) {
      if (phi(k, v) > 0) sum += phi(k, v) * std::log(phi(k, v) / mean[v]);
    }
  }
  return std::max(0.0, sum / static_cast<double>(phi.rows()));
}

/// Documents whose words are drawn independently from the mean of the topics, so that no two words belong together.
/// Lengths are Poisson with mean `length`, at least 1. Each document has its own owner. Throws std::invalid_argument if
/// length is not in (0, 1e9].
corpus documents_without_topics(const topic_model<>& model, std::size_t documents, double length,
                                random_source& random);

/// From shorter documents a learner makes topics that differ as much as possible, whatever the documents are about, so
/// whether these stand out cannot be decided.
inline constexpr double shortest_to_compare = 3;

/// Whether topics clearly stand out from noise: their contrast is above 0.03, and above 1.4 times the larger contrast
/// of two fits of documents without topics. (In trials such documents gave up to 1.25 times as much. Where there is
/// hardly anything but noise, one fit in ten has topics of another kind: there, a `yes` means less.) fit(docs) must
/// learn as the model was learned, with the same noise. `documents` and `length` are public guesses of the number of
/// documents and of a document's number of tokens in the model's vocabulary. A `no` means that the topics are
/// unreliable; a `yes` does not prove that they are good. Throws std::invalid_argument if length is below
/// shortest_to_compare.
template <class Fit>
bool stands_out(const topic_model<>& model, std::size_t documents, double length, random_source& random, Fit&& fit) {
  detail::require(length >= shortest_to_compare, "stands_out", "length", length,
                  detail::text("must be at least ", shortest_to_compare));
  double noise = 0.03 / 1.4;
  for (int i = 0; i < 2; ++i)
    noise = std::max(noise, topic_contrast(fit(documents_without_topics(model, documents, length, random))));
  return topic_contrast(model) > 1.4 * noise;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/topic_contrast.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>

namespace dplda::inline v0_1::detail {

/// How much better topics predict the words of a unit than word frequencies do. One of the unit's documents is drawn, and
/// its distinct words are cut in two at random; the gain is the mean over one half of log(p / q), where p is a word's
/// probability given the topics of the other half, q its frequency, and both are relative to the words not in that half.
/// (As in evaluation/type_completion.hpp, words that merely occur repeatedly gain nothing.)
///
/// The gain is a function of the unit's documents, of the topics and frequencies, and of bits named by the ids of the
/// unit's documents, so it can be computed for many units side by side.
class topic_gain {
 public:
  /// phi: topics x words, each row a distribution. Precondition: all entries of phi and words are positive.
  topic_gain(const Eigen::MatrixXd& phi, Eigen::VectorXd words, const vocabulary_ptr& vocab,
             const Eigen::VectorXd& alpha, random_source& random);

  /// Of the unit with these documents: at least -1 and at most 1; 0 if the document that was drawn has fewer than two
  /// words.
  double operator()(const corpus& docs, std::span<const std::size_t> unit) const;

 private:
  topic_model<> topics_;
  Eigen::VectorXd words_;
  topic_inference<> infer_;
  random_source random_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/topic_gain.ipp>
#endif

#endif

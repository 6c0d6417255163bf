// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_HPP

// Claim: with add() and one publish(), the sum of the gains is the release of its accumulator's plan, whatever the
//   documents are.
// Preconditions: the accumulators have one cell and take values of any sign. Topics and frequencies are public or come
//   from releases. The accumulator's own preconditions hold (mechanisms/accumulator.hpp).
// Argument: add() adds one number for each unit. That number is a function of the unit's own documents, of the topics and
//   frequencies, and of bits named by the ids of the unit's documents (mechanisms/units.hpp), computed in work space of
//   its own. Its bound of 1 is for utility: the accumulator clips it again, on integers.
// Test: tests/inference/public_text_test.cpp (grey-box audit), tests/mechanisms/ids_test.cpp,
//   tests/audit/self_audit_test.cpp, mutants gain_*.

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>

namespace dplda::inline v0_1::detail {

/// How much better topics predict the words of a unit than word frequencies do. One of the unit's documents is drawn, and
/// its distinct words are cut in two at random, an observed and a scored half. The gain is the mean over scored words of
/// log(p / q), where p is a word's probability given the topics of the observed half, q its frequency, and both are
/// relative to the words that were not observed.
/// (As in evaluation/type_completion.hpp, words that merely occur repeatedly gain nothing.)
class topic_gain {
 public:
  /// phi: topics x words, each row a distribution. Precondition: all entries of phi and words are positive.
  topic_gain(const Eigen::MatrixXd& phi, Eigen::VectorXd words, const vocabulary_ptr& vocab,
             const Eigen::VectorXd& alpha, random_source& random);

  /// Of the unit with these documents: at least -1 and at most 1; 0 if the document that was drawn has fewer than two
  /// words.
  double operator()(const corpus& docs, std::span<const std::size_t> unit) const;

  /// Adds the gain of each unit, once, to sums[0], which has one cell. The other sums are work space, one of a thread.
  void add(const corpus& docs, const privacy_units& units, std::span<accumulator> sums) const;

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

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_PRIVATE_GIBBS_HPP
#define DPLDA_INFERENCE_GIBBS_PRIVATE_GIBBS_HPP

// Formulas, arguments, options and limits: inference/gibbs/README.md

// Claim: fit() is (epsilon, delta)-DP as guarantee() says. In each step a unit contributes the topic counts of its
//   tokens, averaged over sweeps of a sampler that is given the released topics.
// Preconditions: those of inference/private_topics/private_topics.hpp.
// Argument: that of private_topics, which requires one thing of the method: a document's answer depends only on that
//   document, the topics and its own bits. gibbs_method starts each document anew from the released topics, with a
//   stream of bits that the document's id names. No state of a document survives a step, so no sample leaks into the
//   next.
// Test: tests/inference/private_topics_test.cpp

#include <dplda/inference/gibbs/detail/gibbs_method.hpp>
#include <dplda/inference/private_topics/private_topics.hpp>

#include <cstddef>
#include <utility>

namespace dplda::inline v0_1 {

/// Private topics by Gibbs sampling. Each step samples the topics of every document's tokens given the released topics,
/// and releases the table of their counts.
///
///   dplda::private_gibbs learner({.topics = 20, .units = 60000, .words = 5000}, {.epsilon = 1, .delta = 1e-5});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class private_gibbs : public private_topics<detail::gibbs_method> {
 public:
  using private_topics::private_topics;

  /// See private_topics::for_words.
  private_gibbs for_words(std::size_t words) const { return private_gibbs(private_topics::for_words(words)); }

 private:
  explicit private_gibbs(private_topics planned) : private_topics(std::move(planned)) {}
};

using private_gibbs_options = private_gibbs::options_type;

}  // namespace dplda::inline v0_1

#endif

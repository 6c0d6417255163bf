// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_PRIVATE_SVI_HPP
#define DPLDA_INFERENCE_SVI_PRIVATE_SVI_HPP

// Formulas, arguments, options and limits: inference/svi/README.md

// Claim: fit() is (epsilon, delta)-DP as guarantee() says. In each step a unit contributes the expected topic counts of
//   its documents under the variational posterior given the released topics.
// Preconditions: those of inference/private_topics/private_topics.hpp.
// Argument: that of private_topics, which requires one thing of the method: a document's answer depends only on that
//   document and the topics. document_solver starts all documents alike, reads one at a time in its own work space, and
//   draws nothing.
// Test: tests/inference/private_topics_test.cpp

#include <dplda/inference/private_topics/private_topics.hpp>
#include <dplda/inference/svi/detail/variational_method.hpp>

#include <cstddef>
#include <utility>

namespace dplda::inline v0_1 {

/// Private topics by variational inference.
///
///   dplda::private_svi learner({.topics = 20, .units = 60000, .words = 5000}, {.epsilon = 1, .delta = 1e-5});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class private_svi : public private_topics<detail::variational_method> {
 public:
  using private_topics::private_topics;

  /// See private_topics::for_words.
  private_svi for_words(std::size_t words) const { return private_svi(private_topics::for_words(words)); }

 private:
  explicit private_svi(private_topics planned) : private_topics(std::move(planned)) {}
};

using private_svi_options = private_svi::options_type;

}  // namespace dplda::inline v0_1

#endif

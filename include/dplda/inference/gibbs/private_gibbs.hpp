// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_PRIVATE_GIBBS_HPP
#define DPLDA_INFERENCE_GIBBS_PRIVATE_GIBBS_HPP

// Formulas, arguments, options and limits: inference/gibbs/README.md

// Claim, preconditions, argument: inference/private_topics/private_topics.hpp. Of the method it is asked that a document's answer
//   depends on that document, the topics and bits of its own alone: gibbs_method starts each document anew from the
//   released topics, under a stream of bits numbered by the document's id.
// Test: tests/inference/private_topics_test.cpp

#include <dplda/inference/gibbs/detail/gibbs_method.hpp>
#include <dplda/inference/private_topics/private_topics.hpp>

namespace dplda {

/// Private topics by Gibbs sampling: in each step the topics of every document's tokens are sampled given the released
/// topics, and the table of their counts is released.
///
///   dplda::private_gibbs learner({.topics = 20, .units = 60000, .words = 5000}, {.epsilon = 1, .delta = 1e-5});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
using private_gibbs = private_topics<detail::gibbs_method>;
using private_gibbs_options = private_gibbs::options_type;

}  // namespace dplda

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_PRIVATE_SVI_HPP
#define DPLDA_INFERENCE_SVI_PRIVATE_SVI_HPP

// Formulas, arguments, options and limits: inference/svi/README.md

// Claim, preconditions, argument: inference/private_topics/private_topics.hpp. Of the method it is asked that a document's answer
//   depends on that document and the topics alone: document_solver starts all documents alike and looks at one at a time.
// Test: tests/inference/private_topics_test.cpp

#include <dplda/inference/svi/detail/variational_method.hpp>
#include <dplda/inference/private_topics/private_topics.hpp>

namespace dplda {

/// Private topics by variational inference.
///
///   dplda::private_svi learner({.topics = 20, .units = 60000, .words = 5000}, {.epsilon = 1, .delta = 1e-5});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
using private_svi = private_topics<detail::variational_method>;
using private_svi_options = private_svi::options_type;

}  // namespace dplda

#endif

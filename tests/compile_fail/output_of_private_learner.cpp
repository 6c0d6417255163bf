// SPDX-License-Identifier: Apache-2.0
// Topics that already have noise would cost privacy twice: topic_dp takes non-private learners.
// expected: TopicLearner
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>

dplda::release<dplda::topic_model<>> twice(const dplda::topic_dp& plan, const dplda::corpus& docs,
                                           dplda::random_source& random) {
#ifdef DPLDA_COMPILE_FAIL
  return plan.fit(dplda::private_svi({.units = 10, .words = 10}, {.epsilon = 1, .delta = 1e-6}), docs, random);
#else
  return plan.fit(dplda::svi<>(), docs, random);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// The pipeline takes only private learners.
// expected: PrivateLearner
#include <dplda/inference/svi/svi.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#ifdef DPLDA_COMPILE_FAIL
using learner = dplda::fully_private_topics<dplda::svi<>>;
#else
using learner = dplda::fully_private_topics<>;
#endif

dplda::guarantee claim(const learner& planned) { return planned.guarantee(); }

// SPDX-License-Identifier: Apache-2.0
// Shadow training refuses a type that is not a learner of topics.
// expected: AuditableLearner
#include <dplda/audit/shadows.hpp>

struct counter {
#ifdef DPLDA_COMPILE_FAIL
  int fit(const dplda::corpus& docs, dplda::random_source&) const { return static_cast<int>(docs.size()); }
#else
  dplda::topic_model<> fit(const dplda::corpus& docs, dplda::random_source&) const {
    return dplda::topic_model<>(Eigen::MatrixXd::Ones(1, 1), docs.vocab());
  }
#endif
};

dplda::shadow_table train(const dplda::corpus& docs, dplda::random_source& random) {
  return dplda::train_shadows(counter{}, docs, random);
}

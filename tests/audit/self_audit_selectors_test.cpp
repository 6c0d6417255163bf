// SPDX-License-Identifier: Apache-2.0
// A small version of the audit of word selectors; confidences as in self_audit_test.cpp.
#include "audited_selectors.hpp"
#include "support/catch.hpp"

using namespace dplda_tests;

namespace {

constexpr double confidence = 1 - 1e-6;
const dplda::budget total{2, 1e-5};

audit_verdict audited(const audit_case& one, std::size_t runs) { return judge(one, runs, confidence, confidence, 12); }

}  // namespace

TEST_CASE("Selectors pass their audit, and fail with half the noise") {
  const std::vector<case_maker> all = selector_cases();
  for (const case_maker& make : all) {
    const audit_case one = make(total), broken = with_half_the_noise(make, total);
    const audit_verdict found = audited(one, 6000), caught = audited(broken, 6000);
    CAPTURE(one.learner, found.audited, caught.audited);
    CHECK(found.audited <= one.claim.epsilon);
    CHECK(found.any <= one.claim.epsilon);
    CHECK(found.audited > (one.one_release ? 0.55 : 0.3) * one.claim.epsilon);
    CHECK(caught.noise_scale < 1);
  }
}

TEST_CASE("Words released without noise are caught") {
  for (const case_maker& make : broken_selector_cases()) {
    const audit_case one = make(total);
    const audit_verdict found = audited(one, 1000);
    CAPTURE(one.learner, one.flaw, found.any);
    CHECK(found.any > one.claim.epsilon);
  }
}

TEST_CASE("Words and topics together pass their audit") {
  for (const case_maker& make : pipeline_cases()) {
    const audit_case one = make({4, 1e-5});
    const audit_verdict found = audited(one, 3000);
    CAPTURE(one.learner, found.audited);
    CHECK(found.audited <= one.claim.epsilon);
    CHECK(found.any <= one.claim.epsilon);
    CHECK(found.audited > 0.2 * one.claim.epsilon);
  }
}

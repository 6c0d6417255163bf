// SPDX-License-Identifier: Apache-2.0
// Learners under their own audit, in small; benchmarks/papers/self_audit.sh is the whole of it. Each bound holds with a
// confidence of 1 - 1e-6, so that a learner which keeps its claim fails here with a chance of 1e-6, over the choice of
// seeds. What is caught is caught at the same confidence.
#include "audited_learners.hpp"
#include "support/catch.hpp"

using namespace dplda_tests;

namespace {

constexpr double confidence = 1 - 1e-6;
const dplda::budget total{4, 1e-5};

audit_verdict audited(const audit_case& one, std::size_t runs) { return judge(one, runs, confidence, confidence, 11); }

// Steps on a quarter of the documents say less each; Laplace noise on two cells shows in rarer events; the moments take
// long.
std::size_t runs_of(const audit_case& one) {
  const auto has = [&](const char* part) { return one.learner.find(part) != std::string::npos; };
  return has("quarter") || has("Laplace") ? 12000 : has("spectral") ? 2000 : 3000;
}

}  // namespace

TEST_CASE("Learners stand their audit, and fall with half the noise") {
  for (const case_maker& make : learner_cases()) {
    const audit_case one = make(total), broken = with_half_the_noise(make, total);
    const std::size_t runs = runs_of(one);
    const audit_verdict found = audited(one, runs), caught = audited(broken, runs);
    CAPTURE(one.learner, found.audited, caught.audited);
    CHECK(found.audited <= one.claim.epsilon);
    CHECK(found.any <= one.claim.epsilon);
    CHECK(found.audited > (one.one_release ? 0.6 : 0.2) * one.claim.epsilon);
    CHECK(std::max(caught.audited, caught.any) > broken.claim.epsilon);
    CHECK(broken.claim.epsilon == one.claim.epsilon);
  }
}

TEST_CASE("A twin that is whole stands, and each flaw is found") {
  for (const case_maker& make : twin_cases()) {
    const audit_case one = make(total);
    const audit_verdict found = audited(one, runs_of(one));
    CAPTURE(one.learner, one.flaw, found.audited, found.any);
    CHECK((found.audited > one.claim.epsilon) == !one.flaw.empty());
    // Where cells that nobody touched are empty, no law of noise is needed to see it.
    CHECK((found.any > one.claim.epsilon) == (one.flaw == "noise on touched cells only"));
  }
}

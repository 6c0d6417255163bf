// SPDX-License-Identifier: Apache-2.0
// A small version of the learners' audit; benchmarks/papers/self_audit.sh runs all of it. Each bound holds with a
// confidence of 1 - 1e-6, so a learner that keeps its claim fails here with a chance of at most 2e-6, over the choice
// of seeds. Flaws are caught at the same confidence.
#include "audited_learners.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <string>
#include <variant>

using namespace dplda_tests;

namespace {

constexpr double confidence = 1 - 1e-6;
const dplda::budget total{4, 1e-5};

audit_verdict audited(const audit_case& one, std::size_t runs) { return judge(one, runs, confidence, confidence, 11); }

// Steps on a quarter of the documents reveal less each; Laplace noise on two cells shows in rarer events; the moments
// take long.
std::size_t runs_of(const audit_case& one) {
  const auto has = [&](const char* part) { return one.learner.find(part) != std::string::npos; };
  if (has("park")) return 30000;
  return has("quarter") || has("Laplace") ? 12000 : has("spectral") ? 2000 : 3000;
}

// The flaw is the one that its name says.
void check_half(const audit_case& broken) {
  const auto multiplier = [](const dplda::ledger::entry& entry) {
    return std::visit(
        [](const auto& noise) {
          if constexpr (requires { noise.multiplier; }) return noise.multiplier;
          return 0.0;
        },
        entry.event.noise);
  };
  const auto &claimed = broken.spent.entries(), &drawn = broken.drawn.entries();
  REQUIRE(claimed.size() == drawn.size());
  for (std::size_t i = 0; i < claimed.size(); ++i)
    CHECK(multiplier(drawn[i]) == Catch::Approx(multiplier(claimed[i]) / 2).epsilon(0.01));
}

}  // namespace

TEST_CASE("Learners pass their audit, and fail with half the noise") {
  for (const case_maker& make : learner_cases()) {
    const audit_case one = make(total), broken = with_half_the_noise(make, total);
    const std::size_t runs = runs_of(one);
    const audit_verdict found = audited(one, runs), caught = audited(broken, runs);
    CAPTURE(one.learner, found.audited, caught.audited);
    CHECK(found.audited <= one.claim.epsilon);
    CHECK(found.any <= one.claim.epsilon);
    CHECK(found.audited > (one.one_release ? 0.6 : 0.2) * one.claim.epsilon);
    if (found.gaussian) {
      CHECK(*found.gaussian <= one.claim.epsilon);
      CHECK(*found.gaussian > 0.5 * one.claim.epsilon);
    }
    // Two cells of Laplace noise show less than their ledger allows, but what they show needs no premise.
    CHECK((caught.noise_scale < 1 || caught.any > broken.claim.epsilon));
    check_half(broken);
  }
}

TEST_CASE("A clip norm twice as large as the noise allows is caught") {
  const audit_case one = double_clip_case(total);
  const audit_verdict found = audited(one, runs_of(one));
  CAPTURE(found.noise_scale);
  CHECK(found.noise_scale < 1);
  const auto &claimed = one.spent.entries(), &drawn = one.drawn.entries();
  REQUIRE(claimed.size() == 5);
  REQUIRE(drawn.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto multiplier = [](const dplda::ledger::entry& entry) {
      return std::get<dplda::gaussian_noise>(entry.event.noise).multiplier;
    };
    CHECK(multiplier(drawn[i]) == Catch::Approx(multiplier(claimed[i]) / (i == 4 ? 2 : 1)).epsilon(0.01));
  }
}

TEST_CASE("Other flaws are caught without assuming a noise distribution") {
  for (const case_maker& make : broken_learner_cases()) {
    const audit_case one = make(total);
    const audit_verdict found = audited(one, runs_of(one));
    CAPTURE(one.learner, one.flaw);
    CHECK(found.any > one.claim.epsilon);
  }
}

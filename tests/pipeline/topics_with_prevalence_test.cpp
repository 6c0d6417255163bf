// SPDX-License-Identifier: Apache-2.0
#include <dplda/pipeline/topics_with_prevalence.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "pipeline/support.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

any_private_learner three_topics(const budget& part, std::size_t words = 0) {
  private_svi_options options{.topics = 3, .units = 2000, .words = words};
  options.steps = 4;
  if (words > 0) return private_svi(options, part);
  return fully_private_topics<>({.topics = options}, part);
}

prevalence_options of_groups(std::size_t groups, std::uint64_t units) {
  prevalence_options options{.groups = {}, .units = units};
  for (std::size_t g = 0; g < groups; ++g) options.groups.push_back("group " + std::to_string(g));
  return options;
}

topics_with_prevalence plan_over(std::size_t words, std::size_t groups = 3, double share = 0) {
  return {[&](const budget& part) { return three_topics(part, words); }, 3, of_groups(groups, 2000), three, share};
}

}  // namespace

TEST_CASE("Topics and their shares have one ledger and one price", "[pipeline][prevalence]") {
  const corpus docs = letters(2000);
  for (const std::size_t words : {std::size_t{0}, docs.words()}) {
    const topics_with_prevalence both = plan_over(words, 3, 0.2);
    ledger all = both.learner().ledger();
    all.append(both.shares().ledger());
    CHECK(same_entries(both.ledger(), all));
    CHECK(both.guarantee().epsilon == price(all, three.delta).epsilon);
    CHECK(both.guarantee().delta == three.delta);
    CHECK(both.guarantee().epsilon <= three.epsilon);
    CHECK(both.guarantee().epsilon > 0.99 * three.epsilon);
    CHECK(both.shares().guarantee().epsilon <= 0.2 * three.epsilon);
    CHECK(both.learner().guarantee().epsilon > 0.9 * three.epsilon);  // 0.8 if epsilons were added
    CHECK_FALSE(both.guarantee().assumes_fixed_plans);

    // Group 1 has half of the documents, group 2 none; a quarter is in no group.
    std::vector<std::uint32_t> groups;
    for (std::size_t d = 0; d < docs.size(); ++d) groups.push_back(d % 4 == 0 ? 0 : d % 4 == 1 ? no_group : 1);
    random_source random = seeded_random(5);
    const measured_topics found = both.fit(docs, groups, random);
    CHECK(same_entries(found.topics.ledger(), all));
    CHECK(same_entries(found.shares.ledger(), all));
    CHECK(found.topics.guarantee() == found.shares.guarantee());
    CHECK(found.topics.guarantee().epsilon == both.guarantee().epsilon);
    CHECK(found.topics.guarantee().seeded);
    const prevalence& shares = found.shares.value();
    CHECK(std::abs(shares.units(0) - 500) < 6 * shares.units_noise());
    CHECK(std::abs(shares.units(1) - 1000) < 6 * shares.units_noise());
    CHECK(std::abs(shares.units(2)) < 6 * shares.units_noise());
    CHECK(shares.units_noise() < 25);  // so the groups can be told from each other
  }
}

TEST_CASE("The part of the budget that shares get follows from public numbers", "[pipeline][prevalence]") {
  const auto share_of = [](std::size_t groups, std::uint64_t units) {
    return topics_with_prevalence([](const budget& part) { return three_topics(part, 200); }, 3,
                                  of_groups(groups, units), three)
        .share();
  };
  CHECK(share_of(1, 100'000) == 0.1);
  CHECK(share_of(100, 2000) == 0.25);
  const double between = share_of(4, 4000);
  CHECK((between == 0.1 || between == 0.15 || between == 0.2));
  CHECK(plan_over(200, 3, 0.5).share() == 0.5);
}

TEST_CASE("Shares from the topics' budget refuse other topics", "[pipeline][prevalence]") {
  const corpus docs = letters(500);
  const topics_with_prevalence both = plan_over(docs.words());
  random_source random = seeded_random(6);
  const std::vector<std::uint32_t> groups(docs.size(), 0);
  const auto others = three_topics({.epsilon = 1, .delta = 1e-6}, docs.words()).fit(docs, random);
  CHECK_THROWS_WITH(both.measure(others, docs, groups, random), ContainsSubstring("the topics' ledger"));
  CHECK_THROWS_WITH(plan_over(200, 3, -0.1), ContainsSubstring("share"));
  CHECK_THROWS_WITH(plan_over(200, 3, 0.95), ContainsSubstring("share"));
  prevalence_options users = of_groups(2, 2000);
  users.unit = privacy_unit::user;
  CHECK_THROWS_WITH(topics_with_prevalence([](const budget& part) { return three_topics(part, 200); }, 3, users, three),
                    ContainsSubstring("must be those of the topics"));
}

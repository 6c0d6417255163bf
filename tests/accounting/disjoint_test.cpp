// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/disjoint.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

namespace {

ledger one(const mechanism& noise, privacy_unit unit = privacy_unit::document,
           neighbours relation = neighbours::add_remove) {
  ledger book;
  book.record({.noise = noise, .unit = unit, .relation = relation});
  return book;
}

}  // namespace

TEST_CASE("Disjoint parts cost as much as the dearest", "[accounting][disjoint]") {
  const std::vector<ledger> months{one(gaussian_noise{4}), one(gaussian_noise{2}), one(laplace_noise{9})};
  const ledger none, common = one(gaussian_noise{5});
  CHECK(disjoint_epsilon(none, months, 1e-6) == ledger_epsilon(months[1], 1e-6));
  CHECK(disjoint_delta(none, months, 1) == ledger_delta(months[1], 1));
  ledger both = common;
  both.append(months[1]);
  CHECK(disjoint_epsilon(common, months, 1e-6) == ledger_epsilon(both, 1e-6));
  CHECK(disjoint_epsilon(common, {}, 1e-6) == ledger_epsilon(common, 1e-6));
  // Which part is the dearest depends on the question: at delta = 0 only Laplace noise has an epsilon.
  CHECK(disjoint_epsilon(none, std::vector<ledger>{months[2]}, 0).upper < 0.12);
  CHECK(disjoint_epsilon(none, months, 0).upper == detail::infinite);
}

TEST_CASE("A simulation by hand of two disjoint counts agrees", "[accounting][disjoint]") {
  // Randomised response on each part: the joint law is a product, of which a unit changes one factor.
  const std::vector<ledger> parts{one(randomized_response{0.5}), one(randomized_response{0.8})};
  const double first[] = {0.75, 0.25}, second[] = {0.6, 0.4};
  for (const double epsilon : {0.0, 0.3, 1.0}) {
    double largest = 0;
    for (const bool in_first : {true, false}) {
      double sum = 0;
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          const double p = first[i] * second[j], q = in_first ? first[1 - i] * second[j] : first[i] * second[1 - j];
          sum += std::max(0.0, p - std::exp(epsilon) * q);
        }
      }
      largest = std::max(largest, sum);
    }
    const certified_bounds found = disjoint_delta({}, parts, epsilon);
    CHECK(found.lower <= largest + 1e-9);
    CHECK(found.upper >= largest - 1e-12);
    CHECK(found.upper <= largest * (1 + 1e-6) + 1e-12);
  }
}

TEST_CASE("Parts that cannot be compared are refused", "[accounting][disjoint]") {
  const std::vector<ledger> mixed{one(gaussian_noise{1}), one(gaussian_noise{1}, privacy_unit::user)};
  CHECK_FALSE(refusal([&] { disjoint_epsilon({}, mixed, 1e-6); }).empty());
  const std::vector<ledger> replaced{one(gaussian_noise{1}, privacy_unit::document, neighbours::replace)};
  CHECK(refusal([&] { disjoint_epsilon({}, replaced, 1e-6); }) ==
        "dplda::disjoint_epsilon: neighbours is replace, but must be add_remove");
  CHECK_FALSE(refusal([&] { disjoint_delta({}, {}, -1); }).empty());
}

TEST_CASE("Guarantees of disjoint parts give the dearest, under the assumption of fixed plans",
          "[accounting][disjoint]") {
  const std::vector<guarantee> months{{.epsilon = 1, .delta = 1e-5, .part = "February"},
                                      {.epsilon = 2, .delta = 1e-7, .seeded = true, .part = "March"}};
  const guarantee all = disjoint_guarantee(months);
  CHECK(all.epsilon == 2);
  CHECK(all.delta == 1e-5);
  CHECK(all.seeded);
  CHECK(all.assumes_fixed_plans);  // the largest of epsilons that were chosen from results is no bound
  CHECK(all.part == "February");
  CHECK(disjoint_guarantee(std::vector<guarantee>{months[0]}) == months[0]);
  const auto refused = [&](auto&& change) {
    std::vector<guarantee> other = months;
    change(other);
    return refusal([&] { disjoint_guarantee(other); });
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK_FALSE(refused([](auto& g) { g.clear(); }).empty());
  CHECK_FALSE(refused([](auto& g) { g[1].unit = privacy_unit::user; }).empty());
  CHECK_FALSE(refused([](auto& g) { g[0].relation = g[1].relation = neighbours::replace; }).empty());
  CHECK_FALSE(refused([](auto& g) { g[1].gamma = 0.1; }).empty());
  CHECK_FALSE(refused([](auto& g) { g[1].basis = basis::as_published; }).empty());
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/group.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <cmath>
#include <variant>

using namespace dplda;
using dplda_tests::refusal;

namespace {

ledger one(const mechanism& noise, const sampling& sample = all_units{}, std::uint64_t count = 1) {
  ledger book;
  book.record({.noise = noise, .sampling = sample}, count);
  return book;
}

}  // namespace

TEST_CASE("A group of units under Gaussian noise has a profile of its own", "[accounting][group]") {
  const ledger book = one(gaussian_noise{12}, all_units{}, 4);  // together multiplier 6
  for (const std::uint64_t size : {1, 2, 5, 20}) {
    CAPTURE(size);
    const double truth = gaussian_epsilon(6.0 / static_cast<double>(size), 1e-6);
    const certified_bounds found = ledger_epsilon(group_ledger(book, size), 1e-6);
    CHECK(found.lower <= truth * (1 + 1e-9));
    CHECK(found.upper >= truth * (1 - 1e-9));
    CHECK(found.upper <= truth * (1 + 1e-6));
    if (size > 1) {
      // The chain of neighbours: delta' = delta (e^(size epsilon) - 1)/(e^epsilon - 1) at size * epsilon.
      const double x = static_cast<double>(size);
      double epsilon = 0.01;
      while (gaussian_delta(6, epsilon) * std::expm1(x * epsilon) / std::expm1(epsilon) > 1e-6) epsilon *= 1.001;
      CHECK(found.upper < x * epsilon);
    }
  }
}

TEST_CASE("Pure and approximate mechanisms are chained", "[accounting][group]") {
  CHECK(std::abs(ledger_epsilon(group_ledger(one(laplace_noise{10}), 3), 0).upper / 0.3 - 1) < 1e-9);
  const double response = std::log1p(2 * 0.5 / 0.5);
  CHECK(std::abs(ledger_epsilon(group_ledger(one(randomized_response{0.5}), 4), 0).upper / (4 * response) - 1) < 1e-9);
  const ledger group = group_ledger(one(approximate_dp{0.2, 1e-8}), 3);
  const auto& found = std::get<approximate_dp>(group.entries()[0].event.noise);
  const double delta = 1e-8 * (1 + std::exp(0.2) + std::exp(0.4));
  CHECK(found.epsilon >= 0.6);
  CHECK(found.epsilon <= 0.6 * (1 + 1e-12));
  CHECK(found.delta >= delta);
  CHECK(found.delta <= delta * (1 + 1e-7));
  CHECK(std::get<approximate_dp>(group_ledger(one(approximate_dp{0, 1e-9}), 5).entries()[0].event.noise).delta >= 5e-9);
  CHECK(ledger_epsilon(group_ledger(one(nothing_proven), 2), 0.1).upper > 1e100);
}

TEST_CASE("Samples and selections of a group", "[accounting][group]") {
  const ledger sampled = one(gaussian_noise{8}, poisson_sample{0.5}, 4),
               rounds = one(gaussian_noise{4}, random_allocation{3});
  CHECK(ledger_epsilon(group_ledger(sampled, 1), 1e-6).upper >= ledger_epsilon(sampled, 1e-6).lower);
  CHECK(ledger_epsilon(group_ledger(rounds, 1), 1e-6).upper >= ledger_epsilon(rounds, 1e-6).lower);
  const ledger whole = one(gaussian_noise{4});
  CHECK(std::abs(ledger_epsilon(group_ledger(rounds, 1), 1e-6).upper / ledger_epsilon(whole, 1e-6).upper - 1) < 1e-9);
  const ledger best = one(best_of{poisson_runs{3}, one(gaussian_noise{8})});
  const ledger same = one(best_of{poisson_runs{3}, one(gaussian_noise{4})});
  CHECK(std::abs(ledger_epsilon(group_ledger(best, 2), 1e-6).upper / ledger_epsilon(same, 1e-6).upper - 1) < 1e-6);
  CHECK(refusal([&] { group_ledger(best, 0); }) ==
        "dplda::group_ledger: size of the group is 0, but must lie in [1, 2^32]");
}

// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/calibration.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include "accounting/reference.hpp"
#include "support/refusal.hpp"

using namespace dplda;
using dplda_tests::reference_records;
using dplda_tests::refusal;

namespace {

ledger sampled(double rate, double multiplier, std::uint64_t steps) {
  ledger book;
  book.record({.noise = gaussian_noise{multiplier}, .sampling = poisson_sample{rate}}, steps);
  return book;
}

double upper(const ledger& book, double delta, accountant rule) { return price(book, delta, rule).epsilon; }

}  // namespace

TEST_CASE("reference: the noise that meets a budget") {
  for (const auto& r : reference_records("calibrate_sigma_rdp")) {
    INFO(r.id());
    const auto steps = static_cast<std::uint64_t>(r.param("steps"));
    const budget target{r.param("eps"), r.param("delta")};
    const auto make = [&](double z) { return sampled(r.param("q"), z, steps); };
    const double by_rdp = smallest_noise(make, target, accountant::rdp, {.tolerance = 1e-7});
    // The figures are for a list of orders and the improved conversion; all orders and the exact one need a bit less.
    CHECK(by_rdp <= r.expected("sigma") * (1 + 1e-7));
    CHECK(by_rdp >= r.expected("sigma") * 0.97);
    CHECK(upper(make(by_rdp), target.delta, accountant::rdp) <= target.epsilon);
    CHECK(upper(make(by_rdp * (1 - 1e-6)), target.delta, accountant::rdp) > target.epsilon);
    const double by_best = smallest_noise(make, target);
    CHECK(by_best <= by_rdp);
    CHECK(price(make(by_best), target.delta).epsilon <= target.epsilon);
    CHECK(ledger_epsilon(make(by_best * 0.998), target.delta).upper > target.epsilon);
  }
}

TEST_CASE("Gaussian noise on all units is calibrated exactly") {
  for (const auto& r : reference_records("agm_sigma")) {
    INFO(r.id());
    const double epsilon = r.param("eps"), delta = r.param("delta"), exact = r.expected("sigma");
    const auto make = [](double z) {
      ledger book;
      book.record({.noise = gaussian_noise{z}});
      return book;
    };
    if (r.param("sensitivity") != 1) continue;
    const double z = smallest_noise(make, {epsilon, delta}, accountant::best, {.tolerance = 1e-9});
    CHECK(z >= exact * (1 - 1e-12));
    CHECK(z <= exact * (1 + 2e-9));
  }
}

TEST_CASE("calibration with every accountant meets the budget") {
  const budget target{1, 1e-5};
  for (const accountant rule : {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                accountant::rdp, accountant::pld, accountant::best}) {
    CAPTURE(rule);
    const auto with_noise = [](double z) { return sampled(0.01, z, 1000); };
    const double z = smallest_noise(with_noise, target, rule);
    CHECK(upper(with_noise(z), target.delta, rule) <= target.epsilon);
    CHECK(upper(with_noise(z * 0.998), target.delta, rule) > target.epsilon);

    if (rule == accountant::zcdp) continue;  // knows nothing of samples
    const auto with_rate = [](double q) { return sampled(q, 2, 1000); };
    const double q = largest_rate(with_rate, target, rule);
    CHECK(upper(with_rate(q), target.delta, rule) <= target.epsilon);
    CHECK(upper(with_rate(q * 1.002), target.delta, rule) > target.epsilon);

    const auto with_steps = [](std::uint64_t k) { return sampled(0.002, 2, k); };
    const std::uint64_t k = most_steps(with_steps, target, rule);
    CHECK(upper(with_steps(k), target.delta, rule) <= target.epsilon);
    CHECK(upper(with_steps(k + 1 + k / 500), target.delta, rule) > target.epsilon);
  }
}

TEST_CASE("steps are counted exactly where their tolerance is below one") {
  const auto make = [](std::uint64_t k) {
    ledger book;
    book.record({.noise = laplace_noise{10}}, k);
    return book;
  };
  CHECK(most_steps(make, {1, 0}, accountant::linear) == 9);  // ten times 0.1, rounded up, are more than 1
  CHECK(most_steps(make, {1.0001, 0}, accountant::linear) == 10);
  CHECK(most_steps(make, {0.1001, 0}) == 1);
  CHECK(most_steps(make, {123.45, 0}) == 1234);
  const auto rdp = [&](std::uint64_t k) { return ledger_epsilon(make(k), 1e-6, accountant::rdp).upper; };
  const std::uint64_t k = most_steps(make, {2, 1e-6}, accountant::rdp);
  CHECK(rdp(k) <= 2);
  CHECK(rdp(k + 1) > 2);
}

TEST_CASE("pure noise is calibrated at delta = 0") {
  const auto make = [](double b) {
    ledger book;
    book.record({.noise = laplace_noise{b}}, 4);
    return book;
  };
  const double b = smallest_noise(make, {0.5, 0}, accountant::best, {.tolerance = 1e-9});
  CHECK(b >= 8);
  CHECK(b <= 8 * (1 + 2e-9));
}

TEST_CASE("the end of a range is returned if it meets the budget") {
  const auto nothing = [](auto) {
    ledger book;
    book.record({.noise = approximate_dp{0}});
    return book;
  };
  CHECK(smallest_noise(nothing, {0.1, 1e-6}) == 1e-6);
  CHECK(largest_rate(nothing, {0.1, 1e-6}) == 1);
  CHECK(most_steps(nothing, {0.1, 1e-6}) == 1'000'000'000'000'000);
}

TEST_CASE("a budget that no parameter meets is refused, with the smallest that can be met") {
  const auto with_histogram = [](double z) {
    ledger book;
    book.record({.noise = laplace_noise{4}, .label = "histogram"});
    book.record({.noise = gaussian_noise{z}}, 100);
    return book;
  };
  const std::string words = refusal([&] { smallest_noise(with_histogram, {0.1, 1e-5}); });
  CAPTURE(words);
  CHECK(
      words.starts_with("dplda::smallest_noise: no noise multiplier up to 1e+08 meets epsilon = 0.1 at delta = "
                        "1e-05, accountant best: there the ledger still costs epsilon = 0.24"));
  CHECK(words.find("the smallest that can be met at this delta; at this epsilon it costs delta = 0.07") !=
        std::string::npos);
  CHECK(words.ends_with("; of its 2 entries 1 do not change with the parameter"));
  // What is said to be the smallest can be met.
  CHECK(smallest_noise(with_histogram, {0.2505, 1e-5}) > 100);

  const auto with_claim = [](double z) {
    ledger book;
    book.record({.noise = approximate_dp{0.01, 1e-4}});
    book.record({.noise = gaussian_noise{z}});
    return book;
  };
  CHECK(refusal([&] {
          smallest_noise(with_claim, {1, 1e-5});
        }).find("more than any epsilon at this delta") != std::string::npos);
  CHECK(refusal([&] {
          largest_rate([](double q) { return sampled(q, 2, 1000); }, {1, 1e-5}, accountant::zcdp);
        }).starts_with("dplda::largest_rate: no sampling rate down to 1e-12 meets"));
  CHECK(refusal([&] {
          most_steps([](std::uint64_t k) { return sampled(0.5, 0.5, k); }, {0.01, 1e-9});
        }).starts_with("dplda::most_steps: no number of steps down to 1 meets"));
}

TEST_CASE("invalid budgets are refused") {
  const auto make = [](double z) { return sampled(0.1, z, 10); };
  CHECK_THROWS_AS(smallest_noise(make, {-1, 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(smallest_noise(make, {std::nan(""), 1e-5}), std::invalid_argument);
  CHECK_THROWS_AS(smallest_noise(make, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(smallest_noise(make, {1, 1e-5}, accountant::best, {.tolerance = 0}), std::invalid_argument);
  CHECK_THROWS_AS(largest_rate(make, {INFINITY, 1e-5}), std::invalid_argument);
}

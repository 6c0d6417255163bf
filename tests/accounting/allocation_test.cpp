// SPDX-License-Identifier: Apache-2.0
// Random allocation: the price of batches of which each unit is in exactly one.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/detail/allocation_pair.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

namespace {

ledger epochs(double multiplier, std::uint64_t batches, std::uint64_t count = 1) {
  ledger book;
  book.record({.noise = gaussian_noise{multiplier}, .sampling = random_allocation{batches}}, count);
  return book;
}

/// E[max(0, W - a)] (remove, a = e^epsilon) or E[max(0, 1 - a W)] (add) of a law of sums.
double hockey_stick(const detail::positive_law& law, double t, double epsilon, bool remove) {
  const double a = std::exp(epsilon);
  double sum = remove ? law.infinite / t : law.at_zero;
  for (std::size_t i = 0; i < law.value.size(); ++i) {
    const double w = law.value[i] / t;
    sum += law.mass[i] * std::max(0.0, remove ? w - a : 1 - a * w);
  }
  return sum;
}

}  // namespace

TEST_CASE("Random allocation to two and three batches agrees with quadrature", "[accounting][allocation]") {
  // Independent: the trapezoid rule in 64-bit mantissas over all batches but one, whose part has Black and Scholes' form;
  // the digits agree at steps of 1/4000 and 1/16000 (three batches: 1/160 and 1/320) standard deviations.
  struct reference {
    double multiplier;
    std::uint64_t batches;
    double epsilon, remove, add;
  };
  for (const reference& r : {reference{1, 2, 1, 0.05920650108589265, 0.05019766236948824},
                             reference{1, 2, 3, 0.0001677027714118, 1.590265081872704e-05},
                             reference{3, 2, 0.5, 0.002069904929018593, 0.001965049026017772},
                             reference{0.7, 2, 4, 0.0016410526712110, 0.0001750198455888556},
                             reference{1, 3, 1, 0.03350077297773841, 0.02383870900469492},
                             reference{3, 3, 0.4, 0.001870169809936871, 0.001765918135047549}}) {
    CAPTURE(r.multiplier, r.batches, r.epsilon);
    const auto t = static_cast<double>(r.batches);
    const auto above = detail::lognormal_sums(1 / r.multiplier, true).of(r.batches);
    const auto below = detail::lognormal_sums(1 / r.multiplier, false).of(r.batches);
    for (const bool remove : {true, false}) {
      const double truth = remove ? r.remove : r.add;
      CHECK(hockey_stick(above, t, r.epsilon, remove) >= truth * (1 - 1e-11));
      CHECK(hockey_stick(above, t, r.epsilon, remove) <= truth * (1 + 2e-3));
      CHECK(hockey_stick(below, t, r.epsilon, remove) <= truth * (1 + 1e-11));
      CHECK(hockey_stick(below, t, r.epsilon, remove) >= truth * (1 - 2e-3));
    }
    const certified_bounds delta = pld_delta(epochs(r.multiplier, r.batches), r.epsilon);
    CHECK(delta.lower <= r.remove);
    CHECK(delta.upper >= r.remove);
    CHECK(delta.upper <= 1.02 * delta.lower);
    const certified_bounds epsilon = pld_epsilon(epochs(r.multiplier, r.batches), r.remove);
    CHECK(epsilon.lower <= r.epsilon);
    CHECK(epsilon.upper >= r.epsilon);
  }
}

TEST_CASE("Random allocation to a hundred batches agrees with a simulation", "[accounting][allocation]") {
  // 100,000 draws; seven standard errors, so a false alarm has a probability below 1e-11.
  const double s = 1, epsilon = 0.3;
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  double sum = 0, squares = 0;
  constexpr int draws = 100000, t = 100;
  for (int i = 0; i < draws; ++i) {
    double w = 0;
    for (int k = 0; k < t; ++k) w += std::exp(s * normal(bits) - s * s / 2);
    const double x = std::max(0.0, 1 - std::exp(epsilon) * w / t);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
  const double above = hockey_stick(detail::lognormal_sums(s, true).of(t), t, epsilon, false);
  const double below = hockey_stick(detail::lognormal_sums(s, false).of(t), t, epsilon, false);
  CHECK(below <= above);
  CHECK(above <= below * (1 + 5e-3));
  CHECK(std::abs(above - mean) <= 7 * error + 5e-3 * mean);
}

TEST_CASE("Laws of sums keep their mass and mean, and their order", "[accounting][allocation]") {
  for (const auto& [s, t] : {std::pair{0.1, 1}, std::pair{0.1, 64}, std::pair{1.0, 1}, std::pair{1.0, 2},
                             std::pair{1.0, 7}, std::pair{2.5, 1}, std::pair{2.5, 64}, std::pair{8.0, 100},
                             std::pair{11.0, 3}, std::pair{0.01, 1000000}, std::pair{1.0, 1000000}}) {
    CAPTURE(s, t);
    const auto count = static_cast<std::uint64_t>(t);
    const auto above = detail::lognormal_sums(s, true).of(count), below = detail::lognormal_sums(s, false).of(count);
    for (const auto& law : {above, below}) {
      double mass = law.at_zero, mean = law.infinite;
      for (std::size_t i = 0; i < law.value.size(); ++i) {
        mass += law.mass[i];
        mean += law.mass[i] * law.value[i];
      }
      // Within the error that is counted, which grows with t from some 1e-12.
      CHECK(std::abs(mass - 1) < law.relative);
      CHECK(std::abs(mean / t - 1) < law.relative + law.displaced);
      CHECK(law.relative < 2e-12 * (t + 10));  // also with the coarse libm
      CHECK(law.relative > 8 * detail::ulp * (t - 1));
      CHECK(law.displaced < 1e-7);
    }
    CHECK(above.displaced < 1e-11);
    // Light atoms with a large mean did not go to infinity.
    CHECK(above.infinite / t < 1e-25);
    CHECK(above.at_zero < 1e-25);
    for (double epsilon = -3; epsilon < 6; epsilon += 0.37)
      for (const bool remove : {true, false})
        CHECK(hockey_stick(below, t, epsilon, remove) <=
              hockey_stick(above, t, epsilon, remove) * (1 + 1e-12 + 2 * above.relative));
  }
}

TEST_CASE("A pair says how far its losses and masses are from the truth", "[accounting][allocation]") {
  for (const double z : {0.2, 1.0, 100.0}) {
    CAPTURE(z);
    const auto pair = detail::allocation_pair(z, 100);
    REQUIRE(pair.has_value());
    const auto law = detail::lognormal_sums(1 / z, true).of(100);
    CHECK(pair->loss_error >= law.displaced);
    CHECK(pair->loss_error < 1e-10);
    REQUIRE(pair->atoms.size() == law.mass.size());
    double variation = 0;
    for (std::size_t i = 0; i < law.mass.size(); ++i) {
      CHECK(pair->atoms[i].log_q >= std::log(law.mass[i]) + law.relative);
      variation += law.mass[i] * std::max(0.0, law.value[i] / 100 - 1);
    }
    CHECK(pair->total_variation >= variation + law.displaced);
  }
}

TEST_CASE("The largest loss of all counts the errors of single losses", "[accounting][allocation]") {
  const detail::loss_limits limits{.largest = 1, .loss_error = 1e-3};
  CHECK(limits.most() >= 1.001);
  CHECK(limits.least() <= 0.999);
  // Two randomised responses of epsilon 1, whose losses may err by 1/4 each.
  const std::vector<detail::counted_pair> pairs = {
      {{.atoms = {{-1, -std::log1p(std::exp(-1))}, {1, -std::log1p(std::exp(1))}},
        .atom_reach = 1,
        .total_variation = 0.47,
        .loss_error = 0.25},
       2}};
  std::vector<detail::direction_losses> runs;
  const detail::pld_search search(pairs, detail::pld_direction::remove, {true, 1e-9, 1e-3, 0, 1 << 17}, runs);
  CHECK(search.bounds().upper >= 2.5);
  CHECK(search.bounds().upper <= 2.5 * (1 + 1e-12));
}

TEST_CASE("Narrow sums have bins where their mass is", "[accounting][allocation]") {
  // At z = 100 all of the law is within one coarse bin.
  for (const double z : {10.0, 30.0, 100.0}) {
    CAPTURE(z);
    ledger coins;
    coins.record({.noise = gaussian_noise{z}, .sampling = poisson_sample{1e-3}}, 1000);
    const certified_bounds found = pld_epsilon(epochs(z, 1000), 1e-6), poisson = pld_epsilon(coins, 1e-6);
    CHECK(found.upper <= found.lower * (1 + 1e-2));
    CHECK(found.upper - poisson.upper <= found.upper - found.lower);
    CHECK(found.lower <= poisson.upper);
  }
}

TEST_CASE("Beyond the grid's noise an allocation has the price of no sampling at most", "[accounting][allocation]") {
  for (const double z : {0.05, 2e5}) {
    CAPTURE(z);
    ledger whole;
    whole.record({.noise = gaussian_noise{z}});
    const double found = ledger_epsilon(epochs(z, 1000), 1e-8).upper;
    CHECK(found < detail::infinite);
    CHECK(found <= ledger_epsilon(whole, 1e-8, accountant::rdp).upper * (1 + 1e-9) + 1e-9);
  }
}

TEST_CASE("A divergence of an allocation that is no number is infinite", "[accounting][allocation]") {
  CHECK(detail::allocation_moments(1e-200, 10).log_moment(2) == detail::infinite);
}

TEST_CASE("Each unit once costs less than a Poisson sample of the same rate", "[accounting][allocation]") {
  for (const auto& [multiplier, batches, count] :
       {std::tuple{1.0, 10, 1}, std::tuple{3.0, 10, 3}, std::tuple{1.0, 100, 1}, std::tuple{2.0, 7, 5}}) {
    CAPTURE(multiplier, batches, count);
    const auto t = static_cast<std::uint64_t>(batches), k = static_cast<std::uint64_t>(count);
    const ledger book = epochs(multiplier, t, k);
    ledger coins, whole;
    coins.record({.noise = gaussian_noise{multiplier}, .sampling = poisson_sample{1.0 / batches}}, t * k);
    whole.record({.noise = gaussian_noise{multiplier}}, k);
    const certified_bounds found = pld_epsilon(book, 1e-6);
    CHECK(found.upper <= found.lower * (1 + 3e-3));
    CHECK(found.upper < pld_epsilon(coins, 1e-6).lower);
    for (const accountant rule :
         {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp, accountant::rdp}) {
      CAPTURE(rule);
      CHECK(ledger_epsilon(book, 1e-6, rule).upper >= found.lower);
      CHECK(ledger_epsilon(book, 1e-6, rule).upper <= ledger_epsilon(whole, 1e-6, rule).upper * (1 + 1e-9));
    }
    CHECK(ledger_epsilon(book, 1e-6, accountant::gaussian).upper == detail::infinite);
    CHECK(ledger_epsilon(book, 1e-6).upper == found.upper);
  }
}

TEST_CASE("Divergences of an allocation agree with an expansion by hand", "[accounting][allocation]") {
  // E[W^2] = 1 + (e^(s^2) - 1) / t. E[W^3] has t terms e^(3 s^2), 3 t (t - 1) terms e^(s^2), and the rest 1, over t^3.
  for (const double z : {0.8, 1.0, 5.0, 40.0}) {
    for (const std::uint64_t batches : {2, 3, 10, 1000, 12345}) {
      CAPTURE(z, batches);
      const long double t = static_cast<long double>(batches), s2 = 1 / static_cast<long double>(z) / z;
      const detail::allocation_moments moments(z, batches);
      const long double second = std::log1p(std::expm1(s2) / t);
      const long double third = std::log1p((t * std::expm1(3 * s2) + 3 * t * (t - 1) * std::expm1(s2)) / (t * t * t));
      CHECK(moments.log_moment(2) >= second);
      CHECK(moments.log_moment(2) <= second * (1 + 1e-9L) + 1e-9L);
      CHECK(moments.log_moment(3) >= third);
      CHECK(moments.log_moment(3) <= third * (1 + 1e-9L) + 1e-9L);
      const double at_two = rdp({.noise = gaussian_noise{z}, .sampling = random_allocation{batches}}, 2);
      CHECK(at_two >= static_cast<double>(second));
      CHECK(at_two <= 1 / (z * z) * (1 + 1e-9));
    }
  }
  // The renyi bound of both directions lies above the divergence of the laws from below.
  for (const double alpha : {1.5, 4.0, 12.0}) {
    const auto below = detail::lognormal_sums(1, false).of(10);
    double removed = 0, added = 0;
    for (std::size_t i = 0; i < below.value.size(); ++i) {
      removed += below.mass[i] * std::pow(below.value[i] / 10, alpha);
      added += below.mass[i] * std::pow(below.value[i] / 10, 1 - alpha);
    }
    const double bound = rdp({.noise = gaussian_noise{1}, .sampling = random_allocation{10}}, alpha);
    CHECK(bound >= std::log(std::max(removed, added)) / (alpha - 1) * (1 - 1e-9));
    CHECK(bound < alpha / 2);
  }
}

TEST_CASE("The bounds of an allocation are as close as is asked for", "[accounting][allocation]") {
  for (const std::uint64_t batches : {10, 1000}) {
    const certified_bounds found = pld_epsilon(epochs(1, batches), 1e-6, {.relative_width = 1e-4});
    CHECK(found.lower > 0);
    CHECK(found.upper <= found.lower * (1 + 1e-3));
  }
}

TEST_CASE("The noise of allocated epochs", "[accounting][allocation]") {
  // Three epochs of 10 batches beside 30 Poisson samples of the same rate.
  const auto noise = [](const sampling& sample, std::uint64_t count, double epsilon) {
    return smallest_noise(
        [&](double z) {
          ledger plan;
          plan.record({.noise = gaussian_noise{z}, .sampling = sample}, count);
          return plan;
        },
        {.epsilon = epsilon, .delta = 1e-6});
  };
  for (const auto& [epsilon, allocated, sampled] :
       {std::tuple{1.0, 2.430, 2.711}, std::tuple{4.0, 0.9908, 1.114}, std::tuple{8.0, 0.6961, 0.7868}}) {
    CHECK(std::abs(noise(random_allocation{10}, 3, epsilon) / allocated - 1) < 2e-3);
    CHECK(std::abs(noise(poisson_sample{0.1}, 30, epsilon) / sampled - 1) < 2e-3);
  }
}

TEST_CASE("Allocation to one batch is no sampling", "[accounting][allocation]") {
  ledger whole;
  whole.record({.noise = gaussian_noise{2}});
  CHECK(ledger_epsilon(epochs(2, 1), 1e-6) == ledger_epsilon(whole, 1e-6));
}

TEST_CASE("Very small deltas of an allocation have an upper bound of the unsampled price", "[accounting][allocation]") {
  const ledger book = epochs(1, 10);
  ledger whole;
  whole.record({.noise = gaussian_noise{1}});
  const certified_bounds found = ledger_epsilon(book, 1e-40), most = ledger_epsilon(whole, 1e-40);
  CHECK(found.lower <= most.upper);
  CHECK(found.upper < detail::infinite);
  CHECK(ledger_epsilon(book, 0).upper == detail::infinite);
}

TEST_CASE("Allocations without an analysis are refused", "[accounting][allocation]") {
  const auto says = [](const privacy_event& event) { return refusal([&] { check(event); }); };
  CHECK(says({.noise = gaussian_noise{1}, .sampling = random_allocation{0}}) ==
        "dplda::check(privacy_event): number of batches is 0, but must lie in [1, 10^6]");
  const std::string combination =
      "dplda::check(privacy_event): random allocation is combined with other noise or neighbours, but it is analysed "
      "for "
      "Gaussian noise and neighbours::add_remove";
  CHECK(says({.noise = laplace_noise{1}, .sampling = random_allocation{4}}) == combination);
  CHECK(says({.noise = gaussian_noise{1}, .sampling = random_allocation{4}, .relation = neighbours::replace}) ==
        combination);
}

// SPDX-License-Identifier: Apache-2.0
// False alarms: coverage checks allow six standard deviations of a binomial count above their level, a chance below
// 1e-9 for a right bound; seeds are fixed.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/audit/noise_scale.hpp>
#include <dplda/random/continuous.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace dplda;
using Catch::Approx;
using dplda_tests::refusal;

namespace {

ledger book(const mechanism& noise, const sampling& seen = all_units{}, std::uint64_t count = 1) {
  ledger spent;
  spent.record({.noise = noise, .sampling = seen}, count);
  return spent;
}

double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Right guesses among `trials` of an attack that is right with this probability.
coin_guesses guesses_of(chacha20& bits, double right, std::uint64_t trials) {
  coin_guesses guesses{0, trials};
  for (std::uint64_t i = 0; i < trials; ++i) guesses.correct += uniform_open(bits) < right;
  return guesses;
}

}  // namespace

TEST_CASE("Noise is scaled, deltas are not") {
  ledger spent = book(gaussian_noise{2}, poisson_sample{0.1}, 3);
  spent.record({.noise = laplace_noise{4}});
  spent.record({.noise = discrete_gaussian_noise{6}});
  spent.record({.noise = approximate_dp{0.5, 0.01}});
  const ledger half = with_noise_scaled(spent, 0.5);
  REQUIRE(half.entries().size() == 4);
  CHECK(half.entries()[0].event.noise == mechanism(gaussian_noise{1}));
  CHECK(half.entries()[0].event.sampling == sampling(poisson_sample{0.1}));
  CHECK(half.entries()[0].count == 3);
  CHECK(half.entries()[1].event.noise == mechanism(laplace_noise{2}));
  CHECK(half.entries()[2].event.noise == mechanism(discrete_gaussian_noise{3}));
  CHECK(half.entries()[3].event.noise == mechanism(approximate_dp{0.5, 0.01}));
  CHECK_FALSE(half.seeded());
  spent.mark_seeded();
  CHECK(with_noise_scaled(spent, 1).seeded());
  CHECK_THROWS_AS(with_noise_scaled(spent, 0), std::invalid_argument);
  CHECK_THROWS_AS(with_noise_scaled(spent, INFINITY), std::invalid_argument);
}

TEST_CASE("The noise scale that matches the observed distance of the distributions") {
  // Gaussian: the distance is 2 Phi(1 / (2 z)) - 1. One-sided, so that a two-sided interval of 90 % has its low end.
  const coin_guesses guesses{70000, 100000};
  const double low = clopper_pearson(70000, 100000, 0.9).low;
  const double scale = noise_scale_bound(guesses, book(gaussian_noise{2}), 0.95);
  CHECK(phi(1 / (2 * 2 * scale)) == Approx(low).epsilon(1e-4));
  CHECK(phi(1 / (2 * 2 * scale)) <= low);
  CHECK(scaled_noise_epsilon(guesses, book(gaussian_noise{2}), 1e-5, 0.95) ==
        Approx(gaussian_epsilon(2 * scale, 1e-5)).epsilon(1e-3));
  // Laplace: 1 - e^(-1 / (2 z)), and epsilon = 1 / z.
  const double of_laplace = noise_scale_bound(guesses, book(laplace_noise{0.5}), 0.95);
  CHECK(1 - std::exp(-1 / of_laplace) / 1 == Approx(2 * low - 1).epsilon(1e-3));
  CHECK(scaled_noise_epsilon(guesses, book(laplace_noise{0.5}), 0, 0.95) == Approx(2 / of_laplace).epsilon(1e-3));
  // An event known only by its delta takes its part of the distance, so the bound on the noise never falls because of
  // it.
  ledger with_delta = book(gaussian_noise{2});
  with_delta.record({.noise = approximate_dp{0, 0.05}});
  CHECK(noise_scale_bound(guesses, with_delta, 0.95) > 1.05 * scale);
  // It may cost less than it says, so it must not raise a lower bound, not even if it uses all of delta.
  for (const double factor : {0.5, 1.0, 2.0}) {
    CHECK(least_epsilon(with_delta, factor, 0.04) == least_epsilon(book(gaussian_noise{2}), factor, 0.04));
    CHECK(ledger_epsilon(with_noise_scaled(with_delta, factor), 0.04).lower > least_epsilon(with_delta, factor, 0.04));
  }
  CHECK(least_epsilon(book(approximate_dp{3, 0.05}), 1, 1e-5) == 0);
  for (const mechanism& own :
       std::vector<mechanism>{renyi_curve{{2, 4}, {0.1, 0.2}}, dominating_pair{{0.5, 0.5}, {0.6, 0.4}}}) {
    ledger with_own = book(gaussian_noise{2});
    with_own.record({.noise = own});
    CHECK(least_epsilon(with_own, 1, 1e-5) == least_epsilon(book(gaussian_noise{2}), 1, 1e-5));
    CHECK(least_epsilon(with_own, 1, 1e-5) > 0);
  }
  CHECK(least_epsilon(with_delta, std::numeric_limits<double>::infinity(), 1e-5) == 0);
}

TEST_CASE("Guesses that show nothing, or everything") {
  const ledger spent = book(gaussian_noise{1});
  CHECK(std::isinf(noise_scale_bound({0, 0}, spent)));
  CHECK(std::isinf(noise_scale_bound({50, 100}, spent)));
  CHECK(std::isinf(noise_scale_bound({0, 100}, spent)));
  CHECK(scaled_noise_epsilon({50, 100}, spent, 1e-5) == 0);
  CHECK(noise_scale_bound({100000000, 100000000}, book(gaussian_noise{2}), 0.95) == 0x1p-4);
  CHECK(scaled_noise_epsilon({1000, 1000}, spent, 1e-5) > gaussian_epsilon(1, 1e-5));
  CHECK_THROWS_AS(noise_scale_bound({2, 1}, spent), std::invalid_argument);
  CHECK_THROWS_AS(noise_scale_bound({1, 2}, spent, 1), std::invalid_argument);
  CHECK_THROWS_AS(scaled_noise_epsilon({1, 2}, spent, -1), std::invalid_argument);
  CHECK(refusal([&] {
          noise_scale_bound({1, 2}, ledger());
        }) == "dplda::noise_scale_bound: the ledger is empty, but must say what the mechanism does");
}

TEST_CASE("False alarms about too little noise stay within the level") {
  // Attacks that miss nothing, on noise of exactly the scale claimed: at the level of 5 % the bound falls below 1 in
  // nearly 5 % of all audits, and for 12 to 20 % less noise in far more. (The rates are those of guessing by
  // likelihoods.)
  auto bits = seeded_random(31).stream("audits");
  const double level = 0.05;
  const std::uint64_t audits = 1500, trials = 4000;
  struct one {
    mechanism noise;
    dplda::sampling sampling;
    double right, right_with_less;
  };
  const auto gaussian = [](double z) { return phi(1 / (2 * z)); };
  const auto laplace = [](double z) { return 1 - std::exp(-1 / (2 * z)) / 2; };
  for (const one& o : {one{gaussian_noise{0.8}, all_units{}, gaussian(0.8), gaussian(0.7)},
                       one{laplace_noise{1}, all_units{}, laplace(1), laplace(0.85)},
                       one{gaussian_noise{0.5}, poisson_sample{0.5}, 0.5 + 0.5 * (gaussian(0.5) - 0.5),
                           0.5 + 0.5 * (gaussian(0.4) - 0.5)}}) {
    // Whether the bound is below 1 is whether the guesses exceed what the claim allows: found once, then counted.
    const ledger spent = book(o.noise, o.sampling);
    std::uint64_t fewest = 0, most = trials;
    while (most - fewest > 1) {
      const std::uint64_t middle = (fewest + most) / 2;
      (noise_scale_bound({middle, trials}, spent, 1 - level) < 1 ? most : fewest) = middle;
    }
    std::uint64_t wrong = 0, caught = 0;
    for (std::uint64_t i = 0; i < audits; ++i) {
      wrong += guesses_of(bits, o.right, trials).correct >= most;
      caught += guesses_of(bits, o.right_with_less, trials).correct >= most;
    }
    const double allowed = level * static_cast<double>(audits);
    CAPTURE(wrong, caught);
    CHECK(static_cast<double>(wrong) <= allowed + 6 * std::sqrt(allowed));
    CHECK(static_cast<double>(wrong) > allowed / 3);  // a bound that never errs would be too weak
    CHECK(caught > audits / 2);
  }
}

TEST_CASE("Coins decide the runs, and threads do not change the scores") {
  const auto run = [](bool with, random_source& own) {
    auto bits = own.stream("noise");
    return (with ? 1 : 0) + 0.25 * normal(bits);
  };
  const auto scored = [&](std::size_t threads) {
    auto random = seeded_random(4);
    run_scores scores = score_runs(run, 3000, random, threads);
    CHECK(random.fork().stream("after")() == [] {
      auto other = seeded_random(4);
      for (int i = 0; i < 3001; ++i) (void)other.fork();
      return other.fork().stream("after")();
    }());
    return scores;
  };
  const run_scores one = scored(1), three = scored(3);
  CHECK(one.with == three.with);
  CHECK(one.without == three.without);
  CHECK(one.with.size() + one.without.size() == 3000);
  CHECK(one.with.size() > 1300);  // seven standard deviations
  CHECK(one.with.size() < 1700);
  const coin_guesses guesses = guess_coins(one, 0.5);
  CHECK(guesses.trials == 3000);
  CHECK(guesses.correct > 2850);                                              // Phi(2) = 0.977
  CHECK(guess_coins({.with = {1, 2}, .without = {1, 0.5}}, 1).correct == 3);  // "above" leaves out the threshold
  auto random = seeded_random(4);
  CHECK_THROWS_AS(score_runs([](bool, random_source&) -> double { throw std::runtime_error("no"); }, 3, random),
                  std::runtime_error);
  // The audit as a whole, against a claim that is right and one that is not.
  CHECK(noise_scale_bound(guesses, book(gaussian_noise{0.25}), 0.999999) > 1);
  CHECK(noise_scale_bound(guesses, book(gaussian_noise{0.5}), 0.999999) < 1);
}

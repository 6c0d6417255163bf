// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/describe.hpp>
#include <dplda/accounting/rdp.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

namespace {

ledger one(const mechanism& noise, std::uint64_t count = 1) {
  ledger book;
  book.record({.noise = noise}, count);
  return book;
}

template <class Runs>
ledger best(const Runs& runs, const ledger& run) {
  return one(best_of{runs, run});
}

/// The derivative's antiderivative of the claim: f(t) = E[t^K], in long doubles.
long double generating(const negative_binomial_runs& runs, long double t) {
  const long double s = runs.shape, c = runs.stop;
  if (s == 0) return std::log1p(-(1 - c) * t) / std::log(c);
  return std::expm1(-s * std::log1p(-(1 - c) * t)) / std::expm1(-s * std::log(c));
}
long double generating(const poisson_runs& runs, long double t) { return std::exp(runs.mean * (t - 1)); }

/// The law of the best of K results, which are listed from the worst to the best; last, that there is none.
template <class Runs>
std::vector<double> law_of_best(const Runs& runs, const std::vector<double>& p) {
  std::vector<double> law;
  long double below = 0;
  for (const double mass : p) {
    law.push_back(static_cast<double>(generating(runs, below + mass) - generating(runs, below)));
    below += mass;
  }
  law.push_back(static_cast<double>(generating(runs, 0)));
  return law;
}

double hockey_stick(const std::vector<double>& a, const std::vector<double>& b, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::max(0.0, a[i] - std::exp(epsilon) * b[i]);
  return sum;
}
double renyi(const std::vector<double>& a, const std::vector<double>& b, double alpha) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > 0) sum += a[i] * std::pow(a[i] / b[i], alpha - 1);
  return std::log(sum) / (alpha - 1);
}

/// Randomised response of k answers, the true one at place `truth` in the order of scores.
std::vector<double> response(double noise, std::size_t k, std::size_t truth) {
  std::vector<double> p(k, noise / static_cast<double>(k));
  p[truth] += 1 - noise;
  return p;
}

}  // namespace

TEST_CASE("The best of random numbers of randomised responses stays within the bounds", "[accounting][selection]") {
  // Every pair of true answers, and so every order of the scores.
  std::size_t cases = 0;
  double tightest = 0;
  const auto check_law = [&](const auto& runs, double noise, std::uint64_t k) {
    const ledger book = best(runs, one(randomized_response{noise, k}));
    rdp_accountant renyi_bounds(book);
    std::vector<double> epsilons, deltas, divergences;
    for (const double delta : {0.0, 1e-3, 0.1}) {
      deltas.push_back(delta);
      epsilons.push_back(ledger_epsilon(book, delta).upper);
    }
    for (const double alpha : {1.2, 2.0, 5.0, 40.0}) divergences.push_back(renyi_bounds.rdp(alpha));
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        if (i == j) continue;
        const auto a = law_of_best(runs, response(noise, k, i)), b = law_of_best(runs, response(noise, k, j));
        for (std::size_t n = 0; n < deltas.size(); ++n) CHECK(hockey_stick(a, b, epsilons[n]) <= deltas[n] + 1e-12);
        std::size_t n = 0;
        for (const double alpha : {1.2, 2.0, 5.0, 40.0}) {
          CHECK(renyi(a, b, alpha) <= divergences[n] * (1 + 1e-9));
          tightest = std::max(tightest, renyi(a, b, alpha) / divergences[n++]);
        }
        ++cases;
      }
    }
  };
  for (const double noise : {0.05, 0.5, 0.95}) {
    for (const std::uint64_t k : {std::uint64_t{2}, std::uint64_t{4}}) {
      CAPTURE(noise, k);
      for (const double shape : {1.0, 0.0, -0.5})
        for (const double stop : {0.9, 0.05}) check_law(negative_binomial_runs{shape, stop}, noise, k);
      for (const double mean : {0.3, 8.0}) check_law(poisson_runs{mean}, noise, k);
    }
  }
  CHECK(cases == 3 * 8 * (2 + 12));
  CHECK(tightest > 0.9);  // the bounds are attained nearly
}

TEST_CASE("Bounds of the best of many Gaussian runs agree with 20 digits", "[accounting][selection]") {
  // Independent: mpmath, root of the Gaussian profile for e0 and for epsilon(delta / E[K]); the divergences are the true
  // ones where the larger or the smaller result is the better, by quadrature.
  struct reference {
    double multiplier, shape, stop, mean, e0, epsilon, order_2, order_8;
  };
  for (const reference& r :
       {reference{1, 1, 0.1, 10, 0.86548291494039, 7.0803112356576, 1.64216373889, 4.32893407183},
        reference{4, 1, 0.1, 10, 0.22478012869376, 1.6313061579428, 0.0993819455744, 0.401019802454}}) {
    const negative_binomial_runs runs{r.shape, r.stop};
    const ledger book = best(runs, one(gaussian_noise{r.multiplier}));
    CHECK(std::abs(expected_runs(runs) / r.mean - 1) < 1e-12);
    const auto [lower, upper] = ledger_epsilon(book, 1e-6);
    CHECK(lower <= r.epsilon);
    CHECK(upper >= r.epsilon);
    CHECK(upper <= r.epsilon * (1 + 1e-3));
    const rdp_accountant renyi_bounds(book);
    CHECK(renyi_bounds.rdp(2) >= r.order_2);
    CHECK(renyi_bounds.rdp(8) >= r.order_8);
    // Papernot and Steinke's bound, whose own orders are searched here.
    double published = 1e9;
    for (double b = 1.001; b < 1e4; b *= 1.01)
      published = std::min(published, (1 - 1 / b) * b / (2 * r.multiplier * r.multiplier) + std::log(1 / r.stop) / b);
    const auto theirs = [&](double alpha) {
      return alpha / (2 * r.multiplier * r.multiplier) + (1 + r.shape) * published + std::log(r.mean) / (alpha - 1);
    };
    CHECK(renyi_bounds.rdp(2) <= theirs(2) * (1 + 1e-9));
    CHECK(renyi_bounds.rdp(8) <= theirs(8) * (1 + 1e-9));
    CHECK(upper < ledger_epsilon(book, 1e-6, accountant::rdp).upper);
  }
}

TEST_CASE("A selection of pure runs is pure", "[accounting][selection]") {
  // epsilon for one run, and (1 + s) epsilon at most for the choice.
  const ledger book = best(negative_binomial_runs{1, 0.05}, one(laplace_noise{2}));
  const double epsilon = ledger_epsilon(book, 0).upper;
  CHECK(epsilon <= 3 * 0.5 * (1 + 1e-9));
  CHECK(epsilon > 0.5);
}

TEST_CASE("A selection costs more for more runs, and little for about one", "[accounting][selection]") {
  const ledger run = one(gaussian_noise{3}, 5);
  const double once = ledger_epsilon(run, 1e-6).upper;
  double before = once;
  for (const double mean : {1.0001, 2.0, 5.0, 20.0, 400.0}) {
    const double now = ledger_epsilon(best(runs_with_mean(mean), run), 1e-6).upper;
    CHECK(now > before);
    before = now;
  }
  CHECK(ledger_epsilon(best(runs_with_mean(1.0001), run), 1e-6).upper < 1.01 * once);
}

TEST_CASE("A selection is priced together with other events, and inside another selection", "[accounting][selection]") {
  const ledger inner = best(runs_with_mean(4), one(gaussian_noise{8}));
  ledger book = inner;
  book.record({.noise = gaussian_noise{8}});
  const double alone = ledger_epsilon(inner, 1e-6).upper, both = ledger_epsilon(book, 1e-6).upper;
  CHECK(both > alone);
  CHECK(both < alone + ledger_epsilon(one(gaussian_noise{8}), 1e-6).upper);
  const double nested = ledger_epsilon(best(runs_with_mean(4), inner), 1e-6).upper;
  CHECK(nested > alone);
  CHECK(nested < 10 * alone);
}

TEST_CASE("What runs set aside counts as often as they are expected", "[accounting][selection]") {
  const ledger book = best(runs_with_mean(8), one(approximate_dp{0.1, 1e-8}));
  const rdp_accountant renyi_bounds(book);
  CHECK(renyi_bounds.reserved_delta() >= 8 * 1e-8 * (1 - 1e-12));
  CHECK(renyi_bounds.reserved_delta() <= 8 * 1e-8 * (1 + 1e-12));
  CHECK(ledger_epsilon(book, 7.9e-8).upper == detail::infinite);
  CHECK(ledger_epsilon(book, 8.1e-8).upper < 10);
}

TEST_CASE("The mean number of runs is found", "[accounting][selection]") {
  for (const double shape : {1.0, 0.0, -0.5}) {
    for (const double mean : {1.001, 3.0, 20.0}) {
      const negative_binomial_runs runs = runs_with_mean(mean, shape);
      CHECK(expected_runs(runs) <= mean);
      CHECK(expected_runs(runs) >= mean * (1 - 1e-9));
      double sum = 0, first = 0, weight = 1;
      for (int k = 1; k < 400000; ++k) {
        weight *= 1 - runs.stop;
        if (k > 1) weight *= (k - 1 + shape) / k;
        sum += weight;
        first += weight * k;
      }
      CHECK(std::abs(first / sum / expected_runs(runs) - 1) < 1e-9);
    }
  }
}

TEST_CASE("The mean number of runs is not below the truth where runs stop rarely", "[accounting][selection]") {
  // mpmath, 25 digits; 1 - c rounds, and its logarithm would be 67 ulps off.
  CHECK(expected_runs(negative_binomial_runs{0, 0x1.01ee9d3572a00p-11}) >= 266.7234329048353637497882);
  CHECK(expected_runs(negative_binomial_runs{0, 0x1.01ee9d3572a00p-11}) <= 266.7234329048353637497882 * (1 + 2e-14));
  CHECK(detail::law_of(negative_binomial_runs{0, 0x1.01ee9d3572a00p-11}).log_inverse_stop >=
        7.617100111703609362458645);
}

TEST_CASE("Selections without a meaning are refused", "[accounting][selection]") {
  const auto says = [](const privacy_event& event) { return refusal([&] { check(event); }); };
  const ledger run = one(gaussian_noise{1});
  CHECK(says({.noise = best_of{negative_binomial_runs{1, 0}, run}}) ==
        "dplda::check(privacy_event): stop of the number of runs is 0, but must lie in [2^-11, 1)");
  CHECK(says({.noise = best_of{negative_binomial_runs{-1, 0.5}, run}}) ==
        "dplda::check(privacy_event): shape of the number of runs is -1, but must be 0, or lie in (-1, 1] and be at "
        "least 2^-11 in size");
  CHECK_FALSE(says({.noise = best_of{negative_binomial_runs{1e-9, 0.5}, run}}).empty());
  CHECK_FALSE(says({.noise = best_of{negative_binomial_runs{std::nan(""), 0.5}, run}}).empty());
  CHECK_FALSE(says({.noise = best_of{poisson_runs{0}, run}}).empty());
  CHECK(says({.noise = best_of{poisson_runs{2}, ledger()}}) ==
        "dplda::check(privacy_event): the ledger of one run is empty, but must hold an event");
  CHECK(
      says({.noise = best_of{poisson_runs{2}, run}, .sampling = poisson_sample{0.5}}) ==
      "dplda::check(privacy_event): a sample of units is combined with a ledger inside, but the events of that ledger "
      "must say what they sampled");
  CHECK(says({.noise = best_of{poisson_runs{2}, run}, .unit = privacy_unit::user}) ==
        "dplda::check(privacy_event): unit is user, but must be that of the ledger inside, document");
  CHECK(says({.noise = best_of{poisson_runs{2}, run}, .relation = neighbours::replace}) ==
        "dplda::check(privacy_event): neighbours is replace, but must be those of the ledger inside, add_remove");
  CHECK(
      refusal([] { runs_with_mean(5000); }).starts_with("dplda::runs_with_mean: mean is 5000, but must lie in (1, 20"));
}

TEST_CASE("Selections are told apart by what they ran", "[accounting][selection]") {
  ledger book;
  ledger named;
  named.record({.noise = gaussian_noise{1}, .label = "named"});
  book.record({.noise = best_of{poisson_runs{2}, one(gaussian_noise{1})}});
  book.record({.noise = best_of{poisson_runs{2}, one(gaussian_noise{1}, 2)}});
  book.record({.noise = best_of{poisson_runs{2}, one(laplace_noise{1})}});
  book.record({.noise = best_of{poisson_runs{2}, named}});
  const detail::canonical_ledger plain(book);
  REQUIRE(plain.uses().size() == 3);
  CHECK(plain.uses()[0].count == 2);
  CHECK(describe(book.entries()[1].event.noise) ==
        "the best of about 2 runs, a secret number, each: 2 times Gaussian, multiplier 1, on all of the data");
}

TEST_CASE("Fewer runs than one in the mean have a price at every delta", "[accounting][selection]") {
  const ledger book = best(poisson_runs{0.25}, one(gaussian_noise{10}));
  for (const double delta : {1e-6, 0.2, 0.3, 0.9}) {
    CAPTURE(delta);
    CHECK(ledger_epsilon(book, delta).upper <= ledger_epsilon(one(gaussian_noise{1}), delta).upper);
  }
  CHECK(ledger_epsilon(book, 0.9).upper == 0);
}

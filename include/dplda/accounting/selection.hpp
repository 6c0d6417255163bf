// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_SELECTION_HPP
#define DPLDA_ACCOUNTING_SELECTION_HPP

// Private selection: a mechanism is run a random number of times, and only the best result is published.
//
// Claim: if one run is the composition in `run`, the published result has at most the Renyi divergence of
//   detail/selection_curve.hpp, and is (epsilon + shift, E[K] delta)-DP wherever one run is (epsilon, delta)-DP.
// Preconditions: the number of runs K is secret and has exactly the stated law; it depends on nothing else. Given K, the
//   runs are independent, each with fresh randomness. Only the best result is shown, neither K nor the others. A score
//   is a function of what a run releases (its own ledger pays for it). Equal scores are decided by the order of the
//   runs. The candidates that a run picks from are public.
// Argument (the number of runs and the Renyi statement for it: Papernot and Steinke, Hyperparameter tuning with Renyi
//   differential privacy, 2022; here both follow from two inequalities on densities):
//   - Let f(t) = E[t^K]. Let runs have laws p and q on neighbouring corpora. Attach an independent uniform number to
//     each result, so that no two are equally good; the runs are exchangeable, so their order decides as well. A run is
//     better than y with probability P(>y). The best of K has density p(y) f'(1 - P(>y)).
//   - Truncated negative binomial, P(K = k) proportional to (1 - c)^k (s)_k / k!, k >= 1: f'(1 - x) = E[K] (c /
//     g(x))^(1 + s) with g(x) = c + (1 - c) x. So the density is at most E[K] p(y), and the ratio of densities at most
//     (p/q)(y) r^(1 + s), where r bounds (c + (1 - c) Q(S)) / (c + (1 - c) P(S)) over all events S. That r = e^e0
//     holds if and only if Q(S) - e^e0 P(S) <= c (e^e0 - 1)/(1 - c) for all S, that is if one run is (e0, c (e^e0 -
//     1)/(1 - c))-DP. shift = (1 + s) e0.
//   - Poisson: f'(1 - x) = E[K] e^(-E[K] x), so the density is again at most E[K] p(y), and shift = E[K] TV(P, Q). Where
//     there is no run, nothing is published, with the same probability for all corpora.
//   - So the density a of the best and its neighbour's b fulfil a <= E[K] p and a/b <= e^shift p/q. Then the integral of
//     max(0, a - e^(epsilon + shift) b) is at most that of E[K] max(0, p - e^epsilon q), and the moment of order alpha,
//     the mean of (a/b)^(alpha - 1) under a, is at most E[K] e^(shift (alpha - 1)) times that of p and q. For Poisson
//     the latter sharpens (their Theorem 6): a^alpha b^(1 - alpha) has the factor E[K] exp(-E[K](alpha P(>y) - (alpha -
//     1) Q(>y))), whose exponent is at most E[K] (alpha - 1) delta(log(alpha/(alpha - 1))). That no run happens adds
//     e^-E[K] to the moment.
//   - If the runs' Renyi curves hold once an event of probability d is set aside, the event that no run meets it leaves
//     a truncated negative binomial number with a larger c (a Poisson number with a smaller mean), for which every
//     bound is smaller. The rest has probability at most E[K] d.
// Test: tests/accounting/selection_test.cpp

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/nested_ledger.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

/// A truncated negative binomial number of runs, at least 1: P(k) proportional to (1 - stop)^k times the product of (l
/// + shape)/(l + 1) over l < k (for shape 0, to (1 - stop)^k / k). Shape 1 is geometric, 0 logarithmic; a smaller shape
/// costs less and scatters more.
struct negative_binomial_runs {
  double shape;
  double stop;
  bool operator==(const negative_binomial_runs&) const = default;
};

/// A Poisson number of runs. It may be 0; then nothing is published.
struct poisson_runs {
  double mean;
  bool operator==(const poisson_runs&) const = default;
};

/// One published result, the best of a random number of runs; `run` is what one run costs.
template <class Runs>
struct best_of : Runs {
  nested_ledger run;
  bool operator==(const best_of&) const = default;
};
template <class Runs, class Ledger>
best_of(Runs, Ledger) -> best_of<Runs>;

/// The mean number of runs, rounded up. Throws std::invalid_argument as run_count_law of the same numbers.
double expected_runs(const negative_binomial_runs& runs);
double expected_runs(const poisson_runs& runs);

/// The truncated negative binomial law with this mean (or slightly less), found by bisection. Throws
/// std::invalid_argument on a mean of at most 1 or one that needs a `stop` below 2^-11 (2048 runs if geometric), or on
/// a shape that is neither 0 nor in (-1, 1] and at least 2^-11 in size.
negative_binomial_runs runs_with_mean(double mean, double shape = 1);

namespace detail {

/// What the bounds need of a law of K; each number is rounded to the safe side.
struct run_count_law {
  double mean, log_mean;  // E[K]
  double power = 0;       // 1 + shape; 0 for Poisson
  double log_inverse_stop = 0;
  double odds = infinite;  // stop / (1 - stop)
};

void check_runs(const negative_binomial_runs& runs, const char* function);
void check_runs(const poisson_runs& runs, const char* function);
run_count_law law_of(const negative_binomial_runs& runs);
run_count_law law_of(const poisson_runs& runs);

/// An upper bound on e0: the root of delta_of(e) = odds (e^e - 1), from the side where delta_of is smaller. `delta_of`
/// bounds the profile of one run and falls.
double likelihood_bound(double odds, real_function delta_of, double guess);

/// The divergence of order alpha of the best of K runs, and what is set aside for it (detail/selection_curve.hpp).
double selection_rdp(const run_count_law& law, const ledger& run, double alpha);
double selection_delta(const run_count_law& law, const ledger& run);

/// epsilon of the best of K runs at `delta`, by the profile of one run.
double selection_epsilon(const run_count_law& law, const nested_ledger& run, double delta);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/selection.ipp>
#endif

#endif

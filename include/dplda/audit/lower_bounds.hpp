// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_LOWER_BOUNDS_HPP
#define DPLDA_AUDIT_LOWER_BOUNDS_HPP

// From attacks to lower bounds on epsilon.
//
// Claim: if a mechanism is (epsilon, delta)-DP, each bound below exceeds epsilon with a probability of at most
//   1 - confidence, over the runs that it was computed from. (gaussian_*: if it is mu-GDP for some mu, and epsilon is
//   the least for which that is (epsilon, delta)-DP.)
// Preconditions: repeated runs: each score comes from an independent run of the mechanism, on two fixed neighbouring
//   inputs. One run: each canary was included by an independent fair coin, and the mechanism is private under addition
//   or removal of one of them. Numbers of trials, guesses and thresholds were fixed beforehand, except as stated.
// Argument: repeated runs: any rule to distinguish the inputs has TPR <= e^epsilon FPR + delta, and the same for the
//   rates of the opposite answers (Kairouz, Oh and Viswanath 2015). The Clopper-Pearson intervals hold for both rates
//   at once by the union bound. A threshold at an order statistic of one input's scores is as good as a fixed one:
//   given these scores, those of the other input are independent of it. The rate beyond the (j+1)-th largest of n
//   scores is at most a Beta(j + 1, n - j) variable (ties make it smaller), whose quantile is the interval's end for j
//   of n. One run: Steinke, Nasr and Jagielski (Privacy auditing with one (1) training run, 2023), Theorem 5.2.
//   one_run_refutes (after Mahloujifar, Melis and Chaudhuri, Auditing f-differential privacy in one run, 2025): the
//   guesses are a function of the output. Let F(x) be the largest probability of an event whose probability is x after
//   the other answer of one coin; F is concave and rises, and G is its inverse, G <= identity. Take "guess j is right,
//   and at least c of the r guesses are": if coin j alone is turned, the same outputs have guess j wrong, and at least c
//   - 1 right. So, averaged over the m canaries (F is concave), h_c <= F(w_{c-1}), where m h_c = sum over i >= c of i
//   p_i, m w_c = sum over i >= c of (r - i) p_i, and p_i is the probability of i right guesses. With the tails S_i = p_i
//   + p_{i+1} + .. and T_i = S_{i+1} + S_{i+2} + .., this reads (r - i) S_i >= T_i + m G(((i + 1) S_{i+1} + T_{i+1})/m).
//   The right side rises with every later tail. So if S_v >= alpha, all tails are at least those that begin with S_v =
//   alpha (0 beyond) and take equality, or S_i = S_{i+1} where that is larger. If these exceed 1, S_v < alpha.
// Test: tests/audit/lower_bounds_test.cpp (values by SciPy and mpmath; coverage on the Gaussian and the Laplace
//   mechanism).

#include <dplda/accounting/trade_off.hpp>
#include <dplda/audit/rates.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// How often an attack answered "member": in true_positives of the runs with the unit, and in false_positives of the
/// runs without it.
struct attack_counts {
  std::uint64_t true_positives = 0;
  std::uint64_t members = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t others = 0;
};

namespace detail {

struct attack_bounds {
  double true_positive_low, false_positive_high;
};

/// The two ends hold at once with the stated confidence.
attack_bounds bounds_of(const attack_counts& counts, double confidence);

/// max(0, log(a / b)); 0 where a is not positive.
inline double log_ratio(double a, double b) { return a > b && a > 0 ? std::log(a / b) : 0; }

}  // namespace detail

/// epsilon >= max(log((TPR - delta) / FPR), log((1 - FPR - delta) / (1 - TPR))) at the worst ends of the rates'
/// intervals; 0 if that is not positive. Throws std::invalid_argument if the counts are impossible, delta is outside
/// [0, 1], or confidence is outside (0, 1).
double epsilon_lower_bound(const attack_counts& counts, double delta, double confidence = 0.95);

/// The Gaussian-DP parameter mu >= Phi^-1(TPR) - Phi^-1(FPR) (Dong, Roth and Su 2022) at the worst ends; 0 if that is
/// not positive. Throws as epsilon_lower_bound does.
double gaussian_mu_lower_bound(const attack_counts& counts, double confidence = 0.95);

/// The epsilon of that mu. For Gaussian mechanisms it is far above epsilon_lower_bound. For others it is valid only if
/// they are at most as distinguishable as some Gaussian mechanism. Throws as epsilon_lower_bound does.
double gaussian_epsilon_lower_bound(const attack_counts& counts, double delta, double confidence = 0.95);

/// How to choose a threshold that was not fixed beforehand.
enum class threshold_choice {
  bonferroni,  ///< the best of a few order statistics, each at a higher confidence so that all bounds hold
  split        ///< the best threshold on every second score, applied to the others
};

struct score_audit_options {
  double delta = 0;
  double confidence = 0.95;
  threshold_choice choice = threshold_choice::bonferroni;
  bool gaussian = false;  ///< gaussian_epsilon_lower_bound instead of epsilon_lower_bound
};

namespace detail {

/// Ranks 0, 1, 2, 4, 8, ... below n.
std::vector<std::size_t> doubling_ranks(std::size_t n);

}  // namespace detail

/// A lower bound on epsilon from scores of independent runs with a unit and without it (higher: with). Throws
/// std::invalid_argument if there are no scores on a side (split: fewer than 2), if one is NaN, or as
/// epsilon_lower_bound does.
double audited_epsilon(std::vector<double> with, std::vector<double> without, const score_audit_options& options = {});

/// Guesses about canaries that independent fair coins included or left out.
struct one_run_counts {
  std::uint64_t canaries = 0;
  std::uint64_t guesses = 0;  ///< the attack abstained on the others
  std::uint64_t correct = 0;
};

namespace detail {

/// Throws std::invalid_argument if the counts are impossible.
void check_counts(const one_run_counts& counts, const char* function);

}  // namespace detail

/// The p-value of "the mechanism is (epsilon, delta)-DP" given the guesses of one run:
///   beta + 2 m delta max_{i = 1..v} P[v - i <= B < v] / i,   beta = P[B >= v],   B ~ Binomial(r, e^epsilon / (1 +
///   e^epsilon)).
/// Throws std::invalid_argument if correct > guesses, guesses > canaries, epsilon is negative, or delta outside [0, 1].
double one_run_p_value(const one_run_counts& counts, double epsilon, double delta);

/// The largest epsilon such that the guesses of one run reject every smaller epsilon. Throws as one_run_p_value does,
/// and if confidence is outside (0, 1).
double one_run_epsilon(const one_run_counts& counts, double delta, double confidence = 0.95);

/// Whether so many right guesses have a probability below 1 - confidence in every mechanism with this privacy curve, and
/// so refute it. The curve is a ledger's: points (epsilon, delta), of which the upper bounds on delta are used; they hold
/// for adding and for removing a canary. Throws std::invalid_argument if correct > guesses, guesses > canaries, or
/// confidence is outside (0, 1).
bool one_run_refutes(const one_run_counts& counts, std::span<const curve_point> curve, double confidence);

/// Guesses of one run: "in" for the guesses / 2 highest scores (rounded up), "out" for the lowest ones. `guesses` must
/// be fixed before the scores are seen. Throws std::invalid_argument if the sizes differ, if guesses exceeds them, or
/// if a score is NaN.
one_run_counts guess_canaries(std::span<const double> scores, const std::vector<bool>& included, std::size_t guesses);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/lower_bounds.ipp>
#endif

#endif

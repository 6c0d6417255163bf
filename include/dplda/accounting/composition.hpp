// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_COMPOSITION_HPP
#define DPLDA_ACCOUNTING_COMPOSITION_HPP

// What several (epsilon, delta)-DP mechanisms cost together if nothing else is known of them.
//
// Claim: each function returns an (epsilon, delta), or one of the two for a given other, that holds for the composition
// of the stated mechanisms, chosen adaptively or not.
// Preconditions: all parts are for the same unit and neighbours.
// Argument: linear: Dwork and Roth, The algorithmic foundations of differential privacy, Theorem 3.16. Advanced: there,
// Theorem 3.20, whose mean term k epsilon (e^epsilon - 1) may be replaced by k times the Kullback-Leibler divergence
// epsilon tanh(epsilon/2) of randomised response, the largest that pure epsilon-DP allows. Optimal: Kairouz, Oh and
// Viswanath, The composition theorem for differential privacy, 2015, Theorem 3.3; Murtagh and Vadhan, The complexity of
// computing the optimal composition, 2016, Theorems 1.4 and 1.5:
//   1 - (1 - delta_total) / prod (1 - delta_i) = E[max(0, 1 - e^(epsilon_total - L))],
// where L is the privacy loss of randomised responses. Every rounding error is bounded in the code and added.
// Test: tests/accounting/composition_test.cpp

#include <dplda/accounting/detail/composition.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// `count` uses of (epsilon, delta)-DP mechanisms.
struct repeated_budget {
  budget part;
  std::uint64_t count = 1;
};

/// The sums of all epsilons and deltas (Theorem 3.16), rounded up; delta at most 1. Throws std::invalid_argument on an
/// epsilon that is negative or infinite, or a delta outside [0, 1].
budget linear_composition(std::span<const repeated_budget> parts);

budget linear_composition(const budget& part, std::uint64_t count);

/// The mean term of advanced composition: as in the book, or the smaller one from the divergence of randomised
/// response.
enum class advanced_mean { dwork_roth, randomised_response };

/// Advanced composition of `count` equal mechanisms (Theorem 3.20): for any slack,
/// (sqrt(2 k log(1/slack)) epsilon + mean term, k delta + slack), rounded up. linear_composition is smaller for few
/// steps or large epsilons. Throws std::invalid_argument as linear_composition, on a count of 0, and on a slack
/// outside (0, 1].
budget advanced_composition(const budget& part, std::uint64_t count, double slack,
                            advanced_mean mean = advanced_mean::randomised_response);

/// The epsilon of advanced composition at delta_total. Its slack is what the parts' own deltas leave; infinite if they
/// leave nothing. Throws as advanced_composition, and on a delta_total outside [0, 1].
double advanced_composition_epsilon(const budget& part, std::uint64_t count, double delta_total,
                                    advanced_mean mean = advanced_mean::randomised_response);

/// The smallest delta_total for which any `count` (epsilon, delta)-DP mechanisms are (epsilon_total, delta_total)-DP
/// together (Theorem 1.4), rounded up. Works in logarithms, so for any count, in time O(sqrt(count)). Throws
/// std::invalid_argument as linear_composition, on a count of 0, and on an epsilon_total that is negative or NaN.
double optimal_composition_delta(const budget& part, std::uint64_t count, double epsilon_total);

/// The smallest epsilon_total, over the reals, for which any `count` (epsilon, delta)-DP mechanisms are (epsilon_total,
/// delta_total)-DP together (Theorem 1.4), rounded up within 1e-12 of itself; infinite if the parts' own deltas reach
/// delta_total. Throws as optimal_composition_delta, and on a delta_total outside [0, 1].
double optimal_composition_epsilon(const budget& part, std::uint64_t count, double delta_total);

/// The optimal composition of mechanisms of different (epsilon, delta) (Theorem 1.5), which is hard to compute in
/// general. Exact, except for rounding up, if there are at most 65536 different sums of losses or if all epsilons are
/// equal. Otherwise an upper bound: losses are moved to a grid of at least 1024 points in a way that makes no delta
/// smaller (epsilon grows by about the number of different epsilons times the square of the grid's step), and if there
/// are more than 256 different epsilons, each is first rounded up by at most 0.6 %. Construction takes up to about
/// 0.1 s, a query milliseconds.
class heterogeneous_composition {
 public:
  /// Throws std::invalid_argument on an epsilon that is negative or infinite, or a delta outside [0, 1].
  explicit heterogeneous_composition(std::span<const repeated_budget> parts);

  /// Whether the values are the optimum; otherwise they are above it.
  bool exact() const noexcept { return losses_.exact(); }

  /// The delta at epsilon_total, rounded up. Throws std::invalid_argument if that is negative or NaN.
  double delta(double epsilon_total) const;

  /// The epsilon at delta_total, rounded up within 1e-12; infinite if the parts' own deltas reach delta_total.
  /// Throws std::invalid_argument if that is outside [0, 1].
  double epsilon(double delta_total) const;

 private:
  static std::vector<detail::response_group> groups_of(std::span<const repeated_budget> parts);

  detail::composed_losses losses_;
  double log_survival_ = 0;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/composition.ipp>
#endif

#endif

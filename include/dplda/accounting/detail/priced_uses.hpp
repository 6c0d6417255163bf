// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PRICED_USES_HPP
#define DPLDA_ACCOUNTING_DETAIL_PRICED_USES_HPP

// A ledger as a list of (epsilon, delta), one for each use, for the accountants that use nothing else of a mechanism.

#include <dplda/accounting/amplification.hpp>
#include <dplda/accounting/composition.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/sum_of_deltas.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Whether a mechanism has an epsilon only once a delta is chosen for it.
inline bool needs_a_delta(const mechanism& noise) {
  return std::visit([]<class Mechanism>(const Mechanism&) { return !HasPureEpsilon<Mechanism>; }, noise);
}

/// (epsilon, delta) of one use on all units, where `share` is the delta for mechanisms that need one.
inline budget unsampled_price(const mechanism& noise, double share) {
  return std::visit([&](const auto& n) { return price_of(n, share); }, noise);
}

/// (epsilon, delta) of one use, where `share` is its delta after amplification.
inline budget price_of_use(const canonical_event& event, double share) {
  const bool poisson = std::holds_alternative<poisson_sample>(event.sampling);
  if (std::holds_alternative<all_units>(event.sampling) || (poisson && event.relation == neighbours::replace))
    return unsampled_price(event.noise, share);
  const double rate = sampling_rate(event.sampling);
  const budget base = unsampled_price(event.noise, std::min(1.0, lowered(share / rate, 8)));
  return amplified(base, rate, "price");
}

/// The uses of a ledger as (epsilon, delta). Mechanisms that need a delta share the fraction `part` of what the others
/// leave of the target delta; the remainder is the slack of the composition.
class priced_uses {
 public:
  priced_uses(const canonical_ledger& book, double delta, double part) : delta_(delta) {
    const double ulps = 32 + 4 * book.size();
    sum_of_deltas fixed;
    double needy = 0;
    for (const auto& [event, count] : book.uses()) {
      if (needs_a_delta(event.noise)) {
        needy += static_cast<double>(count);
      } else {
        fixed.add(static_cast<double>(count), price_of_use(event, 0).delta);
      }
    }
    const double share = needy > 0 ? lowered(part * std::max(0.0, delta - fixed.value()) / needy, ulps) : 0;
    for (const auto& [event, count] : book.uses()) {
      const budget price = price_of_use(event, share);
      const auto k = static_cast<double>(count);
      uses_.push_back({price, count});
      deltas_.add(k, price.delta);
      sum_ += k * price.epsilon;
      mean_ += k * price.epsilon * std::tanh(price.epsilon / 2);
      squares_ += k * price.epsilon * price.epsilon;
      total_ += k;
    }
    ulps_ = ulps;
  }

  /// Dwork and Roth, Theorem 3.16.
  double linear() const {
    if (!deltas_.within(delta_)) return infinite;
    return sum_ == 0 ? 0 : raised(sum_, ulps_);
  }

  /// sum of epsilon tanh(epsilon/2) + sqrt(2 log(1/slack) sum of epsilon^2): for equal epsilons advanced_composition
  /// (composition.hpp); for different ones the same argument holds, as Azuma's inequality needs only that sum.
  double advanced() const {
    const double slack = lowered(delta_ - deltas_.value(), 4);
    if (!(sum_ < infinite) || !(slack > 0)) return infinite;
    if (sum_ == 0) return 0;
    return raised(mean_ + std::sqrt(-2 * log_below(std::min(1.0, slack)) * squares_), ulps_);
  }

  /// Optimal composition; infinite if there are too many uses to compute it.
  double optimal() const {
    if (!(sum_ < infinite) || total_ > most_uses) return infinite;
    if (uses_.size() == 1) return optimal_composition_epsilon(uses_.front().part, uses_.front().count, delta_);
    return heterogeneous_composition(uses_).epsilon(delta_);
  }

  /// The same for a given epsilon, whatever the target delta was.
  double optimal_delta(double epsilon) const {
    if (!(sum_ < infinite) || total_ > most_uses) return 1;
    if (uses_.size() == 1) return optimal_composition_delta(uses_.front().part, uses_.front().count, epsilon);
    return heterogeneous_composition(uses_).delta(epsilon);
  }

  /// Whether optimal() is known to exceed `epsilon`, so that it need not be computed. There are two lower bounds on the
  /// true curve delta(E) of the composed losses L (detail/composition.hpp). First, E[max(0, 1 - e^(E - L))] >= (1 -
  /// e^-s) P(L >= E + s), and by Cantelli's inequality P(L >= mean - t) >= t^2 / (variance + t^2). Second, the delta of
  /// some of the uses is at most that of all.
  bool optimal_exceeds(double epsilon) const {
    if (!(sum_ < infinite) || total_ > most_uses) return true;
    const double half_gap = (mean_ - epsilon) / 2, enough = 1.001 * delta_;
    if (half_gap > 0 && -std::expm1(-half_gap) * half_gap * half_gap > enough * (squares_ + half_gap * half_gap))
      return true;
    const auto widest = std::max_element(uses_.begin(), uses_.end(), [](const auto& a, const auto& b) {
      const auto spread = [](const repeated_budget& u) {
        return static_cast<double>(u.count) * u.part.epsilon * u.part.epsilon;
      };
      return spread(a) < spread(b);
    });
    return log_delta_of_responses(widest->part.epsilon, widest->count, epsilon) > std::log(enough);
  }

 private:
  static constexpr double most_uses = 1e9;

  double delta_;
  std::vector<repeated_budget> uses_;
  sum_of_deltas deltas_;
  double sum_ = 0, mean_ = 0, squares_ = 0, total_ = 0, ulps_ = 0;
};

/// Ways to divide delta between mechanisms that need one and the slack of their composition.
inline std::vector<double> parts_to_try(const canonical_ledger& book) {
  const auto uses = book.uses();
  if (std::any_of(uses.begin(), uses.end(), [](const auto& u) { return needs_a_delta(u.event.noise); }))
    return {0.1, 0.5, 0.9};
  return {0.0};
}

inline double linear_epsilon(const canonical_ledger& book, double delta) {
  return priced_uses(book, delta, 1).linear();
}

inline double advanced_epsilon(const canonical_ledger& book, double delta) {
  double least = linear_epsilon(book, delta);
  for (const double part : parts_to_try(book)) least = std::min(least, priced_uses(book, delta, part).advanced());
  return least;
}

/// The smallest of linear, advanced and optimal composition; the last is skipped if it cannot be below `unless`.
inline double optimal_epsilon(const canonical_ledger& book, double delta, double unless = infinite) {
  double least = advanced_epsilon(book, delta);
  for (const double part : parts_to_try(book)) {
    const priced_uses uses(book, delta, part);
    const double known = std::min(unless, least);
    if (known == infinite || !uses.optimal_exceeds(known)) least = std::min(least, uses.optimal());
  }
  return least;
}

/// The delta of optimal composition, at most `known`, a delta that holds. Uses may be priced with any share of delta,
/// so every value is a bound. Shares of the smallest delta so far are tried as long as this gains.
inline double optimal_delta(const canonical_ledger& book, double epsilon, double known) {
  for (double before = infinite; known < 0.99 * before;) {
    before = known;
    for (const double part : parts_to_try(book))
      known = std::min(known, priced_uses(book, before, part).optimal_delta(epsilon));
  }
  return known;
}

}  // namespace dplda::inline v0_1::detail

#endif

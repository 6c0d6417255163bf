// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_FILTER_HPP
#define DPLDA_ACCOUNTING_FILTER_HPP

// Accounting while it happens: a filter that refuses events that would exceed a budget.
//
// Claim: let each event (mechanism, parameters, whether to continue) be chosen from all earlier results, by any
//   strategy. Then everything that was admitted is together (epsilon, delta)-DP with the budget of the filter, at every
//   time, even at a time chosen from the results. Refusals depend only on the events and may be shown.
// Preconditions: an event is spent before its result is seen, or in the same step; events describe truthfully what is
//   done. The rule, its order, the budget and reserved_delta are fixed before the first result. What was spent
//   elsewhere is not covered. A filter is used from one thread.
// Argument, without opaque events. Each rule has a cost per event that adds up, and a bound B on the sum.
//   Renyi: Feldman and Zrnic, Individual privacy accounting via a Renyi filter, 2021 (also Lecuyer, Practical privacy
//   filters and odometers with Renyi differential privacy, 2021): if at one fixed order the divergences of adaptively
//   chosen mechanisms always add up to at most B, the whole has divergence at most B. B is the divergence that implies
//   the budget by conversion.hpp. No order is picked afterwards.
//   Gaussian (Smith and Thakurta, Fully adaptive composition for Gaussian differential privacy, 2022): if the mu^2 of
//   adaptively chosen mechanisms (detail/gdp.hpp) always add up to at most B, the whole is sqrt(B)-GDP. By induction
//   on the number of rounds left, with G_m the trade-off curve of m-GDP: the first mechanism is mu-GDP. Whatever its
//   result, the costs of the rest add up to at most B - mu^2, so by induction the rest is G_r-DP with
//   r = sqrt(B - mu^2), the same r for every result. That is what the adaptive composition theorem of Dong, Roth and Su
//   requires, and it gives the whole the curve of G_mu and G_r composed, which is that of sqrt(mu^2 + r^2) = sqrt(B).
//   The coins of the strategy are the same on both sides, and a mixture of pairs above one convex curve is above it. A
//   run without a bound on its rounds is the limit of runs that end after n rounds, and the bound holds in the limit. B
//   is the square of the largest mu that implies the budget, exactly (gaussian.hpp).
// Argument for opaque events with a delta d of their own: outside a set-aside event, the composed laws are w P' and
//   w Q', where w, the product of all (1 - d), depends on the results in the same way on both sides, and P', Q' are
//   the composition to which the filter applies. The sum of all d may not exceed D = reserved_delta, so w >= 1 - D.
//   What is set aside has the probability 1 - (integral of w P'), so the whole has a delta of at most
//   1 - (integral of w min(P', e^epsilon Q')) <= 1 - (1 - D)(1 - delta'), where delta' is what P' and Q' have at
//   epsilon. So the rule above may use delta' = (delta - D) / (1 - D). Sums are rounded up at every spend.
// B and D are fixed beforehand and separately. A joint bound ("D + (1 - D) delta'(spent) <= delta, for the D spent so
//   far") would be wrong: the analyst could look at the loss so far and then choose whichever of noise and delta makes
//   it exceed epsilon with the larger probability. The total is then the mean of a maximum, which is above both.
//   filter_test.cpp has such a strategy.
// A filter for zCDP would not be better: at the default order, B / alpha is the largest rho that implies the budget,
//   and divergences are at most alpha rho.
// Test: tests/accounting/filter_test.cpp

#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/sum_of_deltas.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/odometer.hpp>

#include <cstdint>
#include <optional>

namespace dplda::inline v0_1 {

/// The order at which a filter of this budget admits the plan the largest number of times. Choose it before the first
/// result. Any order is valid, and events that were not planned are admitted by their own divergences. Throws
/// std::invalid_argument unless epsilon is positive and finite and 0 <= reserved_delta < delta < 1, and on a plan
/// without events.
double filter_order(const ledger& plan, const budget& total, double reserved_delta = 0);

/// What a filter adds up.
enum class filter_rule {
  /// Renyi divergences at one order. Takes sampling into account. Admits a little less Gaussian noise on all units than
  /// the accountants would.
  renyi,
  /// The squares of mu of Gaussian differential privacy: exact for Gaussian noise on all units. Ignores sampling, and
  /// refuses discrete Gaussian noise and selections.
  gaussian
};

struct filter_options {
  filter_rule rule = filter_rule::renyi;
  /// For renyi: the order of the divergence, which never changes. By default the best order for Gaussian noise on all
  /// units, which is as good as zCDP. For sampled noise, see filter_order.
  std::optional<double> order = {};
  /// The part of delta that opaque events with a delta of their own may use up. With 0, none of them is admitted.
  double reserved_delta = 0;
};

/// What a filter would still admit: one release of Gaussian noise on all units that has this epsilon at noise_delta,
/// and opaque events whose deltas add up to opaque_delta.
struct filter_rest {
  double epsilon;
  double noise_delta;
  double opaque_delta;
};

/// Admits events as long as all of them together stay within a budget, under fully adaptive choice.
class privacy_filter {
 public:
  /// Throws std::invalid_argument as filter_order does, on an order that is not finite and above 1, and on an order
  /// with the Gaussian rule.
  explicit privacy_filter(const budget& total, const filter_options& options = {});

  /// Whether the event, `count` times, stays within the budget. If so, it is recorded in the ledger and may be carried
  /// out. If not, nothing has changed, and a smaller event may still be admitted. Throws std::invalid_argument as
  /// ledger::record does, and on discrete Gaussian noise with the Gaussian rule; then nothing has changed either.
  [[nodiscard]] bool spend(const privacy_event& event, std::uint64_t count = 1);

  /// The same for all events of a plan together: either all are admitted or none.
  [[nodiscard]] bool spend(const ledger& plan);

  /// Counts events that were carried out already, whether or not they fit. If they exceed the budget, nothing more is
  /// admitted, and promise() is infinite. Throws std::invalid_argument as spend does.
  void count(const ledger& done);

  /// Whether everything that was counted stays within the budget.
  bool within() const { return within(sums_); }

  const filter_options& options() const noexcept { return options_; }
  /// The order of the Renyi rule; 0 with the Gaussian rule.
  double order() const noexcept { return options_.order.value_or(0); }
  /// What may be spent in total: the divergence at the filter's order, or mu^2.
  double allowed() const noexcept { return allowed_; }
  /// How much of it was spent.
  double spent() const noexcept { return sums_.spent; }
  const ledger& book() const noexcept { return book_; }

  /// What is left, rounded down.
  filter_rest left() const;

  /// What holds for everything that was and will be admitted: the budget. Epsilon is infinite if what was counted exceeds
  /// it.
  guarantee promise() const;

 private:
  static filter_options resolved(const budget& total, filter_options options);

  struct sums {
    double spent = 0;
    detail::sum_of_deltas reserved = {};
  };

  bool within(const sums& s) const { return s.spent <= allowed_ && s.reserved.within(options_.reserved_delta); }

  sums added(sums s, const detail::canonical_event& event, std::uint64_t count);

  sums added(sums s, const ledger& plan);

  budget total_;
  filter_options options_;
  detail::curve_cache curves_;
  double noise_delta_ = 0, allowed_ = 0;
  sums sums_;
  ledger book_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/filter.ipp>
#endif

#endif

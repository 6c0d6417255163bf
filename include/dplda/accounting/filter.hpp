// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_FILTER_HPP
#define DPLDA_ACCOUNTING_FILTER_HPP

// Accounting while it happens: an odometer that says what was spent so far, and a filter that refuses what would
// exceed a budget.
//
// Claim of odometer: as that of rdp_accountant, at any time and for any delta: what was spent so far is
//   (epsilon(delta), delta)-DP, provided that the sequence of events (mechanisms, parameters, when to stop) does not
//   depend on earlier results. What a mechanism computes may. If parameters are chosen from earlier results, the total
//   is a random number and promises nothing; that is what the filter is for.
// Claim of privacy_filter: whoever chooses each event (mechanism, parameters, whether to go on) in the light of all
//   earlier results, by whatever strategy: all that was admitted, together, is (epsilon, delta)-DP with the budget of
//   the filter's construction, at every time, also at one chosen from the results. Refusals depend on the events alone
//   and may be shown.
// Preconditions: an event is spent before, or in the same step as, its result is seen; events tell the truth about
//   what is done. The order, the budget and reserved_delta are fixed before the first result. What was spent elsewhere
//   is not covered. One filter is used from one thread.
// Argument: Feldman and Zrnic, Individual privacy accounting via a Renyi filter, 2021 (also Lecuyer, Practical privacy
//   filters and odometers with Renyi differential privacy, 2021): if at one fixed order the divergences of adaptively
//   chosen mechanisms add up to at most B, surely, the whole has divergence at most B; B is what implies (epsilon,
//   delta - reserved_delta) by conversion.hpp. No order is picked afterwards. Opaque events with a delta d:
//   outside a set-aside event, the composed laws are w P' and w Q', where w, the product of all (1 - d), depends on
//   the results in the same way on both sides, and P', Q' are the composition to which the filter applies. As w <= 1,
//   the integral of max(0, w (P' - e^epsilon Q')) is no larger than without w, and the events set aside have together
//   at most the probability reserved_delta, which their sum is not let exceed. Sums are rounded up at every spend.
// A filter for zCDP would be no better: at the default order B / alpha is the largest rho that implies the budget, and
//   divergences are at most alpha rho.
// Test: tests/accounting/filter_test.cpp

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/order_search.hpp>
#include <dplda/accounting/detail/sum_of_deltas.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/rdp.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace dplda {

namespace detail {

/// The divergences of one use at fixed orders, computed once for each distinct event.
class curve_cache {
 public:
  struct values {
    std::vector<double> divergences;
    double reserved_delta;
  };

  explicit curve_cache(std::vector<double> orders) : orders_(std::move(orders)) {}

  const std::vector<double>& orders() const noexcept { return orders_; }

  /// Throws std::invalid_argument on an event without meaning.
  const values& of(const privacy_event& event) {
    check(event);
    const privacy_event plain = canonical(event);
    const std::pair<event_key, neighbours> key{key_of(plain), plain.relation};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    rdp_curve curve(plain);
    const auto* opaque = std::get_if<approximate_dp>(&plain.noise);
    const bool whole = opaque != nullptr && std::holds_alternative<all_units>(plain.seen);
    values found{{}, whole ? opaque->delta : curve.reserved_delta()};
    for (const double order : orders_) found.divergences.push_back(curve(order));
    return known_.emplace(key, std::move(found)).first->second;
  }

 private:
  std::vector<double> orders_;
  std::map<std::pair<event_key, neighbours>, values> known_;
};

/// sum + count * value, rounded up.
inline double raised_sum(double sum, double count, double value) {
  return value == 0 ? sum : raised(sum + count * value, 3);
}

inline guarantee guarantee_of(const ledger& book, double epsilon, double delta) {
  guarantee result{.epsilon = epsilon, .delta = delta, .rule = accountant::rdp, .seeded = book.seeded()};
  if (!book.empty()) {
    result.unit = book.entries().front().event.unit;
    result.relation = book.entries().front().event.relation;
  }
  return result;
}

}  // namespace detail

/// 169 orders, alpha - 1 from 1/64 to 32768 in steps of a factor 2^(1/8), so that the best of them costs little more than
/// the best real one.
inline std::vector<double> odometer_orders() {
  std::vector<double> orders;
  for (int j = -48; j <= 120; ++j) orders.push_back(1 + std::exp2(j / 8.0));
  return orders;
}

/// What was spent so far, at constant cost: spending an event that was seen before adds a number to the total of each
/// order, and a query converts each total, however long the history. The ledger may be priced by any other accountant.
class odometer {
 public:
  /// Throws std::invalid_argument if there is no order, or one that is not finite and above 1.
  explicit odometer(std::vector<double> orders = odometer_orders()) : curves_(std::move(orders)) {
    detail::require(!curves_.orders().empty(), "odometer", "number of orders", 0, "must be at least 1");
    for (const double order : curves_.orders()) detail::check_order("odometer", order);
    totals_.assign(curves_.orders().size(), 0.0);
  }

  /// Throws std::invalid_argument as ledger::record, and has then spent nothing.
  void spend(const privacy_event& event, std::uint64_t count = 1) {
    const auto& [divergences, reserved] = curves_.of(event);
    book_.record(event, count);
    const auto uses = static_cast<double>(count);
    for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] = detail::raised_sum(totals_[i], uses, divergences[i]);
    reserved_.add(uses, reserved);
  }

  /// The epsilon of what was spent, at the best of the orders; infinite at a delta that opaque events use up, and at 0
  /// unless nothing was spent. Throws std::invalid_argument if delta is outside [0, 1].
  double epsilon(double delta) const {
    detail::require_delta(delta, "odometer::epsilon");
    if (book_.empty() || delta == 1) return 0;
    const double reserved = reserved_.value(), left = reserved > 0 ? detail::lowered(delta - reserved, 4) : delta;
    if (!(left > 0)) return detail::infinite;
    double least = detail::infinite;
    std::size_t best = 0;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      const double order = curves_.orders()[i];
      const double value = std::min(rdp_epsilon(order, totals_[i], left, rdp_conversion::improved),
                                    rdp_epsilon(order, totals_[i], left, rdp_conversion::branch2));
      if (value < least) {
        least = value;
        best = i;
      }
    }
    return std::min(least, rdp_epsilon(curves_.orders()[best], totals_[best], left, rdp_conversion::exact));
  }

  /// The same as a guarantee. Throws as epsilon.
  guarantee spent(double delta) const { return detail::guarantee_of(book_, epsilon(delta), delta); }

  const ledger& book() const noexcept { return book_; }
  const std::vector<double>& orders() const noexcept { return curves_.orders(); }
  /// The divergence of what was spent at each of the orders.
  const std::vector<double>& divergences() const noexcept { return totals_; }

 private:
  detail::curve_cache curves_;
  std::vector<double> totals_;
  detail::sum_of_deltas reserved_;
  ledger book_;
};

/// The order at which a filter of this budget admits the plan the largest number of times. Choose it before the first
/// result; any order is valid, and events other than those planned are admitted by their own divergences. Throws
/// std::invalid_argument unless epsilon is positive and finite, 0 <= reserved_delta < delta < 1, and on a plan without
/// events.
inline double filter_order(const ledger& plan, const budget& total, double reserved_delta = 0) {
  const char* const function = "filter_order";
  detail::require(total.epsilon > 0 && total.epsilon < detail::infinite, function, "epsilon", total.epsilon,
                  "must be positive and finite");
  detail::require(total.delta > 0 && total.delta < 1, function, "delta", total.delta, "must lie in (0, 1)");
  detail::require(reserved_delta >= 0 && reserved_delta < total.delta, function, "reserved_delta", reserved_delta,
                  "must be at least 0 and below delta");
  detail::require(!plan.empty(), function, "plan", "empty", "must hold an event");
  const double left = detail::lowered(total.delta - reserved_delta, reserved_delta > 0 ? 4 : 0);
  const rdp_accountant planned(detail::canonical(plan));
  const auto share = [&](double alpha) {
    const double allowed = rdp_budget(alpha, total.epsilon, left, rdp_conversion::exact);
    return allowed > 0 ? planned.rdp(alpha) / allowed : detail::infinite;
  };
  const double guess = 1 - 2 * std::log(left) / total.epsilon;
  return detail::minimise_over_orders(share, guess, detail::infinite, 1.25, 12).order;
}

struct filter_options {
  /// The one order of the divergence, fixed for good; by default the best one for Gaussian noise on all units, and so
  /// as good as zCDP. For sampled noise see filter_order.
  std::optional<double> order = {};
  /// The part of delta that opaque events with a delta of their own may use up; with 0 none of them is admitted.
  double reserved_delta = 0;
};

/// Admits events as long as all together keep within a budget, under fully adaptive choice.
class privacy_filter {
 public:
  /// Throws std::invalid_argument as filter_order, and on an order that is not finite and above 1.
  explicit privacy_filter(const budget& total, const filter_options& options = {})
      : total_(total), reserve_(options.reserved_delta), curves_({order_of(total, options)}) {
    const double left = detail::lowered(total.delta - reserve_, reserve_ > 0 ? 4 : 0);
    allowed_ = rdp_budget(order(), total.epsilon, left, rdp_conversion::exact);
  }

  /// Whether the event, `count` times, keeps within the budget. If so it is written to the ledger and may be carried
  /// out; if not, nothing has changed, and something smaller may still be admitted. Throws std::invalid_argument as
  /// ledger::record, and then nothing has changed either.
  [[nodiscard]] bool spend(const privacy_event& event, std::uint64_t count = 1) {
    const auto& [divergences, reserved] = curves_.of(event);
    const auto uses = static_cast<double>(count);
    const double after = detail::raised_sum(spent_, uses, divergences.front());
    detail::sum_of_deltas reserved_after = reserved_;
    reserved_after.add(uses, reserved);
    if (count > 0 && (after > allowed_ || !reserved_after.within(reserve_))) return false;
    book_.record(event, count);
    spent_ = after;
    reserved_ = reserved_after;
    return true;
  }

  double order() const noexcept { return curves_.orders().front(); }
  /// The divergence that may be spent in all, at the filter's order.
  double allowed() const noexcept { return allowed_; }
  /// The divergence that was spent.
  double spent() const noexcept { return spent_; }
  const ledger& book() const noexcept { return book_; }

  /// What holds for all that was and will be admitted: the budget.
  guarantee promise() const { return detail::guarantee_of(book_, total_.epsilon, total_.delta); }

 private:
  static double order_of(const budget& total, const filter_options& options) {
    ledger gaussian;
    gaussian.record({.noise = gaussian_noise{1}});
    const double best = filter_order(gaussian, total, options.reserved_delta);  // checks the budget as well
    if (options.order) detail::check_order("privacy_filter", *options.order);
    return options.order.value_or(best);
  }

  budget total_;
  double reserve_;
  detail::curve_cache curves_;
  double allowed_ = 0, spent_ = 0;
  detail::sum_of_deltas reserved_;
  ledger book_;
};

}  // namespace dplda

#endif

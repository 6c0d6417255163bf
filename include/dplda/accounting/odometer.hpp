// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_ODOMETER_HPP
#define DPLDA_ACCOUNTING_ODOMETER_HPP

// Accounting while it happens: what was spent so far.
//
// Claim: at any time and for any delta, what was spent so far is (epsilon(delta), delta)-DP, provided that the sequence
//   of events (mechanisms, parameters, when to stop) does not depend on earlier results. What a mechanism computes may
//   depend on them. If parameters are chosen from earlier results, the total is a random number and promises nothing;
//   use privacy_filter (filter.hpp) then.
// Argument: rdp.hpp. Sums are rounded up at every spend.
// Test: tests/accounting/filter_test.cpp

#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/guarantee_of.hpp>
#include <dplda/accounting/detail/sum_of_deltas.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

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

  const values& of(const canonical_event& event);

 private:
  std::vector<double> orders_;
  std::map<event_key, values> known_;
};

/// sum + count * value, rounded up.
double raised_sum(double sum, double count, double value);

}  // namespace detail

/// 169 orders, with alpha - 1 from 1/64 to 32768 in steps of a factor 2^(1/8). The best of them costs little more than
/// the best real order.
std::vector<double> odometer_orders();

/// What was spent so far, at constant cost: spending a known event adds a number to the total of each order, and a
/// query converts each total, however long the history is. Any other accountant can price the ledger.
class odometer {
 public:
  /// Throws std::invalid_argument if there is no order, or if one is not finite and above 1.
  explicit odometer(std::vector<double> orders = odometer_orders());

  /// Throws std::invalid_argument as ledger::record does, and then spends nothing.
  void spend(const privacy_event& event, std::uint64_t count = 1);

  /// The epsilon of what was spent, at the best of the orders. Infinite if opaque events use up delta, and at delta = 0
  /// unless nothing was spent. Throws std::invalid_argument if delta is outside [0, 1].
  double epsilon(double delta) const;

  /// The same as a guarantee. After more than one spend() it assumes fixed plans: the claim above. Throws as epsilon.
  guarantee spent(double delta) const {
    guarantee total = detail::guarantee_of(book_, epsilon(delta), delta, accountant::rdp);
    total.assumes_fixed_plans = spends_ > 1;
    return total;
  }

  const ledger& book() const noexcept { return book_; }
  const std::vector<double>& orders() const noexcept { return curves_.orders(); }
  /// The divergence of what was spent at each of the orders.
  const std::vector<double>& divergences() const noexcept { return totals_; }

 private:
  detail::curve_cache curves_;
  std::vector<double> totals_;
  detail::sum_of_deltas reserved_;
  ledger book_;
  std::uint64_t spends_ = 0;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/odometer.ipp>
#endif

#endif

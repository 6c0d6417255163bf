// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_RDP_HPP
#define DPLDA_ACCOUNTING_RDP_HPP

// The Renyi accountant: what a ledger costs at the best real order.
//
// Claim: the ledger's release is (epsilon, delta)-DP for its unit and neighbours, for every pair returned.
// Preconditions: those of the events (event.hpp). Mechanisms may be chosen adaptively from earlier results, but their
// parameters may not.
// Argument: divergences of a fixed order add up under adaptive composition (Mironov 2017, Prop 1), so the ledger's is
// the sum of count * rdp_curve(alpha), for every alpha > 1. conversion.hpp turns each into (epsilon, delta), and the
// best order may be picked afterwards. An event with a reserved delta d has P = (1 - d) P' + d (anything), Q
// likewise, where the curve holds for (P', Q'); if the composed primed pair is (epsilon, t)-DP, the composed pair is
// (epsilon, t + sum of d)-DP, so the sum over all uses is taken from the target delta first. Sums are raised by a
// rounding for each entry.
// Test: tests/accounting/rdp_test.cpp

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

struct rdp_options {
  /// The orders to try; empty for the best real one.
  std::vector<double> orders = {};
  rdp_conversion conversion = rdp_conversion::exact;
  rdp_bounds bounds = rdp_bounds::smallest;
  /// Whether delta >= sqrt(1 - e^-rdp) gives epsilon = 0 at once (Bretagnolle and Huber); not needed with `exact`.
  bool shortcut = true;
};

/// Prices a ledger by Renyi differential privacy. Immutable; queries may run in parallel.
class rdp_accountant {
 public:
  /// A bound and the order that gave it.
  struct bound {
    double value;
    double order;
  };

  /// Throws std::invalid_argument if an order is not finite and above 1.
  explicit rdp_accountant(const ledger& book, rdp_options options = {})
      : rdp_accountant(detail::canonical_ledger(book), std::move(options)) {}
  explicit rdp_accountant(const detail::canonical_ledger& book, rdp_options options = {});

  /// The divergence of order alpha of the whole ledger, after setting reserved_delta() aside. Throws
  /// std::invalid_argument unless alpha > 1 and finite.
  double rdp(double alpha) const;

  /// The sum of the deltas that opaque (epsilon, delta) events set aside, over all uses; may exceed 1.
  double reserved_delta() const noexcept { return reserved_; }

  /// The epsilon of the ledger at `delta`; infinite if delta is 0 or does not exceed reserved_delta(), unless the
  /// ledger is empty. Throws std::invalid_argument if delta is outside [0, 1].
  double epsilon(double delta) const { return best_epsilon(delta).value; }

  /// The same with the order that gave it.
  bound best_epsilon(double delta) const;

  /// The smallest delta found for which the ledger is (epsilon, delta)-DP, at most 1. Throws std::invalid_argument if
  /// epsilon is negative or NaN.
  double delta(double epsilon) const { return detail::probability_above(log_delta(epsilon)); }

  /// Its logarithm, correct even where delta itself would underflow; minus infinity for an empty ledger.
  double log_delta(double epsilon) const { return best_log_delta(epsilon).value; }

  /// The same with the order that gave it.
  bound best_log_delta(double epsilon) const;

 private:
  struct counted_curve {
    rdp_curve one_use;
    double count;
  };

  /// The only place where a count meets a curve.
  double total(std::vector<counted_curve>& curves, double alpha) const;

  double lowest_order() const;

  /// The least of convert(order, divergence, rule) over the orders, at most `trivial`. The exact conversion costs more
  /// than a curve, so the search uses the smaller of the closed forms first, and the exact one only where it gains
  /// much. Divergences grow with the order, so an order with too_large(divergence, best) ends the search upwards.
  bound search(std::vector<counted_curve>& curves, double guess, double trivial,
               detail::function_ref<double(double, double, rdp_conversion)> convert,
               detail::function_ref<bool(double, double)> too_large) const;

  static bound smaller(const bound& a, const bound& b) { return b.value < a.value ? b : a; }

  rdp_options options_;
  std::vector<counted_curve> curves_;
  double reserved_ = 0;
  double rounding_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/rdp.ipp>
#endif

#endif

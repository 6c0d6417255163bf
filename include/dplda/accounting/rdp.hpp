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
#include <dplda/accounting/detail/order_search.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/rdp_curves.hpp>

#include <algorithm>
#include <cmath>
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
  explicit rdp_accountant(const detail::canonical_ledger& book, rdp_options options = {})
      : options_(std::move(options)), rounding_(16 + 2 * book.size()) {
    for (const double order : options_.orders) detail::check_order("rdp_accountant", order);
    for (const auto& [event, count] : book.uses()) {
      curves_.push_back({rdp_curve(event, options_.bounds), static_cast<double>(count)});
      reserved_ += curves_.back().count * curves_.back().one_use.reserved_delta();
    }
    if (reserved_ > 0) reserved_ = detail::raised(reserved_, rounding_);
  }

  /// The divergence of order alpha of the whole ledger, after setting reserved_delta() aside. Throws
  /// std::invalid_argument unless alpha > 1 and finite.
  double rdp(double alpha) const {
    detail::check_order("rdp_accountant::rdp", alpha);
    auto curves = curves_;
    return total(curves, alpha);
  }

  /// The sum of the deltas that opaque (epsilon, delta) events set aside, over all uses; may exceed 1.
  double reserved_delta() const noexcept { return reserved_; }

  /// The epsilon of the ledger at `delta`; infinite if delta is 0 or does not exceed reserved_delta(), unless the
  /// ledger is empty. Throws std::invalid_argument if delta is outside [0, 1].
  double epsilon(double delta) const { return best_epsilon(delta).value; }

  /// The same with the order that gave it.
  bound best_epsilon(double delta) const {
    detail::require_delta(delta, "rdp_accountant::epsilon");
    if (curves_.empty() || delta == 1) return {0, 2};
    const double left = reserved_ > 0 ? detail::lowered(delta - reserved_, 4) : delta;
    if (!(left > 0)) return {detail::infinite, 2};
    auto curves = curves_;
    if (options_.shortcut && left >= bretagnolle_huber_delta(total(curves, lowest_order()))) return {0, lowest_order()};
    const double rho = total(curves, 2) / 2;
    return search(
        curves, 1 + std::sqrt(-std::log(left) / rho), detail::infinite,
        [&](double alpha, double divergence, rdp_conversion rule) {
          return rdp_epsilon(alpha, divergence, left, rule);
        },
        [](double divergence, double best) { return divergence > best + 1; });
  }

  /// The smallest delta found for which the ledger is (epsilon, delta)-DP, at most 1. Throws std::invalid_argument if
  /// epsilon is negative or NaN.
  double delta(double epsilon) const { return detail::probability_above(log_delta(epsilon)); }

  /// Its logarithm, correct even where delta itself would underflow; minus infinity for an empty ledger.
  double log_delta(double epsilon) const { return best_log_delta(epsilon).value; }

  /// The same with the order that gave it.
  bound best_log_delta(double epsilon) const {
    detail::require_epsilon(epsilon, "rdp_accountant::log_delta");
    if (curves_.empty()) return {-detail::infinite, 2};
    if (reserved_ >= 1) return {0, 2};
    auto curves = curves_;
    const double rho = total(curves, 2) / 2;
    bound found = search(
        curves, 1 + std::max(0.01, (epsilon / rho - 1) / 2), 0,
        [&](double alpha, double divergence, rdp_conversion rule) {
          return rdp_log_delta(alpha, divergence, epsilon, rule);
        },
        [&](double divergence, double) { return divergence > epsilon + 1; });
    if (options_.shortcut) {
      const double at_zero = detail::log_above(bretagnolle_huber_delta(total(curves, lowest_order())));
      found = smaller(found, {at_zero, lowest_order()});
    }
    if (reserved_ > 0) {
      const double sum = detail::log_add(found.value, detail::log_above(reserved_));
      found.value = sum + 16 * detail::ulp * (1 + std::abs(sum));
    }
    found.value = std::min(0.0, found.value);
    return found;
  }

 private:
  struct counted_curve {
    rdp_curve one_use;
    double count;
  };

  /// The only place where a count meets a curve.
  double total(std::vector<counted_curve>& curves, double alpha) const {
    double sum = 0;
    for (counted_curve& curve : curves) sum += curve.count * curve.one_use(alpha);
    return sum == 0 ? 0 : detail::raised(sum, rounding_);
  }

  double lowest_order() const {
    return options_.orders.empty() ? 1 + 1e-6 : *std::min_element(options_.orders.begin(), options_.orders.end());
  }

  /// The least of convert(order, divergence, rule) over the orders, at most `trivial`. The exact conversion costs more
  /// than a curve, so the search uses the smaller of the closed forms first, and the exact one only where it gains
  /// much. Divergences grow with the order, so an order with too_large(divergence, best) ends the search upwards.
  template <class Convert, class Limit>
  bound search(std::vector<counted_curve>& curves, double guess, double trivial, const Convert& convert,
               const Limit& too_large) const {
    const rdp_conversion rule = options_.conversion;
    const auto closed = [&](double alpha) {
      const double divergence = total(curves, alpha);
      if (rule != rdp_conversion::exact) return convert(alpha, divergence, rule);
      return std::min(convert(alpha, divergence, rdp_conversion::improved),
                      convert(alpha, divergence, rdp_conversion::branch2));
    };
    const auto precise = [&](double alpha) { return convert(alpha, total(curves, alpha), rule); };
    if (!options_.orders.empty()) {
      bound best{trivial, options_.orders.front()};
      for (const double order : options_.orders) best = smaller(best, {precise(order), order});
      return best;
    }
    const bool piecewise =
        std::any_of(curves.begin(), curves.end(), [](const auto& c) { return c.one_use.piecewise(); });
    bound best{trivial, 2};
    if (piecewise) {
      for (const double order : detail::orders_of_sums()) {
        best = smaller(best, {closed(order), order});
        if (too_large(total(curves, order), best.value)) break;
      }
    }
    const double from = best.value < trivial ? best.order : std::min(guess, 1e15);
    const detail::order_minimum nearby = detail::minimise_over_orders(closed, from, trivial, 1.25, 60);
    best = smaller(best, {nearby.value, nearby.order});
    if (piecewise) {
      const double near = std::max(2.0, std::floor(best.order));
      for (double order = std::max(2.0, near - 3); order <= near + 4; ++order)
        best = smaller(best, {closed(order), order});
    }
    if (rule != rdp_conversion::exact) return best;
    const double before = best.value;
    best = smaller(best, {precise(best.order), best.order});
    // Beyond the last order of the sums, curves are much larger, so that order is often the best or close to it.
    if (piecewise && best.order > 2500) best = smaller(best, {precise(10000), 10000});
    if (before < detail::infinite && before - best.value > 1e-3 * std::abs(before)) {
      const detail::order_minimum finer = detail::minimise_over_orders(precise, best.order, trivial, 0.08, 8);
      best = smaller(best, {finer.value, finer.order});
    }
    return best;
  }

  static bound smaller(const bound& a, const bound& b) { return b.value < a.value ? b : a; }

  rdp_options options_;
  std::vector<counted_curve> curves_;
  double reserved_ = 0;
  double rounding_;
};

}  // namespace dplda::inline v0_1

#endif

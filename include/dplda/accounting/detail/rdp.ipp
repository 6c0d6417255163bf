// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_RDP_IPP
#define DPLDA_ACCOUNTING_DETAIL_RDP_IPP

// Bodies of accounting/rdp.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/order_search.hpp>
#include <dplda/accounting/rdp.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE rdp_accountant::rdp_accountant(const detail::canonical_ledger& book, rdp_options options)
    : options_(std::move(options)), rounding_(16 + 2 * book.size()) {
  for (const double order : options_.orders) detail::check_order("rdp_accountant", order);
  for (const auto& [event, count] : book.uses()) {
    curves_.push_back({rdp_curve(event, options_.bounds), static_cast<double>(count)});
    reserved_ += curves_.back().count * curves_.back().one_use.reserved_delta();
  }
  if (reserved_ > 0) reserved_ = detail::raised(reserved_, rounding_);
}

DPLDA_INLINE double rdp_accountant::rdp(double alpha) const {
  detail::check_order("rdp_accountant::rdp", alpha);
  auto curves = curves_;
  return total(curves, alpha);
}

DPLDA_INLINE rdp_accountant::bound rdp_accountant::best_epsilon(double delta) const {
  detail::require_delta(delta, "rdp_accountant::epsilon");
  if (curves_.empty() || delta == 1) return {0, 2};
  const double left = reserved_ > 0 ? detail::lowered(delta - reserved_, 4) : delta;
  if (!(left > 0)) return {detail::infinite, 2};
  auto curves = curves_;
  if (options_.shortcut && left >= bretagnolle_huber_delta(total(curves, lowest_order()))) return {0, lowest_order()};
  const double rho = total(curves, 2) / 2;
  return search(
      curves, 1 + std::sqrt(-std::log(left) / rho), detail::infinite,
      [&](double alpha, double divergence, rdp_conversion rule) { return rdp_epsilon(alpha, divergence, left, rule); },
      [](double divergence, double best) { return divergence > best + 1; });
}

DPLDA_INLINE rdp_accountant::bound rdp_accountant::best_log_delta(double epsilon) const {
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

DPLDA_INLINE double rdp_accountant::total(std::vector<counted_curve>& curves, double alpha) const {
  double sum = 0;
  for (counted_curve& curve : curves) sum += curve.count * curve.one_use(alpha);
  return sum == 0 ? 0 : detail::raised(sum, rounding_);
}

DPLDA_INLINE double rdp_accountant::lowest_order() const {
  return options_.orders.empty() ? 1 + 1e-6 : *std::min_element(options_.orders.begin(), options_.orders.end());
}

DPLDA_INLINE rdp_accountant::bound rdp_accountant::search(
    std::vector<counted_curve>& curves, double guess, double trivial,
    detail::function_ref<double(double, double, rdp_conversion)> convert,
    detail::function_ref<bool(double, double)> too_large) const {
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
  const bool piecewise = std::any_of(curves.begin(), curves.end(), [](const auto& c) { return c.one_use.piecewise(); });
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

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_FILTER_IPP
#define DPLDA_ACCOUNTING_DETAIL_FILTER_IPP

// Bodies of accounting/filter.hpp, which has their claim, argument and test.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/gdp.hpp>
#include <dplda/accounting/detail/guarantee_of.hpp>
#include <dplda/accounting/detail/order_search.hpp>
#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/rdp.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

/// The delta that remains for a filter's other events if opaque ones may use up `reserved`, rounded down.
inline double delta_beside(double delta, double reserved) {
  return reserved > 0 ? lowered((delta - reserved) / (1 - reserved), 8) : delta;
}

}  // namespace detail

DPLDA_INLINE double filter_order(const ledger& plan, const budget& total, double reserved_delta) {
  const char* const function = "filter_order";
  detail::require(total.epsilon > 0 && total.epsilon < detail::infinite, function, "epsilon", total.epsilon,
                  "must be positive and finite");
  detail::require(total.delta > 0 && total.delta < 1, function, "delta", total.delta, "must lie in (0, 1)");
  detail::require(reserved_delta >= 0 && reserved_delta < total.delta, function, "reserved_delta", reserved_delta,
                  "must be at least 0 and below delta");
  detail::require(!plan.empty(), function, "plan", "empty", "must hold an event");
  const double left = detail::delta_beside(total.delta, reserved_delta);
  const rdp_accountant planned(plan);
  const auto share = [&](double alpha) {
    const double allowed = rdp_budget(alpha, total.epsilon, left, rdp_conversion::exact);
    return allowed > 0 ? planned.rdp(alpha) / allowed : detail::infinite;
  };
  const double guess = 1 - 2 * std::log(left) / total.epsilon;
  return detail::minimise_over_orders(share, guess, detail::infinite, 1.25, 12).order;
}

DPLDA_INLINE privacy_filter::privacy_filter(const budget& total, const filter_options& options)
    : total_(total), options_(resolved(total, options)), curves_({order()}) {
  noise_delta_ = detail::delta_beside(total.delta, options_.reserved_delta);
  if (options_.rule == filter_rule::gaussian) {
    const double z = gaussian_multiplier(total.epsilon, noise_delta_);
    allowed_ = detail::lowered(1 / (z * z));
  } else {
    allowed_ = rdp_budget(order(), total.epsilon, noise_delta_, rdp_conversion::exact);
  }
}

DPLDA_INLINE bool privacy_filter::spend(const privacy_event& event, std::uint64_t count) {
  const sums after = added(sums_, detail::checked(event), count);
  if (count > 0 && !within(after)) return false;
  book_.record(event, count);
  sums_ = after;
  return true;
}

DPLDA_INLINE bool privacy_filter::spend(const ledger& plan) {
  const sums after = added(sums_, plan);
  if (!within(after)) return false;
  book_.append(plan);
  sums_ = after;
  return true;
}

DPLDA_INLINE void privacy_filter::count(const ledger& done) {
  const sums after = added(sums_, done);
  book_.append(done);
  sums_ = after;
}

DPLDA_INLINE filter_rest privacy_filter::left() const {
  const double reserve = detail::lowered(std::max(0.0, options_.reserved_delta - sums_.reserved.value()), 4);
  const double rest = within() ? detail::lowered(allowed_ - sums_.spent, 4) : 0;
  if (!(rest > 0)) return {0, noise_delta_, reserve};
  const double epsilon = options_.rule == filter_rule::gaussian
                             ? gaussian_epsilon(1 / std::sqrt(rest), noise_delta_)
                             : rdp_epsilon(order(), rest, noise_delta_, rdp_conversion::exact);
  return {detail::lowered(epsilon, 1e4), noise_delta_, reserve};
}

DPLDA_INLINE guarantee privacy_filter::promise() const {
  const bool gaussian = options_.rule == filter_rule::gaussian;
  const double epsilon = within() ? total_.epsilon : detail::infinite;
  return detail::guarantee_of(book_, epsilon, total_.delta, gaussian ? accountant::gaussian : accountant::rdp);
}

DPLDA_INLINE filter_options privacy_filter::resolved(const budget& total, filter_options options) {
  ledger gaussian;
  gaussian.record({.noise = gaussian_noise{1}});
  const double best = filter_order(gaussian, total, options.reserved_delta);  // checks the budget as well
  if (options.rule == filter_rule::gaussian) {
    detail::require(!options.order, "privacy_filter", "order", options.order.value_or(0),
                    "belongs to the Renyi rule; leave it out with filter_rule::gaussian");
    return options;
  }
  if (options.order) detail::check_order("privacy_filter", *options.order);
  options.order = options.order.value_or(best);
  return options;
}

DPLDA_INLINE privacy_filter::sums privacy_filter::added(sums s, const detail::canonical_event& event,
                                                        std::uint64_t count) {
  double cost = 0, reserved = 0;
  if (options_.rule == filter_rule::gaussian) {
    const detail::gdp_price price = detail::gdp_cost(event.noise);
    cost = price.mu_squared;
    reserved = price.reserved_delta;
  } else {
    const auto& values = curves_.of(event);
    cost = values.divergences.front();
    reserved = values.reserved_delta;
  }
  const auto uses = static_cast<double>(count);
  s.spent = detail::raised_sum(s.spent, uses, cost);
  s.reserved.add(uses, reserved);
  return s;
}

DPLDA_INLINE privacy_filter::sums privacy_filter::added(sums s, const ledger& plan) {
  for (const auto& [event, count] : plan.entries()) s = added(s, detail::canonical_event(event), count);
  return s;
}

}  // namespace dplda::inline v0_1

#endif

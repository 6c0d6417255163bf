// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ODOMETER_IPP
#define DPLDA_ACCOUNTING_DETAIL_ODOMETER_IPP

// Bodies of accounting/odometer.hpp, which has their claim, argument and test.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/odometer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE const curve_cache::values& curve_cache::of(const canonical_event& event) {
  const event_key key = key_of(event);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  rdp_curve curve(event);
  const bool whole = std::holds_alternative<all_units>(event.sampling);
  values found{{}, whole ? delta_of(event.noise) : curve.reserved_delta()};
  for (const double order : orders_) found.divergences.push_back(curve(order));
  return known_.emplace(key, std::move(found)).first->second;
}

DPLDA_INLINE double raised_sum(double sum, double count, double value) {
  return value == 0 ? sum : raised(sum + count * value, 3);
}

}  // namespace detail

DPLDA_INLINE std::vector<double> odometer_orders() {
  std::vector<double> orders;
  for (int j = -48; j <= 120; ++j) orders.push_back(1 + std::exp2(j / 8.0));
  return orders;
}

DPLDA_INLINE odometer::odometer(std::vector<double> orders) : curves_(std::move(orders)) {
  detail::require(!curves_.orders().empty(), "odometer", "number of orders", 0, "must be at least 1");
  for (const double order : curves_.orders()) detail::check_order("odometer", order);
  totals_.assign(curves_.orders().size(), 0.0);
}

DPLDA_INLINE void odometer::spend(const privacy_event& event, std::uint64_t count) {
  const auto& [divergences, reserved] = curves_.of(detail::checked(event));
  book_.record(event, count);
  const auto uses = static_cast<double>(count);
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] = detail::raised_sum(totals_[i], uses, divergences[i]);
  reserved_.add(uses, reserved);
  ++spends_;
}

DPLDA_INLINE double odometer::epsilon(double delta) const {
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

}  // namespace dplda::inline v0_1

#endif

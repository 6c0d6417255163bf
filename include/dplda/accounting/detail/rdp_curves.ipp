// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_RDP_CURVES_IPP
#define DPLDA_ACCOUNTING_DETAIL_RDP_CURVES_IPP

// Bodies of accounting/rdp_curves.hpp, which has their claim, argument and test.

#include <dplda/accounting/rdp_curves.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE double rdp_curve::operator()(double alpha) {
  detail::check_order("rdp_curve", alpha);
  return std::visit([&](auto& curve) { return curve(alpha); }, curve_);
}

DPLDA_INLINE double rdp_curve::reserved_delta() const noexcept {
  return std::visit([](const auto& curve) { return curve.reserved_delta(); }, curve_);
}

DPLDA_INLINE bool rdp_curve::piecewise() const noexcept {
  return std::visit([](const auto& curve) { return curve.piecewise(); }, curve_);
}

DPLDA_INLINE rdp_curve::any_curve rdp_curve::curve_of(const detail::canonical_event& event, rdp_bounds bounds) {
  return std::visit(
      [&]<class Mechanism>(const Mechanism& noise) {
        return any_curve(detail::mechanism_curve<Mechanism>(noise, event, bounds == rdp_bounds::published));
      },
      event.noise);
}

}  // namespace dplda::inline v0_1

#endif

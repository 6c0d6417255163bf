// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_CURVE_HPP
#define DPLDA_REPORT_CURVE_HPP

#include <dplda/accounting/trade_off.hpp>

#include <string>

namespace dplda::inline v0_1 {

/// A privacy curve as an SVG picture: delta at each epsilon, and the share of units that a test misses at each share of
/// false alarms. Upper and lower bounds are drawn; where they differ visibly, there are two lines.
std::string curve_svg(const trade_off_curve& curve);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/report/detail/curve.ipp>
#endif

#endif

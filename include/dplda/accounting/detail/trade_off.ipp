// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_TRADE_OFF_IPP
#define DPLDA_ACCOUNTING_DETAIL_TRADE_OFF_IPP

// Bodies of accounting/trade_off.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/trade_off.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// Where the curve ends: e^epsilon must not overflow, and beyond this nothing is of use.
inline double end_of_curve(composed_loss& loss, double least_delta) {
  for (const double delta : {least_delta, std::min(1.0, least_delta + 1.01 * loss.delta(infinite).upper)}) {
    const double epsilon = loss.epsilon(delta).upper;
    if (epsilon == 0) return 1;
    if (std::isfinite(epsilon)) return std::min(epsilon, 600.0);
  }
  return 30;
}

/// A lower bound on delta between two points that is linear in t = e^epsilon: value at a t, and slope.
struct line_below {
  double t = 0, value = -infinite, slope = 0;
  double at(double x) const { return value + slope * (x - t); }
};

/// The continuation of the chord from `far` to `near`, beyond `near`.
inline line_below continuation(const curve_point& far, const curve_point& near) {
  const double t = std::exp(near.epsilon);
  return {t, near.delta.lower, (near.delta.lower - far.delta.upper) / (t - std::exp(far.epsilon))};
}

/// The largest values between two points of 1 - delta(t) - t a, and of (1 - delta(t) - a) / t.
inline double highest_line(const line_below& left, const line_below& right, double from, double to, double least_delta,
                           double alarms) {
  double straight = -infinite, mirrored = -infinite;
  const auto consider = [&](double t) {
    const double delta = std::max(left.at(t), right.at(t));
    straight = std::max(straight, 1 - delta - t * alarms);
    mirrored = std::max(mirrored, (1 - delta - alarms) / t);
  };
  consider(from);
  consider(to);
  const double slopes = left.slope - right.slope;
  const double crossing = (right.at(from) - left.at(from)) / slopes + from;
  if (crossing > from && crossing < to) consider(crossing);
  return std::max(std::min(straight, 1 - least_delta - from * alarms),
                  std::min(mirrored, std::max(0.0, 1 - least_delta - alarms) / from));
}

}  // namespace detail

DPLDA_INLINE trade_off_curve::trade_off_curve(composed_loss& loss, std::size_t points, double least_delta) {
  const char* const function = "trade_off_curve";
  detail::require(points >= 2 && points <= 100000, function, "points", points, "must lie in [2, 100000]");
  detail::require(least_delta > 0 && least_delta < 1, function, "least_delta", least_delta, "must lie in (0, 1)");
  const double end = detail::end_of_curve(loss, least_delta);
  std::vector<double> epsilons(points);
  for (std::size_t i = 0; i < points; ++i)
    epsilons[i] = end * (static_cast<double>(i) / static_cast<double>(points - 1));
  // The end was found exactly. So is a point in the middle; the rest is read from the same runs.
  loss.epsilon(std::min(0.5, 1e3 * std::sqrt(least_delta)));
  const std::vector<certified_bounds> deltas = loss.deltas(epsilons);
  for (std::size_t i = 0; i < points; ++i) points_.push_back({epsilons[i], deltas[i]});
  // delta decreases: each bound is also one at all points before, or after.
  for (std::size_t i = 1; i < points; ++i)
    points_[i].delta.upper = std::min(points_[i].delta.upper, points_[i - 1].delta.upper);
  for (std::size_t i = points - 1; i > 0; --i)
    points_[i - 1].delta.lower = std::max(points_[i - 1].delta.lower, points_[i].delta.lower);
}

DPLDA_INLINE certified_bounds trade_off_curve::missed(double false_alarms) const {
  detail::require_delta(false_alarms, "trade_off_curve::missed");
  const double a = false_alarms, margin = 64 * detail::libm * detail::ulp;
  double below = 0, above = 0;
  for (const curve_point& point : points_) {
    const double t = std::exp(point.epsilon), rest = 1 - point.delta.upper;
    below = std::max({below, rest - t * a - margin * (1 + t * a), (rest - a) / t - margin});
  }
  const std::size_t last = points_.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const double from = std::exp(points_[i].epsilon), to = std::exp(points_[i + 1].epsilon);
    // The slope of delta in t is at least -1, and at most 0.
    const detail::line_below left =
        i > 0 ? detail::continuation(points_[i - 1], points_[i]) : detail::line_below{from, points_[i].delta.lower, -1};
    const detail::line_below right = i + 1 < last ? detail::continuation(points_[i + 2], points_[i + 1])
                                                  : detail::line_below{to, points_[i + 1].delta.lower, 0};
    const double line = detail::highest_line(left, right, from, to, points_[i + 1].delta.lower, a);
    above = std::max(above, line + margin * (1 + to * a));
  }
  const double end = std::exp(points_[last].epsilon);
  above = std::max({above, 1 - end * a, (1 - a) / end}) + margin;
  above = std::min(above, 1 - a);
  return {std::min(below, above), above};
}

DPLDA_INLINE double trade_off_curve::believed(double prior, double exception) const {
  detail::require_delta(prior, "trade_off_curve::believed", "prior");
  detail::require(exception > 0 && exception <= 1, "trade_off_curve::believed", "exception", exception,
                  "must lie in (0, 1]");
  double loss = detail::infinite;
  for (const curve_point& point : points_) {
    const double share = detail::raised(point.delta.upper / exception);
    if (share < 1) loss = std::min(loss, detail::raised(point.epsilon) + detail::raised(-std::log1p(-share)));
  }
  if (prior == 0 || prior == 1 || loss == detail::infinite) return prior == 0 ? 0 : 1;
  // p e^x / (1 - p + p e^x) = 1 / (1 + (1 - p)/p e^-x).
  return std::min(1.0, detail::raised(1 / (1 + (1 - prior) / prior * std::exp(-loss)), 4 * detail::libm + loss));
}

DPLDA_INLINE gaussian_fit trade_off_curve::gaussian() const {
  double least = detail::infinite, most = 0;
  for (const auto& [epsilon, delta] : points_) {
    if (delta.upper > 0.99 || delta.upper < 1e-300) continue;
    const double lower = delta.lower > 0 ? 1 / gaussian_multiplier(epsilon, delta.lower) : 0;
    least = std::min(least, lower);
    most = std::max(most, 1 / gaussian_multiplier(epsilon, delta.upper));
  }
  if (!(least <= most))
    return points_.front().delta.upper > 0.99 ? gaussian_fit{detail::infinite, 0} : gaussian_fit{0, 0};
  return {(least + most) / 2, (most - least) / 2};
}

DPLDA_INLINE certified_bounds right_guess(composed_loss& loss, double prior) {
  detail::require_delta(prior, "right_guess", "prior");
  const double p = std::min(prior, 1 - prior);
  if (p == 0) return {1, 1};
  const double epsilon = std::log((1 - p) / p), margin = 4 * detail::libm * detail::ulp * (1 + epsilon);
  const double most = loss.delta(std::max(0.0, epsilon - margin)).upper, least = loss.delta(epsilon + margin).lower;
  const double above = std::min(1.0, detail::raised((1 - p) + p * most));
  return {std::min(std::max(1 - p, detail::lowered((1 - p) + p * least)), above), above};
}

}  // namespace dplda::inline v0_1

#endif

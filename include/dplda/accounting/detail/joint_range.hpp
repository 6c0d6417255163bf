// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_JOINT_RANGE_HPP
#define DPLDA_ACCOUNTING_DETAIL_JOINT_RANGE_HPP

#include <dplda/accounting/detail/safe_side.hpp>

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dplda::inline v0_1::detail {

/// log(r^a - 1 - a (r - 1)) for r >= 0, given u = r - 1 and log r, without cancellation.
inline double log_convex_power(double alpha, double u, double log_r) {
  const double order = alpha - 1;
  if (std::abs(u) <= 0.25 && alpha * std::abs(u) <= 0.5) {
    double term = alpha * order / 2 * u * u, sum = term;
    for (int j = 2; std::abs(term) > ulp / 16 * sum && j < 200; ++j) sum += term *= (alpha - j) * u / (j + 1);
    return std::log(sum);
  }
  if (u < 0) return std::log((1 + u) * std::expm1(order * log_r) - order * u);
  // r (e^s - 1 - (a - 1)(1 - 1/r)), s = (a - 1) log r
  const double s = order * log_r, rest = -order * std::expm1(-log_r);
  return log_r + (s > 1 ? s + std::log1p(-(1 + rest) * std::exp(-s)) : std::log(std::expm1(s) - rest));
}

/// The least Renyi divergence of order a between two-point laws (p, 1 - p) and (q, 1 - q) with p = delta + e^epsilon q,
/// rounded down; a > 1, epsilon >= 0 finite, 0 < delta < 1.
///
/// The divergence is log1p(F)/(a - 1), F(q) = q f(p/q) + (1 - q) f((1-p)/(1-q)), f(r) = r^a - 1 - a(r - 1): all terms
/// positive, and convex in q. Its minimum lies above q_0 = (a - 1) delta e^-epsilon, where p/q minimises the first term
/// alone, or at p = 1. Convexity bounds the minimum from below by three values around it: on each side of the middle
/// point, F lies above the line through the other two. The rounding of log F is at
/// most `noise`: log q errs by libm ulps of its terms; log r by 2 libm + 2 ulps of itself, which counts alpha times;
/// f by at most 10 (2 libm) ulps, where its parts nearly cancel, or by |log r| <= 37 times the ulps of p and q; all
/// within 3 libm times what is added up there.
inline double least_binary_divergence(double alpha, double epsilon, double delta) {
  const double order = alpha - 1, at_one = epsilon - std::log1p(-delta);
  const double log_order = std::log(order), log_delta = std::log(delta), log_q0 = log_order + log_delta - epsilon;
  const double width = std::log1p(-delta) - epsilon - log_q0;
  if (!(width > 0)) return lowered(at_one);
  const auto log_f = [&](double y) {
    const double log_q = std::min(log_q0 + y, -at_one), q = std::exp(log_q), scaled = std::exp(-y) / order;
    const double log_r1 = epsilon + std::log1p(scaled);
    const double u1 = epsilon < 1 ? std::expm1(epsilon) + std::exp(epsilon) * scaled : std::expm1(log_r1);
    const double not_q = -std::expm1(log_q);
    const double moved = delta + (epsilon < 1 ? q * std::expm1(epsilon) : std::exp(log_q + epsilon) - q);
    const double u2 = std::max(-1.0, -moved / not_q);
    return log_add(log_q + log_convex_power(alpha, u1, log_r1),
                   std::log(not_q) + log_convex_power(alpha, u2, std::log1p(u2)));
  };
  double y = boost::math::tools::brent_find_minima(log_f, 0.0, width, 26).first, middle = log_f(y);
  if (constexpr double probe = 1e-4; y > probe && y < width - probe) {
    // The vertex of a parabola is closer than the search can get, which compares values that differ only by rounding.
    const double before = log_f(y - probe), behind = log_f(y + probe), bend = before + behind - 2 * middle;
    const double vertex = y + probe * std::clamp((before - behind) / (2 * bend), -1.0, 1.0);
    if (bend > 0) middle = log_f(y = vertex);
  }
  const double noise =
      3 * libm * ulp * ((alpha + 4) * (epsilon + 8) + 4 * (std::abs(log_order) - log_delta + epsilon + width));
  double lowest = middle;
  // Near p = 1 the curvature grows without bound, so the points stay closer together.
  for (double spread = std::clamp(1e-3 * (width - y), 1e-9, 1e-6); spread < 1; spread *= 2) {
    const double left = y + std::log1p(-spread), right = std::min(width, y + std::log1p(spread));
    const double at_left = log_f(left), at_right = log_f(right);
    if (at_left >= middle && (at_right >= middle || right == width)) {
      // The line through the left and the middle point falls by this share up to the right one; and likewise back.
      const double rise = std::expm1(std::max(at_left, at_right) - middle) * (1 + 2 * spread);
      lowest = middle + std::log1p(-std::min(0.5, std::max(rise, 0.0) + 2 * noise));
      break;
    }
    y = at_left < middle ? left : right;
    middle = std::min(at_left, at_right);
    lowest = middle + std::log(0.5);
  }
  return lowered(std::min(at_one, softplus(lowest - noise) / order));
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ORDER_SEARCH_HPP
#define DPLDA_ACCOUNTING_DETAIL_ORDER_SEARCH_HPP

#include <dplda/accounting/detail/safe_side.hpp>

#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The smallest computed value of a function of the order, and its order.
struct order_minimum {
  double value = infinite;
  double order = 2;
};

/// Searches the minimum of f over the orders alpha > 1. Every value of f is a valid bound, so the end of the search
/// matters only for tightness. Bounds by RDP fall and then rise with alpha, because the log moment is convex. The
/// search walks from `guess` in steps of a factor e^step in alpha - 1, in both directions until two steps in a row gain
/// nothing, and then refines the best by at most `rounds` of Brent's method. Values of at least `trivial` (bounds that
/// say nothing) do not end the walk. The lowest order is 1 + 1e-9, the highest 1e15.
inline order_minimum minimise_over_orders(real_function f, double guess, double trivial, double step,
                                          std::uintmax_t rounds) {
  constexpr double lowest = -20.7, highest = 34.5;
  order_minimum best{trivial, 2};
  double best_t = lowest;
  const auto at = [&](double t) {
    const double order = 1 + std::exp(t), value = f(order);
    if (value < best.value) {
      best = {value, order};
      best_t = t;
    }
    return value;
  };
  const double start = std::clamp(std::log(guess - 1), lowest, highest);
  at(start);
  for (const double direction : {step, -step}) {
    int misses = 0;
    for (double t = start + direction; misses < 2 && t > lowest && t < highest; t += direction) {
      const double before = best.value;
      misses = at(t) < before || before >= trivial ? 0 : misses + 1;
    }
  }
  if (best.value >= trivial || best.value == -infinite) return best;
  boost::math::tools::brent_find_minima(at, best_t - step, best_t + step, 24, rounds);
  return best;
}

/// Orders to start from if curves are sums over integer orders up to 10000, joined by chords and cut off by other
/// bounds. Such bounds have many local minima, most of them at integers.
inline std::vector<double> orders_of_sums() {
  std::vector<double> orders;
  for (double beyond = 1e-9; beyond < 0.99; beyond *= beyond < 1e-3 ? 4 : 1.1) orders.push_back(1 + beyond);
  for (double order = 2; order < 10000; order = std::max(order + 1, std::floor(order * 1.1))) orders.push_back(order);
  for (double order = 10000; order <= 1e15; order *= 1.3) orders.push_back(order);
  return orders;
}

}  // namespace dplda::inline v0_1::detail

#endif

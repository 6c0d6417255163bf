// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_OWN_ANALYSIS_IPP
#define DPLDA_ACCOUNTING_DETAIL_OWN_ANALYSIS_IPP

// Bodies of accounting/own_analysis.hpp, which has their claim, argument and test.

#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/detail/compensated_sum.hpp>
#include <dplda/accounting/detail/renyi_moments.hpp>
#include <dplda/accounting/own_analysis.hpp>
#include <dplda/accounting/rdp_formulas.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE void number_list::append_bits(std::vector<std::uint64_t>& bits) const {
  bits.push_back(size());
  for (const double x : numbers()) bits.push_back(std::bit_cast<std::uint64_t>(x + 0.0));
}

namespace detail {

inline double sum_of(const number_list& list) {
  compensated_sum sum;
  for (const double x : list.numbers()) sum.add(x);
  return sum.value();
}

/// By how much n probabilities that a program divided by their sum may miss 1: each of their additions and divisions
/// rounds by half an ulp.
inline double sum_error(std::size_t n) { return (static_cast<double>(n) + 16) * ulp / 2; }

DPLDA_INLINE void check_pair(const dominating_pair& pair, const char* function) {
  constexpr std::size_t most = 100'000;
  require(pair.with.size() >= 1 && pair.with.size() <= most, function, "number of outcomes", pair.with.size(),
          text("must lie in [1, ", most, ']'));
  require(pair.with.size() == pair.without.size(), function, "number of outcomes without the unit", pair.without.size(),
          text("must be that with the unit, ", pair.with.size()));
  for (const number_list* law : {&pair.with, &pair.without}) {
    for (const double x : law->numbers())
      require(x == 0 || (x >= 1e-300 && x <= 2), function, "a probability", x,
              "must be 0, or at least 1e-300 and at most 1");
    const double sum = sum_of(*law);
    require(std::abs(sum - 1) <= sum_error(law->size()), function, "the sum of probabilities minus 1", sum - 1,
            "must be 0 but for rounding; a mass that was cut off needs an outcome that only this law has");
  }
}

DPLDA_INLINE void check_curve(const renyi_curve& curve, const char* function) {
  require(curve.orders.size() >= 1 && curve.orders.size() <= 100'000, function, "number of Renyi orders",
          curve.orders.size(), "must lie in [1, 100000]");
  require(curve.orders.size() == curve.divergences.size(), function, "number of Renyi divergences",
          curve.divergences.size(), text("must be that of the orders, ", curve.orders.size()));
  double last = 1;
  for (std::size_t i = 0; i < curve.orders.size(); ++i) {
    const double order = curve.orders[i], divergence = curve.divergences[i];
    require(order > last && order <= 1e15, function, "a Renyi order", order,
            "must exceed 1 and the order before it, and be at most 1e15");
    require(divergence >= 0 && divergence <= 1e300, function, "a Renyi divergence", divergence,
            "must lie in [0, 1e300]");
    last = order;
  }
}

DPLDA_INLINE bool is_mirror_image(const dominating_pair& pair) {
  std::vector<std::pair<double, double>> there, back;
  for (std::size_t i = 0; i < pair.with.size(); ++i) {
    there.emplace_back(pair.with[i], pair.without[i]);
    back.emplace_back(pair.without[i], pair.with[i]);
  }
  std::sort(there.begin(), there.end());
  std::sort(back.begin(), back.end());
  return there == back;
}

/// log(b / a), within libm + 2 ulps: close numbers are subtracted, which is exact.
inline double log_quotient(double b, double a) {
  return b > a / 2 && b < 2 * a ? std::log1p((b - a) / a) : std::log(b / a);
}

DPLDA_INLINE base_pair base_of(const dominating_pair& pair) {
  base_pair base{.y_error = own_pair_error, .symmetric = is_mirror_image(pair)};
  const double sum_a = sum_of(pair.without), sum_b = base.symmetric ? sum_a : sum_of(pair.with);
  const double shift = log_quotient(sum_b, sum_a);
  compensated_sum a_only, b_only, at_zero, variation;
  for (std::size_t i = 0; i < pair.with.size(); ++i) {
    const double b = pair.with[i] / sum_b, a = pair.without[i] / sum_a;
    if (b == 0) {
      a_only.add(a);
    } else if (a == 0) {
      b_only.add(b);
    } else {
      const double y = log_quotient(pair.with[i], pair.without[i]) - shift;
      base.atoms.push_back({y, std::log(a)});
      if (y == 0) at_zero.add(a);
    }
    variation.add(std::max(0.0, b - a));
  }
  base.a_only = a_only.value();
  base.b_only = b_only.value();
  base.at_zero = at_zero.value();
  // Each difference errs by up to 8 ulps of its two numbers.
  base.variation = std::min(1.0, variation.value() + own_pair_error);
  return base;
}

DPLDA_INLINE double largest_loss_of(const dominating_pair& pair) {
  double largest = 0;
  for (const auto& [y, log_a] : base_of(pair).atoms) largest = std::max(largest, std::abs(y));
  return largest > 0 ? raised(largest + own_pair_error) : 0;
}

DPLDA_INLINE double one_sided_mass(const dominating_pair& pair) {
  const base_pair base = base_of(pair);
  const double mass = std::max(base.a_only, base.b_only);
  return mass > 0 ? std::min(1 - 0x1p-53, raised(mass)) : 0;
}

DPLDA_INLINE double pair_log_moment(const dominating_pair& pair, double rate, double alpha) {
  const double delta = one_sided_mass(pair), b = alpha - 1;
  if (delta > 0) return two_answers_log_moment(worst_pure(largest_loss_of(pair)), rate, delta, b);
  positive_sum forward, backward;
  for (const auto& [y, log_a] : base_of(pair).atoms) {
    const double l = log_mixture(rate, y), size = std::abs(log_a) + std::abs(y) + (1 + b) * std::abs(l);
    forward.add(moment_excess(l, b), log_a, size);
    backward.add(moment_excess(-l, b), log_a + l, size + std::abs(l));
  }
  const double bound = (3 * libm + 16) * ulp;
  const double excess = std::max(forward.log_upper(bound), backward.log_upper(bound));
  return raised(softplus_above(excess) + 4 * alpha * own_pair_error);
}

DPLDA_INLINE double divergence_of(const renyi_curve& curve, double alpha) {
  const std::vector<double>&orders = curve.orders.numbers(), &divergences = curve.divergences.numbers();
  const auto above = std::lower_bound(orders.begin(), orders.end(), alpha);
  if (above == orders.end()) return infinite;
  const auto i = static_cast<std::size_t>(above - orders.begin());
  if (orders[i] == alpha || i == 0) return divergences[i];
  const double low = orders[i - 1], part = (alpha - low) / (orders[i] - low);
  const double chord = (1 - part) * (low - 1) * divergences[i - 1] + part * (orders[i] - 1) * divergences[i];
  return std::min(divergences[i], raised(raised(chord) / (alpha - 1)));
}

DPLDA_INLINE double epsilon_of(const renyi_curve& curve, double delta) {
  double least = infinite;
  for (std::size_t i = 0; i < curve.orders.size(); ++i)
    least = std::min(least, rdp_epsilon(curve.orders[i], curve.divergences[i], delta, rdp_conversion::exact));
  return least;
}

DPLDA_INLINE renyi_curve curve_for_group(const renyi_curve& curve, std::uint64_t size) {
  double links = 1, factor = 1;
  for (; links < static_cast<double>(size); links *= 2) factor *= 3;
  std::vector<double> orders, divergences;
  for (std::size_t i = 0; i < curve.orders.size(); ++i) {
    if (curve.orders[i] < 2 * links || !(curve.divergences[i] * factor < 1e299)) continue;
    orders.push_back(curve.orders[i] / links);
    divergences.push_back(curve.divergences[i] == 0 ? 0 : raised(curve.divergences[i] * factor));
  }
  return {std::move(orders), std::move(divergences)};
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

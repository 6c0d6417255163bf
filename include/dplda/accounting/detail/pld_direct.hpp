// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_DIRECT_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_DIRECT_HPP

// The sum of independent losses without a Fourier transform. A transform errs relative to the largest mass. Tilting
// helps where the sum is large because all losses are; where one rare loss makes it large (units sampled with tiny
// probability), no tilt brings delta above the noise. Products of masses are positive, so a sum of them errs relative
// to itself, and delta is known to its own relative accuracy however small it is.
//
// Errors, with masses untilted (theta = 0):
// - single losses: each mass is raised by its own error bound (from below: lowered), see `slack` in tilted_law.hpp.
// - sums: n terms and their products err by (n + 2) u of the result; the relative errors of factors add up. Products
//   that underflow lose less than 2^-1074 each; 1e-290 counts as infinite loss for all of them.
// - window: at each end, mass within a budget is cut off. From above, the right end counts as infinite loss (`cut`),
//   the left end as the smallest loss that is kept. From below, both are dropped. Any budget is valid.

#include <dplda/accounting/detail/pld_compose.hpp>
#include <dplda/accounting/detail/tilted_law.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// What a direct sum may cut off at the ends, and the most points it may keep.
struct direct_limits {
  double right, left;
  std::size_t points;
};

/// The masses of a sum of losses; `relative` bounds the error of each.
struct direct_law {
  std::int64_t first = 0;
  std::vector<double> mass = {};
  double cut = 0, relative = 0;

  direct_law(const tilted_law& law, bool upper) : first(law.first), mass(law.mass) {
    for (std::size_t i = 0; i < mass.size(); ++i)
      mass[i] = std::exp(law.scale) * (upper ? mass[i] + law.slack[i] : std::max(0.0, mass[i] - law.slack[i]));
    // The scale, twice as a logarithm, and the roundings here and in normalise.
    relative = (4 * libm + 16 + (2 * libm + 4) * std::abs(law.scale)) * ulp;
  }

  direct_law(const direct_law& a, const direct_law& b)
      : first(a.first + b.first), mass(a.mass.size() + b.mass.size() - 1), cut((a.cut + b.cut) * (1 + 1e-9)) {
    const direct_law &longer = a.mass.size() < b.mass.size() ? b : a, &shorter = &longer == &a ? b : a;
    const std::size_t size = longer.mass.size();
    for (std::size_t i = 0; i < shorter.mass.size(); ++i) {
      const double factor = shorter.mass[i];
      if (factor == 0) continue;
      double* to = mass.data() + i;
      const double* from = longer.mass.data();
      for (std::size_t j = 0; j < size; ++j) to[j] += factor * from[j];
    }
    const double terms = static_cast<double>(shorter.mass.size());
    relative = (a.relative + b.relative) * (1 + a.relative) + (terms + 4) * ulp;
  }

  void trim(double right, double left, bool upper) {
    double beyond = 0, before = 0;
    std::size_t end = mass.size(), begin = 0;
    while (end > 1 && beyond + mass[end - 1] <= right) beyond += mass[--end];
    while (begin + 1 < end && before + mass[begin] <= left) before += mass[begin++];
    mass.resize(end);
    mass.erase(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(begin));
    first += static_cast<std::int64_t>(begin);
    if (!upper) return;
    const double size = 1 + relative + static_cast<double>(end + begin) * ulp + 1e-12;
    cut += beyond * size;
    mass.front() += before * size;
  }
};

/// The sum of all laws, each taken `count` times, or nothing if it needs more points.
inline std::optional<direct_law> direct_sum(std::span<const repeated_law> laws, const direct_limits& limits,
                                            bool upper) {
  double uses = 0;
  for (const repeated_law& r : laws) uses += r.count;
  const auto joined = [&](const direct_law& a, const direct_law& b, double share) -> std::optional<direct_law> {
    if (a.mass.size() + b.mass.size() > 2 * limits.points) return std::nullopt;
    direct_law both(a, b);
    both.trim(limits.right * share / uses, limits.left * share / uses, upper);
    return both;
  };
  std::optional<direct_law> all;
  double share = 0;
  for (const auto& [law, count] : laws) {
    direct_law one(*law, upper);
    one.trim(limits.right / uses, limits.left / uses, upper);
    std::optional<direct_law> power = one;
    const auto times = static_cast<std::uint64_t>(count);
    double done = 1;
    for (int bit = static_cast<int>(std::bit_width(times)) - 2; bit >= 0 && power; --bit) {
      done *= 2;
      power = joined(*power, *power, done);
      if (power && ((times >> bit) & 1) != 0) power = joined(*power, one, done += 1);
    }
    if (!power) return std::nullopt;
    share += count;
    all = all ? joined(*all, *power, share) : std::move(power);
    if (!all) return std::nullopt;
  }
  if (all->mass.size() > limits.points || !(all->relative < 1e-3)) return std::nullopt;
  if (upper) all->cut += 1e-290;
  for (double& mass : all->mass) mass *= upper ? 1 + 2 * all->relative : 1 - 2 * all->relative;
  return all;
}

}  // namespace dplda::inline v0_1::detail

#endif

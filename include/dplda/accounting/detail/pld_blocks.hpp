// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_BLOCKS_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_BLOCKS_HPP

// Blocks of many equal losses on a coarser lattice. The lattice must be fine compared with the spread of a single loss,
// and the window wide compared with the spread of the sum; for k losses the ratio grows as sqrt(k). So c^2 losses are
// composed first, on the fine lattice, and the block is put on a lattice c times as coarse, by the same rules as single
// losses: from above each mass is split between the ends of its coarse cell, from below masses are joined. The errors
// of both lattices, k h^2 and (k / c^2) (c h)^2, are then equal.
//
// Errors: the error bounds of composition and all mass that may be aliased count as l1 error of the block. From above,
// mass to the right of its window (at most E e^{s (X - R)}) counts as infinite, and mass to the left as the window's
// beginning (at most E e^{s (L - X)} with s >= theta after the tilt). From below, masses that may be rounding noise are
// dropped. Splitting a mass between the ends of a cell raises E e^{s X} by at most the factor of log_split_moment, so
// Chernoff's bounds of blocks from above follow from those of single losses; from below they are computed anew.

#include <dplda/accounting/detail/pld_compose.hpp>
#include <dplda/accounting/detail/pld_join.hpp>
#include <dplda/accounting/detail/pld_lattice.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dplda::inline v0_1::detail {

/// log of sum mass e^{s loss}, rounded up; infinite if it cannot be computed in doubles. The errors of the masses are
/// relative to the masses or their neighbours, and below 1e-12 or a hundred times their mean.
inline double log_moment(const tilted_law& law, double step, double s, double theta) {
  const auto exponent = [&](std::size_t i) {
    return s * (law.offset + step * static_cast<double>(law.first + static_cast<std::int64_t>(i)));
  };
  const double margin = (std::abs(s) + 1 + theta) * step, next = std::exp(s * step);
  if (margin > 20) return infinite;
  constexpr std::size_t stride = 64;
  double largest = -infinite;
  for (std::size_t i = 0; i < law.mass.size(); i += stride)
    if (law.mass[i] > 0) largest = std::max(largest, std::log(law.mass[i]) + exponent(i));
  if (largest == -infinite) largest = std::max(exponent(0), exponent(law.mass.size() - 1));
  double total = 0;
  for (std::size_t start = 0; start < law.mass.size(); start += stride) {
    const std::size_t end = std::min(start + stride, law.mass.size());
    const double here = exponent(start) - largest, there = exponent(end - 1) - largest;
    if (std::max(here, there) < -745) continue;  // less than what is added below
    if (std::max(std::abs(here), std::abs(there)) < 600) {
      double factor = std::exp(here);
      for (std::size_t i = start; i < end; ++i, factor *= next)
        total += (law.mass[i] > 0 ? law.mass[i] + law.bin_error : 0.0) * factor;
    } else {
      for (std::size_t i = start; i < end; ++i)
        if (law.mass[i] > 0) total += std::exp(std::log(law.mass[i] + law.bin_error) + exponent(i) - largest);
    }
  }
  // Masses that underflowed are below 1e-307.
  const double lost = std::exp(std::max(exponent(0), exponent(law.mass.size() - 1)) - largest - 690) + 1e-300;
  const double relative = 1e-12 + 100 * law.error;
  return largest + std::log(total * (1 + relative * (1 + std::exp(margin))) + lost);
}

/// exp, but never infinite, so that 0 times it is 0.
inline double bounded_exp(double x) { return std::exp(std::min(x, 690.0)); }

/// A window for a sum: on each side of it lies at most e^log_tail of the tilted law, by Chernoff's bounds at these
/// exponents.
struct chernoff_window {
  double left_exponent, right_exponent, log_tail;

  /// The ends, from the logarithms of E e^{s X} at the right exponent and at minus the left one.
  double left(double log_left) const { return (log_tail - log_left) / left_exponent; }
  double right(double log_right) const { return (log_right - log_tail) / right_exponent; }

  /// The same on a lattice, with exponents small enough that e^{s x} does not change too much from point to point.
  chernoff_window on(double step) const {
    return {std::min(left_exponent, 8 / step), std::min(right_exponent, 8 / step), log_tail};
  }
};

/// A count as a number of blocks of a size near the wanted one, and a smaller block for the rest, which is avoided if
/// possible.
struct block_division {
  double blocks, size, rest;
};
inline block_division divided(double count, double wanted) {
  const double least = std::floor(count / wanted);
  if (least == 0) return {0, 0, count};
  for (double blocks = least; blocks < 1.25 * least && blocks < least + 4096; ++blocks)
    if (std::fmod(count, blocks) == 0) return {blocks, count / blocks, 0};
  return {least, wanted, count - least * wanted};
}

/// The largest factor by which splitting masses between the ends of cells raises sum mass e^{s loss}, as a logarithm.
inline double log_split_moment(double step, double theta, std::int64_t factor, double s) {
  const double width = step * static_cast<double>(factor), whole = std::expm1(width), power = 1 + theta + s;
  double largest = 1;
  for (std::int64_t d = 0; d < factor; ++d) {
    const double x = step * static_cast<double>(d), w = std::expm1(x) / whole;
    largest = std::max(largest, (1 - w) * std::exp(-power * x) + w * std::exp(power * (width - x)));
  }
  return std::log(largest) + 1e-12;  // with a margin for the tail that a block moves to its beginning
}

/// A law on a lattice `factor` times as coarse.
inline tilted_law coarsened(const tilted_law& fine, double step, double theta, std::int64_t factor, bool upper) {
  const auto floor_of = [factor](std::int64_t j) { return j >= 0 ? j / factor : -((-j + factor - 1) / factor); };
  const std::int64_t first = floor_of(fine.first);
  const std::int64_t last = floor_of(fine.first + static_cast<std::int64_t>(fine.mass.size()) - 1);
  tilted_law coarse;
  coarse.cover(first - 1, last + 2);
  coarse.offset = fine.offset;
  coarse.scale = fine.scale;
  coarse.infinite_mass = fine.infinite_mass;
  coarse.loss_error = fine.loss_error;
  coarse.bin_error =
      3 * static_cast<double>(factor) * fine.bin_error * std::exp((1 + theta) * step * static_cast<double>(factor));
  const double power = 1 + theta, width = step * static_cast<double>(factor);
  const auto size = static_cast<std::size_t>(factor);
  std::vector<half_cell> weights(size);  // of a mass at distance d h from the lower end
  for (std::size_t d = 0; d < size; ++d) {
    const double x = step * static_cast<double>(d);
    weights[d].from_low = std::exp(-power * x);
    weights[d].from_high = std::exp(power * (width - x));
    weights[d].beyond = weights[d].from_low * std::expm1(x);
    weights[d].short_of = weights[d].from_high * -std::expm1(x - width);
  }
  const double whole = std::expm1(width);
  std::vector<halved_cell> cells(static_cast<std::size_t>(last - first + 1));
  double total = 0;
  for (std::size_t i = 0; i < fine.mass.size(); ++i) {
    const double mass = fine.mass[i];
    const std::int64_t j = fine.first + static_cast<std::int64_t>(i), cell = floor_of(j);
    const auto d = static_cast<std::size_t>(j - cell * factor);
    const half_cell& weight = weights[d];
    if (upper) {
      const double w = std::expm1(step * static_cast<double>(d)) / whole;
      coarse.at(cell) += mass * (1 - w) * weight.from_low;
      coarse.at(cell + 1) += mass * w * weight.from_high;
    } else {
      halved_cell& halved = cells[static_cast<std::size_t>(cell - first)];
      half_cell& half = 2 * d < size ? halved.low : halved.high;
      half.from_low += mass * weight.from_low;
      half.from_high += mass * weight.from_high;
      half.beyond += mass * weight.beyond;
      half.short_of += mass * weight.short_of;
    }
    total += mass;
  }
  if (!upper) {
    const joined_cells joined = join_cells(cells, width, theta, 1);
    coarse.mass = joined.mass;
    for (std::size_t i = 0; i < joined.mass.size(); ++i)
      coarse.credit(joined.lifted[i], joined.above[i],
                    theta * (coarse.offset + width * static_cast<double>(coarse.first + static_cast<std::int64_t>(i))));
    while (coarse.mass.size() > 1 && coarse.mass.back() == 0) coarse.mass.pop_back();
    const auto leading = std::find_if(coarse.mass.begin(), coarse.mass.end() - 1, [](double m) { return m != 0; });
    coarse.first += leading - coarse.mass.begin();
    coarse.mass.erase(coarse.mass.begin(), leading);
  }
  // Weights err by 12 libm u (up to six functions) and 8 u power c h, sums of c terms by c u, and joining triples this;
  // joined masses may lie one cell away. Errors of the fine masses grow as the masses do.
  double spread = 0;
  for (const double mass : coarse.mass) spread += mass;
  if (!upper) spread += total * std::exp(power * width);
  const double grown = upper ? std::exp(log_split_moment(step, theta, factor, 0)) : 3 * std::exp(power * width);
  coarse.error =
      fine.error * grown + 3 * 0x1p-53 * (12 * libm + 8 * power * width + static_cast<double>(factor)) * spread;
  coarse.loss_error +=
      0x1p-50 * (std::abs(coarse.offset) + width * static_cast<double>(std::max(std::abs(first), std::abs(last)) + 2));
  return coarse;
}

/// `count` losses of a law as one law on the same lattice, from one side; nothing if its window has more than
/// `max_points` points. From above, at most e^log_untilted of the law counts as infinite.
inline std::optional<tilted_law> block_of(const tilted_law& law, double count, double step, double theta,
                                          const chernoff_window& range, double log_untilted, bool upper,
                                          double max_points, real_fft_cache& ffts) {
  tilted_law block;
  block.offset = count * law.offset;
  block.scale = count * law.scale;
  block.loss_error = count * law.loss_error + 0x1p-52 * std::abs(block.offset);
  const double first = count * static_cast<double>(law.first),
               last = count * (static_cast<double>(law.first) + static_cast<double>(law.mass.size()) - 1);
  const double log_right = count * log_moment(law, step, range.right_exponent, theta) + 1e-9;
  const double log_left = count * log_moment(law, step, -range.left_exponent, theta) + 1e-9;
  const double right_end =
      std::max(range.right(log_right), (log_right + block.scale - log_untilted) / (range.right_exponent + theta));
  const double from = std::floor((range.left(log_left) - block.offset) / step),
               to = std::ceil((right_end - block.offset) / step);
  const double needed = std::max(4.0, std::min(to - from, last - first) + 1);
  if (!(needed <= max_points)) return std::nullopt;
  loss_window window{static_cast<std::int64_t>(first), std::bit_ceil(static_cast<std::size_t>(needed))};
  double left = 0, right = 0, log_infinite = -infinite;
  if (last - first > to - from) {
    const double points = static_cast<double>(window.size);
    window.first = static_cast<std::int64_t>(from - std::floor((points - needed) / 2));
    const double begin = block.offset + step * static_cast<double>(window.first), end = begin + step * (points - 1);
    right = bounded_exp(log_right - range.right_exponent * end);
    log_infinite = log_right - range.right_exponent * end + block.scale - theta * end + 1e-9;
    left = bounded_exp(log_left + range.left_exponent * begin);
  }
  const repeated_law repeated{&law, count};
  const composed_law composed = compose({&repeated, 1}, window, ffts.of(window.size));
  block.first = window.first;
  block.mass = composed.mass;
  block.error = composed.l1_error + left + right;
  block.bin_error = composed.error + left + right;
  if (!(block.error < 1e200)) return std::nullopt;
  // From below, masses that may be rounding noise are dropped; from above they cost only their own size.
  for (double& mass : block.mass) mass = mass > (upper ? 0 : 2 * block.bin_error) ? mass : 0.0;
  block.infinite_mass = -std::expm1(count * std::log1p(-std::min(1.0, law.infinite_mass)));
  if (upper) {
    block.mass.front() += left;
    block.infinite_mass = std::min(1.0, raised(block.infinite_mass) + bounded_exp(log_infinite));
  } else {
    block.infinite_mass = lowered(block.infinite_mass);
  }
  return block;
}

}  // namespace dplda::inline v0_1::detail

#endif

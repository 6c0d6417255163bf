// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_JOIN_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_JOIN_HPP

// Loss distributions on a lattice from below.
//
// Joining outcomes is post-processing, so it lowers the hockey-stick curve. Join all outcomes with a loss within half a
// cell of x_i to (P_i, Q_i). The joint loss is not on the lattice yet: g_i = P_i - e^{x_i} Q_i is not 0. If g_i > 0,
// join the outcome with that part of the lattice outcome x_{i-1} (if g_i < 0, of x_{i+1}) which makes the quotient
// e^{x_i}: Q mass g_i / (e^{x_i} - e^{x_{i-1}}). All at once: the curve of the result is the line through the points
// min(T_{i-1}, T_i)(e^{x_i}), where T_i is the tangent of the true curve at the middle of the cell [x_i, x_{i+1}]; so
// it lies below the true one, and it is the curve of a pair if no lattice outcome gives more than it has. Where the
// density is steep and this fails, a part of the outcomes on the heavy side of x_i is joined to the other end of their
// cell instead. Where even this fails (at the outermost points), losses are moved down to a lattice point, which lowers
// the curve as well: in P's law the masses of P are kept and losses lowered, in Q's law those of Q.

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// One half of a cell: its Q mass as tilted at the lower and at the upper end; and by how much its P mass is beyond e^x
/// times its Q mass at the lower end, and short of that at the upper end, both divided by e^x of the end.
struct half_cell {
  double from_low = 0, from_high = 0, beyond = 0, short_of = 0;
};
struct halved_cell {
  half_cell low, high;
};

/// What cells were joined to: masses at the lattice points -1, 0, .., cells.size() + 1, in Q mass as tilted at the
/// point. Of these, `lifted` has a loss (in Q's law: minus the loss) that is larger by `above` than its lattice point.
struct joined_cells {
  std::vector<double> mass, lifted, above;
};

/// The masses at the lattice points -1, 0, .., cells.size() + 1 that cell i from point i to i + 1 is joined to, in Q
/// mass as tilted at the point by e^{power x}. `sign` is 1 for P's law (losses x, power = 1 + theta) and -1 for Q's
/// (losses -x, power = -theta).
inline joined_cells join_cells(std::span<const halved_cell> cells, double step, double theta, int sign) {
  const std::size_t points = cells.size() + 1;
  const double next = std::exp((sign > 0 ? 1 + theta : -theta) * step), grow = std::expm1(step),
               shrink = -std::expm1(-step), down = std::exp(-theta * step);
  std::vector<double> left(points, 0.0), right(points, 0.0), short_of(points, 0.0), beyond(points, 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    right[i] = cells[i].low.from_low;
    beyond[i] = cells[i].low.beyond;
    left[i + 1] = cells[i].high.from_high;
    short_of[i + 1] = cells[i].high.short_of;
  }
  const auto surplus = [&](std::size_t i) { return beyond[i] - short_of[i]; };
  // The Q mass that point i takes from its neighbour below (surplus) or above, as tilted at x_i.
  const auto draw = [&](std::size_t i) { return surplus(i) > 0 ? surplus(i) / shrink : -surplus(i) / grow; };
  // Where the density is steep, a neighbour has too little to give. Then a part of the half cell on the heavy side is
  // joined to the other end of its cell, which balances point i.
  for (std::size_t i = 0; i + 1 < points; ++i) {
    if (!(surplus(i) > 0) || (i > 0 && draw(i) / next < (left[i - 1] + right[i - 1]) / 4)) continue;
    const double part = surplus(i) / beyond[i];
    left[i + 1] += part * cells[i].low.from_high;
    short_of[i + 1] += part * cells[i].low.short_of;
    right[i] -= part * right[i];
    beyond[i] -= part * beyond[i];
  }
  for (std::size_t i = points - 1; i >= 1; --i) {
    if (!(surplus(i) < 0) || (i + 1 < points && draw(i) * next < (left[i + 1] + right[i + 1]) / 4)) continue;
    const half_cell& half = cells[i - 1].high;
    if (!(half.short_of > 0)) continue;
    const double part = std::min(1.0, -surplus(i) / half.short_of);
    right[i - 1] += part * half.from_low;
    beyond[i - 1] += part * half.beyond;
    left[i] = std::max(0.0, left[i] - part * half.from_high);
    short_of[i] = std::max(0.0, short_of[i] - part * half.short_of);
  }
  std::vector<char> drawing(points, 1);
  for (std::size_t i = 0; i < points; ++i) drawing[i] = surplus(i) > 0 ? i > 0 : i + 1 < points;
  std::vector<double> law(points);
  bool settled = false;
  for (int round = 0; !settled; ++round) {
    if (round == 64) std::fill(drawing.begin(), drawing.end(), 0);
    std::fill(law.begin(), law.end(), 0.0);
    for (std::size_t i = 0; i < points; ++i) {
      law[i] += left[i] + right[i];
      if (drawing[i]) {
        law[i] += draw(i);
        if (surplus(i) > 0) law[i - 1] -= draw(i) / next;
        if (surplus(i) < 0) law[i + 1] -= draw(i) * next;
      } else if (sign > 0) {
        law[i] += surplus(i) > 0 ? surplus(i) : -left[i] * (-surplus(i) / short_of[i]);
      } else if (surplus(i) > 0) {
        law[i] -= right[i] * (surplus(i) / beyond[i]);
      }
    }
    settled = true;
    for (std::size_t i = 0; i < points; ++i) {
      if (law[i] >= 0) continue;
      if (round >= 64) {
        law[i] = 0;
        continue;
      }
      if (i > 0 && drawing[i - 1] && surplus(i - 1) < 0) {
        drawing[i - 1] = 0;
        settled = false;
      }
      if (i + 1 < points && drawing[i + 1] && surplus(i + 1) > 0) {
        drawing[i + 1] = 0;
        settled = false;
      }
      if (settled) law[i] = 0;  // no point takes from it: a rounding error
    }
  }
  const std::vector<double> zeros(points + 2, 0.0);
  joined_cells joined{zeros, zeros, zeros};
  for (std::size_t i = 0; i < points; ++i) {
    joined.mass[i + 1] += law[i];
    if (drawing[i]) continue;
    if (sign > 0 && surplus(i) < 0) {
      joined.mass[i] += -surplus(i) / short_of[i] * std::max(0.0, left[i] - short_of[i]) * down;
    } else if (sign < 0 && surplus(i) > 0) {
      joined.mass[i + 2] += right[i] * (surplus(i) / beyond[i]) * down;
    } else {
      joined.lifted[i + 1] = law[i];
      joined.above[i + 1] = std::max(0.0, sign * std::log1p(surplus(i) / (left[i] + right[i])));
    }
  }
  return joined;
}

}  // namespace dplda::inline v0_1::detail

#endif

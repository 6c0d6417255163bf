// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_CELLS_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_CELLS_HPP

// The masses of the cells between lattice points of the loss, x_j = offset + j h.
//
// Errors. Masses are integrals of products of exponentials over cells, by Gauss and Legendre's rule in panels of
// half-width r with N nodes. The integrands are entire, and grow by at most e^{5/2} within 1/rate of the panel, where
// rate bounds their logarithmic derivatives; the rule's relative error is below 30 rho^{1 - 2N} with rho = 2/(r rate)
// (Trefethen, Approximation theory and approximation practice, Theorem 19.3), which the ladder of N keeps below 1e-15.
// Every term of every integrand is positive, so rounding is relative too: three functions in a mass, and up to eight
// more in its share of an end (where two sides meet; four elsewhere), see pld_lattice.hpp. The computed z of a lattice
// point is not exactly its preimage: loss_error bounds how far the losses of the computed cell ends are from the
// lattice. Where losses hardly depend on z (at tiny sampling rates), z may be far off, so the first and the
// last cell reach to the ends of the range whatever the computed z are. Cells share their ends, so no mass is lost
// between or beside them.

#include <dplda/accounting/detail/loss_pair.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

struct gauss_legendre_rule {
  double reach;  // the largest r * rate at which the rule is exact to 1e-15
  std::size_t nodes;
  double node[10], weight[10];
};
inline constexpr gauss_legendre_rule gauss_legendre_rules[] = {
    {1e-3,
     3,
     {-0.77459666924148337704, 0, 0.77459666924148337704},
     {0.55555555555555555556, 0.88888888888888888889, 0.55555555555555555556}},
    {8e-3,
     4,
     {-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480, 0.86113631159405257522},
     {0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737}},
    {0.06,
     6,
     {-0.93246951420315202781, -0.66120938646626451366, -0.23861918608319690863, 0.23861918608319690863,
      0.66120938646626451366, 0.93246951420315202781},
     {0.17132449237917034504, 0.36076157304813860757, 0.46791393457269104739, 0.46791393457269104739,
      0.36076157304813860757, 0.17132449237917034504}},
    {0.26,
     10,
     {-0.97390652851717172008, -0.86506336668898451073, -0.67940956829902440623, -0.43339539412924719080,
      -0.14887433898163121088, 0.14887433898163121088, 0.43339539412924719080, 0.67940956829902440623,
      0.86506336668898451073, 0.97390652851717172008},
     {0.06667134430868813759, 0.14945134915058059315, 0.21908636251598204400, 0.26926671930999635509,
      0.29552422471475287017, 0.29552422471475287017, 0.26926671930999635509, 0.21908636251598204400,
      0.14945134915058059315, 0.06667134430868813759}}};

/// expm1, by its series where a few terms are exact; cells are narrow, so this is the usual case.
inline double near_expm1(double x) {
  if (std::abs(x) > 0.03) return std::expm1(x);
  return x * (1 + x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720 + x / 5040))))));
}
inline double near_exp(double x) { return std::abs(x) > 0.03 ? std::exp(x) : 1 + near_expm1(x); }

/// The Q masses of the half cells [x_j, middle] and [middle, x_{j+1}], and the part of each that belongs to x_j (weight
/// 1 - w), all divided by e^{log_scale}.
struct loss_cell {
  double log_scale = 0;
  double mass[2] = {0, 0}, lower_end[2] = {0, 0};
};

/// Cells of a pair's continuous part over z in [from, to].
class loss_cells {
 public:
  loss_cells(const loss_pair& pair, double step, double offset, loss_pair::range z)
      : pair_(pair), step_(step), offset_(offset) {
    // For a sample of fixed size only losses above 0 are needed, and there may be none.
    z.to = std::max(z.from, z.to);
    const double lowest = pair.loss(z.from), highest = pair.loss(z.to);
    first_ = static_cast<std::int64_t>(std::floor((lowest - offset) / step));
    const auto last = std::max(first_, static_cast<std::int64_t>(std::ceil((highest - offset) / step)) - 1);
    cells_.resize(static_cast<std::size_t>(last - first_ + 1));
    if (pair.kind == loss_pair::shape::two_sided) weight_ = pair.weight_two_sided();
    double from = pair.z_of_loss(lattice(first_)), left = z.from;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::int64_t j = first_ + static_cast<std::int64_t>(i);
      const double to = pair.z_of_loss(lattice(j + 1));
      const double right = i + 1 == cells_.size() ? z.to : std::clamp(to, left, z.to);
      fill(cells_[i], j, {from, to, 1, 1}, left, right);
      from = to;
      left = right;
    }
    // y = slope z + offset errs by 4 libm u (|y| + |loss|) for one mixture and by 7 libm u for two sides (three
    // functions inside each other), and by the roundings of z; the loss by at most min(1, q + |loss|) times as much
    // (twice that for two sides). Lattice points and losses themselves err by 4 libm u: expm1(loss), where the
    // logarithm is of 1 + v.
    const double size = std::max(std::abs(lowest), std::abs(highest)),
                 reach = std::max(std::abs(z.from), std::abs(z.to));
    const double steepness = std::min(2.0, 2 * (pair.rate + size));
    loss_error_ =
        0x1p-53 * libm * (5 * (size + step) + 8 * steepness * (pair.slope * reach + pair.slope * pair.slope + size));
  }

  std::int64_t first() const { return first_; }
  std::span<const loss_cell> cells() const { return cells_; }
  double lattice(std::int64_t j) const { return offset_ + step_ * static_cast<double>(j); }
  double loss_error() const { return loss_error_; }

 private:
  /// What a cell's split between its ends depends on.
  struct ends {
    double from, to;      // z of the lattice points; `from` may be minus infinity
    double span;          // one mixture: (e^{x_{j+1}} - e^{x_j}) / (q e^{y(to)})
    double density_from;  // two sides: dQ/dz over phi at `from`
  };

  /// The masses of z in [left, right]. These are the z between the lattice points, except for rounding and for the ends
  /// of the range.
  void fill(loss_cell& cell, std::int64_t j, ends e, double left, double right) const {
    const double from = e.from, to = e.to;
    double middle = 0;
    if (pair_.kind == loss_pair::shape::two_sided) {
      e.density_from = density_two_sided(from);
      middle = pair_.z_of_loss(lattice(j) + step_ / 2);
    } else {
      // Where e^{x_j} < 1 - q, the lower end has no z and e^loss - e^{x_j} has the part 1 - q - e^{x_j}. Where the
      // upper end has none either, all losses are at or above it up to rounding, and belong to it.
      e.span = to == -infinite     ? infinite
               : from == -infinite ? 1 - pair_.beyond_least(lattice(j)) / pair_.beyond_least(lattice(j + 1))
                                   : -near_expm1(pair_.slope * (from - to));
      const double kept = e.span / (1 + std::exp(-step_ / 2));  // 1 - e^{y(middle) - y(to)}
      middle = kept < 1 ? to + std::log1p(-kept) / pair_.slope : -infinite;
    }
    middle = std::clamp(middle, left, right);
    // The densest point, so that the scaled masses neither vanish nor overflow.
    const double densest = pair_.kind == loss_pair::shape::laplace ? left : std::clamp(0.0, left, right);
    cell.log_scale = pair_.log_density(densest);
    half(cell, 0, e, left, middle, densest);
    half(cell, 1, e, middle, right, densest);
  }

  double density_two_sided(double z) const { return 1 - pair_.rate + weight_ * std::exp(-pair_.slope * z); }

  void half(loss_cell& cell, std::size_t side, const ends& e, double left, double right, double densest) const {
    const bool two_sided = pair_.kind == loss_pair::shape::two_sided;
    // Below it w is 0 to the last digit.
    const double flat = two_sided ? -infinite : e.to == -infinite ? infinite : e.to - 45 / pair_.slope;
    if (pair_.kind != loss_pair::shape::laplace) {
      const double reach = std::abs(densest) + 40 + (two_sided ? 2 * pair_.slope : 0);
      left = std::max(left, -reach);
      right = std::min(right, reach);
    }
    while (left < right) {
      double end = right;
      const bool below = left < flat;
      if (below) end = std::min(end, flat);
      const double own = pair_.kind == loss_pair::shape::laplace ? pair_.slope
                         : below                                 ? 1.0
                                                                 : (two_sided ? 2 : 1) * std::max(1.0, pair_.slope);
      double rate = std::max({own, std::abs(left), std::abs(end)});
      if ((end - left) * rate > 0.52) {
        rate = std::max(own, std::abs(left) + 0.52);
        end = std::min(end, left + 0.52 / rate);
      }
      panel(cell, side, e, left, end, (end - left) / 2 * rate, below);
      if (!(end > left)) break;
      left = end;
    }
  }

  void panel(loss_cell& cell, std::size_t side, const ends& e, double left, double right, double reach,
             bool flat) const {
    std::size_t pick = 0;
    while (pick + 1 < std::size(gauss_legendre_rules) && reach > gauss_legendre_rules[pick].reach) ++pick;
    const gauss_legendre_rule& rule = gauss_legendre_rules[pick];
    const double centre = left + (right - left) / 2, radius = (right - left) / 2;
    const double density = near_exp(pair_.log_density(centre) - cell.log_scale);
    double mass = 0, lower = 0;
    if (pair_.kind == loss_pair::shape::two_sided) {
      const double c = pair_.slope, kept = 1 - pair_.rate, full = (e.to - e.from) / 2, mean = (e.to + e.from) / 2;
      const double whole = std::sinh(c * full) * (kept * std::cosh(c * mean) + weight_ * std::cosh(c * full));
      for (std::size_t i = 0; i < rule.nodes; ++i) {
        const double d = radius * rule.node[i], z = centre + d,
                     phi = rule.weight[i] * near_exp(-centre * d - d * d / 2);
        const double part = (e.to - z) / 2, half_way = (e.to + z) / 2;
        const double rest = std::sinh(c * part) * (kept * std::cosh(c * half_way) + weight_ * std::cosh(c * part));
        mass += phi * density_two_sided(z);
        lower += phi * e.density_from * (rest / whole);
      }
    } else {
      const bool gaussian = pair_.kind == loss_pair::shape::gaussian;
      const double to_end = centre - e.to;
      for (std::size_t i = 0; i < rule.nodes; ++i) {
        const double d = radius * rule.node[i];
        const double phi = rule.weight[i] * near_exp(gaussian ? -centre * d - d * d / 2 : -pair_.slope * d / 2);
        mass += phi;
        if (!flat) lower += phi * -near_expm1(pair_.slope * (to_end + d));
      }
      lower = flat ? mass / e.span : std::clamp(lower / e.span, 0.0, mass);
    }
    cell.mass[side] += mass * radius * density;
    cell.lower_end[side] += std::min(lower, mass) * radius * density;
  }

  const loss_pair& pair_;
  double step_, offset_;
  double weight_ = 0, loss_error_ = 0;
  std::int64_t first_ = 0;
  std::vector<loss_cell> cells_;
};

}  // namespace dplda::inline v0_1::detail

#endif

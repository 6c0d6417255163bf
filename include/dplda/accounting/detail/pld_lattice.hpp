// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_LATTICE_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_LATTICE_HPP

// Loss distributions of pairs on a lattice x_j = offset + j h, from above and from below, tilted by e^{theta loss}.
//
// Above (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, Connect the dots, 2022): the hockey-stick curve of a pair is
// convex in t = e^epsilon, so it lies below the line through its values at neighbouring lattice points. That line
// belongs to the pair in which each outcome with loss in [x_j, x_{j+1}] is split between the two ends, its Q mass in
// the proportions 1 - w and w with w = (e^loss - e^{x_j}) / (e^{x_{j+1}} - e^{x_j}), which keeps both masses.
// Below: pld_join.hpp. Outcomes of positive mass off the lattice (atoms) are moved down to it; the mean distance is
// recorded (residual_mean), see pld_compose.hpp.
//
// Errors, in the terms of tilted_law.hpp, u = 2^-53: a mass errs by 24 libm u = 4 u (6 libm) for its functions (three
// of them, at 2 libm u each), sums and quadrature, and by 4 u of the sizes of its exponents, or (2 libm + 4) u where
// the exponent is itself a logarithm (of atoms, and of Laplace's density). How a cell is shared between its ends errs
// by up to 20 libm u of its mass.

#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/pld_cells.hpp>
#include <dplda/accounting/detail/pld_join.hpp>
#include <dplda/accounting/detail/tilted_law.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// How a pair is put on the lattice.
struct lattice_plan {
  pld_direction direction;
  double step, theta;
  double high_tail, low_tail;  // masses that may be treated as infinite and as the lowest losses
};

/// Both lattice laws of a pair in a direction.
class pair_on_lattice {
 public:
  pair_on_lattice(const loss_pair& pair, const lattice_plan& plan, double offset, double scale)
      : pair_(pair),
        plan_(plan),
        offset_(offset),
        scale_(scale),
        atoms_(pair.atoms_within(plan.direction, plan.high_tail, plan.low_tail)) {
    const bool remove = plan.direction == pld_direction::remove;
    sign_ = remove ? 1 : -1;
    upper_.offset = lower_.offset = sign_ * offset;
    upper_.scale = lower_.scale = scale;
    if (pair.subset) {
      subset_upper();
    } else if (pair.kind == loss_pair::shape::none) {
      cover(infinite, -infinite);
      tails();
    } else {
      const loss_cells cells(pair, plan.step, offset, pair.domain(plan.direction, plan.high_tail, plan.low_tail));
      cover(cells.lattice(cells.first() - 1),
            cells.lattice(cells.first() + static_cast<std::int64_t>(cells.cells().size()) + 1));
      upper_.loss_error = lower_.loss_error = cells.loss_error();
      factors(cells, lambda(sign_));
      continuous_lower(cells);
      continuous_upper(cells, sign_);
      tails();
    }
    if (!pair.subset) {
      atoms_lower();
      atoms_upper(sign_, false);
    }
    upper_.infinite_mass += (remove ? pair.p_infinite : pair.q_infinite) + pair.tail;
    upper_.infinite_mass = upper_.infinite_mass > 0 ? raised(upper_.infinite_mass) : 0;
    lower_.infinite_mass = lowered(remove ? pair.p_infinite : pair.q_infinite);
    upper_.normalise();
    lower_.normalise();
  }

  const tilted_law& upper() const { return upper_; }
  /// Empty for pairs that are not attained (subset).
  const tilted_law& lower() const { return lower_; }

 private:
  double lattice(std::int64_t j) const { return offset_ + plan_.step * static_cast<double>(j); }
  /// The exponent by which a Q mass at lattice loss x is tilted in P's law (sign 1) or Q's (sign -1).
  double lambda(int sign) const { return sign > 0 ? 1 + plan_.theta : -plan_.theta; }
  static double rounding(double exponents) { return 4 * 0x1p-53 * (6 * libm + exponents); }
  static constexpr double sharing = 20 * libm * 0x1p-53;
  /// Exponents that are logarithms err by this many times as much.
  static constexpr double of_logarithms = libm / 2 + 1;
  double exponents(double a, double b) const { return std::abs(a) + std::abs(b) + std::abs(scale_); }
  double cell_exponents(const loss_cell& cell, double tilt) const {
    return (pair_.kind == loss_pair::shape::laplace ? of_logarithms : 1.0) * exponents(cell.log_scale, tilt);
  }

  void add(tilted_law& law, std::int64_t j, int sign, double mass, double exponent_size) {
    law.at(sign * j) += mass;
    law.slack_at(sign * j) += mass * rounding(exponent_size);
    law.error += mass * rounding(exponent_size);
  }

  /// Room for losses from `least` to `most` and for all atoms.
  void cover(double least, double most) {
    for (const auto& a : atoms_) {
      least = std::min(least, a.loss);
      most = std::max(most, a.loss);
    }
    for (const double end : {least, most}) require_places(std::abs(end - offset_) / plan_.step);
    auto from = static_cast<std::int64_t>(std::floor((least - offset_) / plan_.step)) - 1;
    auto to = static_cast<std::int64_t>(std::ceil((most - offset_) / plan_.step)) + 1;
    if (sign_ < 0) {
      std::swap(from, to);
      from = -from;
      to = -to;
    }
    lower_.cover(from, to);
    upper_.cover(from, to);
  }

  /// exp(log_scale + lambda x_j - scale) for every cell.
  void factors(const loss_cells& cells, double power) {
    factor_.resize(cells.cells().size());
    for (std::size_t i = 0; i < factor_.size(); ++i) {
      const double x = cells.lattice(cells.first() + static_cast<std::int64_t>(i));
      factor_[i] = std::exp(cells.cells()[i].log_scale + power * x - scale_);
    }
  }

  void continuous_upper(const loss_cells& cells, int sign) {
    const double power = lambda(sign), next = std::exp(power * plan_.step);
    for (std::size_t i = 0; i < factor_.size(); ++i) {
      const loss_cell& cell = cells.cells()[i];
      const std::int64_t j = cells.first() + static_cast<std::int64_t>(i);
      const double size = cell_exponents(cell, power * lattice(j)) + std::abs(power * plan_.step);
      const double low = cell.lower_end[0] + cell.lower_end[1];
      const double high = (cell.mass[0] - cell.lower_end[0]) + (cell.mass[1] - cell.lower_end[1]);
      add(upper_, j, sign, low * factor_[i], size);
      add(upper_, j + 1, sign, high * factor_[i] * next, size);
      // A small difference mass - lower_end has lost digits.
      const double shared = sharing * (cell.mass[0] + cell.mass[1]) * factor_[i];
      upper_.slack_at(sign * j) += shared;
      upper_.slack_at(sign * (j + 1)) += shared * next;
      upper_.error += shared * std::max(1.0, next);
    }
  }

  /// The mirrored pair of samples of fixed size: losses y > 0 and their mirror image, and the rest at 0.
  void subset_upper() {
    std::optional<loss_cells> cells;
    if (pair_.kind != loss_pair::shape::none) {
      auto z = pair_.domain(pld_direction::remove, plan_.high_tail, plan_.low_tail);
      z.from = std::max(z.from, pair_.z_of_loss(0));
      cells.emplace(pair_, plan_.step, offset_, z);
      upper_.loss_error = cells->loss_error();
    }
    const double most = cells ? cells->lattice(cells->first() + static_cast<std::int64_t>(cells->cells().size())) : 0;
    cover(-most, most);
    const std::int64_t reach =
        std::max(-upper_.first, upper_.first + static_cast<std::int64_t>(upper_.mass.size()) - 1);
    upper_.cover(-reach, reach);
    for (const int sign : {1, -1}) {
      atoms_upper(sign, true);
      if (!cells) continue;
      factors(*cells, lambda(sign));
      continuous_upper(*cells, sign);
    }
    double rest = pair_.zero_mass;
    if (pair_.kind == loss_pair::shape::gaussian) {
      upper_.infinite_mass = plan_.high_tail;
      rest += plan_.high_tail;
    }
    add(upper_, 0, 1, rest * std::exp(-scale_), std::abs(scale_));
  }

  void atoms_upper(int sign, bool positive_only) {
    const double power = lambda(sign);
    for (const auto& a : atoms_) {
      if (positive_only && !(a.loss > 0)) continue;
      const double place = (a.loss - offset_) / plan_.step, nearest = std::round(place);
      const bool on_lattice = std::abs(place - nearest) <= snap(a.loss);
      const auto j = static_cast<std::int64_t>(on_lattice ? nearest : std::floor(place));
      const double x = lattice(j);
      const double w = on_lattice ? 0 : std::clamp(near_expm1(a.loss - x) / near_expm1(plan_.step), 0.0, 1.0);
      const double size =
          of_logarithms * (exponents(a.log_q, power * x) + std::abs(power * plan_.step) + std::abs(a.loss));
      if (w < 1) add(upper_, j, sign, (1 - w) * std::exp(a.log_q + power * x - scale_), size);
      if (w > 0) add(upper_, j + 1, sign, w * std::exp(a.log_q + power * (x + plan_.step) - scale_), size);
      note_snap(upper_, a.loss, x, on_lattice);
    }
  }

  void atoms_lower() {
    for (const auto& a : atoms_) {
      const double place = (a.loss - offset_) / plan_.step, nearest = std::round(place);
      const bool on_lattice = std::abs(place - nearest) <= snap(a.loss);
      const auto j = static_cast<std::int64_t>(on_lattice ? nearest : sign_ > 0 ? std::floor(place) : std::ceil(place));
      const double x = lattice(j), own = sign_ > 0 ? a.log_q + a.loss : a.log_q;
      add(lower_, j, sign_, std::exp(own + plan_.theta * sign_ * x - scale_),
          of_logarithms * (exponents(own, plan_.theta * x) + std::abs(a.loss)));
      note_snap(lower_, a.loss, x, on_lattice);
      if (!on_lattice) {
        const double moved = std::max(0.0, sign_ * (a.loss - x));
        lower_.residual_mean += moved * std::exp(own) * (1 - 1e-12);
        lower_.residual_range = std::max(lower_.residual_range, moved * (1 + 1e-12));
      }
    }
  }

  /// Rounding moves atoms that belong on the lattice slightly off it.
  double snap(double loss) const {
    return std::max(1e-12, 0x1p-46 * (std::abs(loss) + std::abs(offset_)) / plan_.step);
  }
  void note_snap(tilted_law& law, double loss, double x, bool on_lattice) const {
    const double moved = on_lattice ? std::abs(loss - x) : 0;
    // The errors of log_mixture and of the lattice; and that of the atom's y, as far as the loss depends on it.
    const double own = (3 * libm + 8) * ulp * (std::abs(loss) + std::abs(x) + plan_.step);
    const double y = (libm + 2) * ulp * std::min(1.0, pair_.rate + std::abs(loss)) * pair_.atom_reach;
    law.loss_error = std::max(law.loss_error, own + y + moved + pair_.loss_error);
  }

  void continuous_lower(const loss_cells& cells) {
    const double h = plan_.step, power = lambda(sign_), next = std::exp(power * h), grow = std::expm1(h),
                 shrink = -std::expm1(-h);
    std::vector<halved_cell> halves(factor_.size());
    for (std::size_t i = 0; i < factor_.size(); ++i) {
      const loss_cell& cell = cells.cells()[i];
      const double here = factor_[i], there = factor_[i] * next;
      for (std::size_t side = 0; side < 2; ++side) {
        half_cell& half = side == 0 ? halves[i].low : halves[i].high;
        half.from_low = cell.mass[side] * here;
        half.from_high = cell.mass[side] * there;
        half.beyond = grow * (cell.mass[side] - cell.lower_end[side]) * here;
        half.short_of = shrink * cell.lower_end[side] * there;
      }
      // Each mass enters at most three times (joined, taken and given), and may lie one lattice point away.
      const double size = cell_exponents(cell, power * lattice(cells.first() + static_cast<std::int64_t>(i)));
      const double shared = 3 * (rounding(size + std::abs(power * h)) + sharing) *
                            (halves[i].low.from_low + halves[i].high.from_high) * std::exp(std::abs(power) * h);
      lower_.error += shared;
      const std::int64_t j = sign_ * (cells.first() + static_cast<std::int64_t>(i));
      for (std::int64_t k = -2; k <= 2; ++k) lower_.slack_at(j + k) += shared;
    }
    const joined_cells joined = join_cells(halves, h, plan_.theta, sign_);
    for (std::size_t i = 0; i < joined.mass.size(); ++i) {
      const std::int64_t j = cells.first() + static_cast<std::int64_t>(i) - 1;
      lower_.at(sign_ * j) += joined.mass[i];
      lower_.credit(joined.lifted[i], joined.above[i], plan_.theta * sign_ * lattice(j));
    }
  }

  /// Mass beyond the cells, or beyond the atoms that matter: beyond the large losses it counts as infinite, beyond the small ones as a loss of 0 (or as
  /// the smallest loss, if that is larger). A smaller loss would be valid, but so far out it would spoil Chernoff's
  /// bounds.
  void tails() {
    if (pair_.kind != loss_pair::shape::gaussian && pair_.kind != loss_pair::shape::two_sided && !(pair_.tail > 0))
      return;
    upper_.infinite_mass += plan_.high_tail;
    const auto last = upper_.first + static_cast<std::int64_t>(upper_.mass.size()) - 1;
    const auto zero = static_cast<std::int64_t>(std::ceil(-upper_.offset / plan_.step));
    const std::int64_t place = std::min(last, std::clamp(zero, upper_.first + 3, std::max(upper_.first + 3, last)));
    const double loss = upper_.offset + plan_.step * static_cast<double>(place);
    upper_.at(place) += plan_.low_tail * std::exp(plan_.theta * loss - scale_) * 1.001;
  }

  const loss_pair& pair_;
  lattice_plan plan_;
  double offset_, scale_;
  std::span<const loss_pair::atom> atoms_;
  int sign_ = 1;
  tilted_law upper_, lower_;
  std::vector<double> factor_;
};

}  // namespace dplda::inline v0_1::detail

#endif

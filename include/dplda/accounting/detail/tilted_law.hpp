// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_TILTED_LAW_HPP
#define DPLDA_ACCOUNTING_DETAIL_TILTED_LAW_HPP

// A loss distribution on a lattice, tilted by e^{theta loss}, with bounds on its errors.

#include <dplda/accounting/detail/safe_side.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Thrown if losses of very different sizes would need a lattice too large for memory; ledger_losses then knows only
/// the largest loss.
struct lattice_too_long {};

inline void require_places(double count) {
  if (!(count < 0x1p26)) throw lattice_too_long();
}

/// A loss distribution on a lattice: the mass of loss h * (first + i) + offset, times e^{theta loss - scale}.
struct tilted_law {
  std::int64_t first = 0;
  std::vector<double> mass = {};
  double offset = 0, scale = 0;
  std::vector<double> slack = {};  // of each mass, a bound on its error; only of single losses
  double error = 0;                // l1 bound on the error of `mass`
  double bin_error = 0;            // the error of a positive mass that is not relative to it or to its neighbours
  double infinite_mass = 0;        // not tilted
  double loss_error = 0;           // how far the losses may be from the lattice points that stand for them
  double residual_mean = 0, residual_range = 0;

  double& at(std::int64_t j) { return mass[static_cast<std::size_t>(j - first)]; }
  double& slack_at(std::int64_t j) { return slack[static_cast<std::size_t>(j - first)]; }
  void cover(std::int64_t from, std::int64_t to) {
    require_places(static_cast<double>(to - from));
    first = from;
    mass.assign(static_cast<std::size_t>(to - from + 1), 0.0);
    slack.assign(mass.size(), 0.0);
  }

  /// Remembers that the losses of a (tilted) mass are larger than its lattice point, if by the largest amount so far.
  void credit(double tilted, double above, double exponent) {
    const double amount = above > 0 ? above * std::exp(scale - exponent) * tilted * (1 - 1e-9) : 0;
    if (!(amount > residual_mean)) return;
    residual_mean = amount;
    residual_range = above * (1 + 1e-9);
  }

  /// Scales the masses to a total of 1, so that powers of the law neither overflow nor underflow; returns the logarithm
  /// of the former total. Does nothing if the total is 0 or infinite.
  double normalise() {
    double total = 0;
    for (const double m : mass) total += m;
    if (!(total > 1e-200 && total < 1e200)) return 0;
    for (double& m : mass) m /= total;
    for (double& m : slack) m /= total;
    bin_error = bin_error / total * (1 + 1e-12);
    const double log_total = std::log(total);
    scale += log_total;
    error = error / total * (1 + 1e-12) + 0x1p-52 * (8 + std::abs(scale) + (libm + 1) * std::abs(log_total));
    return log_total;
  }
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_SELECTION_CURVE_HPP
#define DPLDA_ACCOUNTING_DETAIL_SELECTION_CURVE_HPP

// The Renyi curve of a private selection. The argument is in accounting/selection.hpp:
//   negative binomial  D(alpha) + (1 + s) e0 + log E[K] / (alpha - 1)
//   Poisson            log(e^-E[K] + E[K] e^((alpha - 1)(D(alpha) + E[K] d(log(alpha/(alpha - 1)))))) / (alpha - 1)
// with D the curve of one run, and its profile d converted from D at the orders of a grid. e0 is the smaller of two
// bounds: by that profile, and by Papernot and Steinke's (1 - 1/b) D(b) + log(1/c) / b, at any order b.

#include <dplda/accounting/selection.hpp>

#include <vector>

namespace dplda::inline v0_1::detail {

class selection_curve {
 public:
  selection_curve(const run_count_law& law, const ledger& run);

  double operator()(double alpha);
  double reserved_delta() const noexcept { return reserved_; }
  bool piecewise() const noexcept;

 private:
  struct counted;  // the curve of an event of a run and its count; complete below rdp_curve
  struct point {
    double order, divergence;
  };

  double of_one_run(double alpha);
  /// delta of one run at epsilon.
  double profile(double epsilon) const;

  run_count_law law_;
  std::vector<counted> run_;
  std::vector<point> grid_;
  double reserved_ = 0, shift_ = 0, rounding_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif

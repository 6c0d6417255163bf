// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_PLD_HPP
#define DPLDA_ACCOUNTING_PLD_HPP

// The privacy loss distribution accountant: epsilon and delta of a ledger, certified from both sides.
//
// Claim: consider the smallest epsilon (delta) for which all mechanisms that fit a supported ledger, adaptively
// composed, are (epsilon, delta)-DP under its unit and neighbours. The upper bound is at least that, and the lower
// bound at most. For samples of fixed size, the lower bound belongs to neighbouring corpora whose other units are all
// alike, and the bounds may stay apart.
//
// Preconditions: the events say what happened; multipliers are noise over sensitivity under the ledger's neighbours.
// Under `replace`, a Poisson-sampled Gaussian event also states that the norm of each unit is at most half the
// sensitivity. Doubles and elementary functions are as detail/safe_side.hpp assumes: to nearest, within 8 ulps.
//
// Argument, with every error where it arises:
// - detail/pld_pair.hpp: each event is dominated by a pair of laws, and compositions by products of pairs, in each
//   direction (the unit is removed, or added); the worse direction counts.
// - detail/pld_cells.hpp: masses of lattice cells, quadrature within 1e-15, rounding relative to the masses; computed
//   cell ends displace losses, and the displacement of all losses together is added to epsilon.
// - detail/pld_lattice.hpp: losses on a lattice of step h from above (connect the dots); e^-14 of delta in the tails
//   counts as infinite loss.
// - detail/pld_join.hpp: and from below (post-processing). Both err by O(k h^2) for k losses, not by O(k h).
// - detail/pld_compose.hpp: tilted composition by Fourier transform (detail/fft.hpp); rounding of spectrum, powers and
//   inverse, and aliases by Chernoff's bound, are added to or taken off each mass, relative to delta however small.
// - detail/pld_direct.hpp: where the noise of a transform exceeds delta, direct sums of positive products instead.
// - detail/pld_blocks.hpp: many losses in blocks on a coarser lattice, by the same rules.
//
// Lattice, tilt and window are chosen in detail/pld_sample.hpp and detail/pld_choice.hpp; any choice is valid.
// detail/pld_run.hpp computes with them, and detail/pld_search.hpp repeats with finer lattices. Deltas below 1e-290 and
// Gaussian noise with epsilon above 1e8 are out of range for doubles: the upper bound is infinite there.
//
// Test: tests/accounting/pld_test.cpp, tests/accounting/fft_test.cpp

#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/detail/pld_run.hpp>
#include <dplda/accounting/detail/pld_search.hpp>
#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/accounting/ledger.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dplda::inline v0_1 {

/// The effort of pld_epsilon and pld_delta. They stop when upper - lower is at most relative_width * upper or
/// absolute_width, or when a transform would need more than about max_points points. The bounds are certified in any
/// case. A wider relative_width saves at most the runs after the first.
struct pld_options {
  double relative_width = 1e-3;
  double absolute_width = 1e-9;
  std::size_t max_points = std::size_t{1} << 17;
};

namespace detail {

void check(const pld_options& options, std::string_view function);

/// What is known without a lattice: the sums of the largest losses and of the total variations, and the infinite mass.
struct loss_limits {
  double largest = 0, variation = 0, infinite_above = 0, infinite_below = 0;
  double ulps = 0, loss_error = 0;  // that `largest` may be wrong by

  double most() const { return raised(largest + loss_error, ulps); }
  double least() const { return lowered(std::max(0.0, largest - loss_error), ulps); }
};

/// Pairs of laws, and what was computed of them in each direction.
struct pair_runs {
  std::vector<counted_pair> pairs = {};
  std::vector<direction_losses> removed = {}, added = {};
};

/// The composed privacy loss of a ledger. Each answer keeps what was computed for it; every run is valid for every
/// question, so later answers take the best of all runs, and compute only where these are not narrow.
class ledger_losses {
 public:
  explicit ledger_losses(const canonical_ledger& book);

  /// Whether every event has a known pair of laws.
  bool supported() const { return supported_; }

  certified_bounds epsilon(double delta, const pld_options& options);

  certified_bounds delta(double epsilon, const pld_options& options);

  /// The same from what was computed for earlier answers.
  certified_bounds known_delta(double epsilon, const pld_options& options);

 private:
  /// Where a pair is not attained, the lower bound comes from pairs that are. Upper bound where a search is impossible:
  /// `most`.
  certified_bounds searched(pld_query query, double most);
  certified_bounds delta_of(double epsilon, pld_query query);

  bool supported_ = false;
  pair_runs attained_;
  std::optional<pair_runs> dominating_ = {};  // where these differ
  loss_limits limits_;
};

}  // namespace detail

/// Whether every event has a known pair of laws: all but selections, Renyi curves, and discrete Gaussian noise on many
/// integers or with a sigma above about 500. Other ledgers get {0, infinity} from pld_epsilon and {0, 1} from pld_delta.
bool pld_supports(const ledger& book);

/// Bounds on the smallest epsilon at which the ledger is (epsilon, delta)-DP; both are infinite where there is none.
/// Throws std::invalid_argument if delta is not in [0, 1] or an option is out of range.
certified_bounds pld_epsilon(const ledger& book, double delta, const pld_options& options = {});

/// Bounds on the smallest delta at which the ledger is (epsilon, delta)-DP. The options' widths are meant in epsilon,
/// so delta is known to about relative_width of itself. Throws std::invalid_argument if epsilon is negative or NaN or
/// an option is out of range.
certified_bounds pld_delta(const ledger& book, double epsilon, const pld_options& options = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/pld.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_ACCOUNTANT_HPP
#define DPLDA_ACCOUNTING_ACCOUNTANT_HPP

// Formulas, arguments, options and limits: accounting/README.md

// What a ledger costs, under each accountant.
//
// Claim: for every accountant, the ledger's release is (upper, delta)-DP for the ledger's unit and neighbours, where
//   upper is the upper bound of ledger_epsilon(book, delta, rule), and (epsilon, upper)-DP with that of ledger_delta.
//   Some mechanisms and neighbours that fit the ledger are not (lower, delta)-DP, or not (epsilon, lower)-DP.
// Preconditions: those of the events (event.hpp, pld.hpp). Mechanisms may be chosen adaptively from earlier results,
//   but their parameters may not; if they are, use filter.hpp.
// Argument: the ledger is made canonical (detail/canonical.hpp), which changes no cost. Then
//   - linear, advanced, optimal: each use of a mechanism first gets an (epsilon, delta) of its own. Gaussian noise
//     needs a delta for that, so a part of the target is divided equally among such uses. Several parts are tried; each
//     gives a valid bound, so the smallest is valid. Sampling amplifies each use (amplification.hpp), except that
//     Poisson sampling under `replace` is ignored. Then composition.hpp applies. Advanced is the smaller of itself and
//     linear, optimal the smallest of all three. At delta = 0 a sum of pure epsilons is attained, which gives the lower
//     bound.
//   - zcdp: rho adds up (Bun and Steinke 2016, Lemma 1.7). Sampling is ignored: a mechanism on a secret sample is a
//     mixture, over samples, of pairs that are no further apart than the mechanism's own neighbours, and divergences
//     are quasi-convex. The delta of opaque events is set aside as in rdp.hpp.
//   - gaussian: Gaussian mechanisms on all units compose to one (gaussian.hpp). A single use on a sample has
//     delta(log(1 + q (e^epsilon - 1))) = q times the unsampled delta(epsilon), where q is the sampling probability
//     (amplification.hpp); this is attained where all other units agree with the one that is missing. Lower bounds are
//     the same functions at a delta and a multiplier that are larger by more than the rounding. Other ledgers get no
//     bound.
//   - rdp, pld: see there.
//   - best: the smallest upper and the largest lower bound of all accountants. What cannot be smaller is skipped: all
//     others where `gaussian` is exact, all but linear at delta = 0, and optimal composition where a lower bound on its
//     result exceeds what others gave (detail/priced_uses.hpp). Where the bounds of pld are as close as was asked for,
//     no other accountant is smaller by more than that, and only gaussian and linear are tried; the others too, if
//     linear is smaller than pld.
//   - composed_loss: every run of pld is valid for every question (pld.hpp), so its answers are those of the runs made
//     for this question and for others.
//   - ledger_delta of linear and advanced is a delta at which ledger_epsilon was computed and meets the epsilon.
// Test: tests/accounting/accountant_test.cpp.

#include <dplda/accounting/bounds.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/pld.hpp>

#include <optional>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// A guarantee, and how exactly it is known: its epsilon is the upper bound.
struct ledger_price : guarantee {
  double lower = 0;
  /// Whether the bounds are as close as was asked for. If not, other accountants or a higher pld_options::max_points
  /// may say more.
  bool accurate = true;

  certified_bounds bounds() const { return {lower, epsilon}; }
};

/// The loss of a whole ledger: made once, it answers any number of questions. What one answer computed serves the next
/// ones, so a curve costs little more than a point. An object is for one thread at a time.
class composed_loss {
 public:
  /// `accuracy` says how far apart the bounds of pld may be. Throws std::invalid_argument if an option is out of range.
  explicit composed_loss(const ledger& book, accountant rule = accountant::best, const pld_options& accuracy = {});

  /// Bounds on the epsilon at `delta`. The accountants gaussian, pld and best (and linear at delta = 0) have a lower
  /// bound; for the others it is 0. The upper bound is infinite if the accountant gives none. Throws
  /// std::invalid_argument if delta is outside [0, 1].
  certified_bounds epsilon(double delta);

  /// Bounds on the delta at `epsilon`; the upper bound is 1 if the accountant gives none. Linear, advanced and optimal
  /// give no delta below 1e-300 except 0. Throws std::invalid_argument if epsilon is negative or NaN.
  certified_bounds delta(double epsilon);

  /// Bounds on the delta at each of these epsilons, from what earlier answers computed: each is certified, but may be
  /// wider than asked for where no earlier question was near. Throws as delta does.
  std::vector<certified_bounds> deltas(std::span<const double> epsilons);

  /// The guarantee at `delta`: the upper bound on epsilon (infinite if there is none), the ledger's unit and
  /// neighbours, and the accountant; with `best`, the one that gave the bound. An empty ledger costs nothing. Throws
  /// std::invalid_argument if delta is outside [0, 1].
  ledger_price price(double delta);

  /// Whether bounds are as close as was asked for.
  bool accurate(const certified_bounds& found) const;

 private:
  /// Bounds, and the accountant that gave the upper one.
  struct ruled_bounds {
    certified_bounds bounds;
    dplda::accountant accountant;
  };

  ruled_bounds epsilon_and_rule(double delta);
  certified_bounds epsilon_by(accountant rule, double delta);
  certified_bounds delta_by(accountant rule, double epsilon);
  certified_bounds best_delta(double epsilon, bool from_runs);
  detail::ledger_losses& losses();

  guarantee labels_;  // unit, neighbours, seeded
  detail::canonical_ledger plain_;
  accountant rule_;
  pld_options accuracy_;
  std::optional<detail::ledger_losses> losses_ = {};  // made when first asked for
};

/// composed_loss::epsilon, for one question.
certified_bounds ledger_epsilon(const ledger& book, double delta, accountant rule = accountant::best,
                                const pld_options& accuracy = {});

/// composed_loss::delta, for one question.
certified_bounds ledger_delta(const ledger& book, double epsilon, accountant rule = accountant::best,
                              const pld_options& accuracy = {});

/// composed_loss::price, for one question.
ledger_price price(const ledger& book, double delta, accountant rule = accountant::best,
                   const pld_options& accuracy = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/accountant.ipp>
#endif

#endif

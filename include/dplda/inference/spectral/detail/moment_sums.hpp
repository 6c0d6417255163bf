// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_SUMS_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_SUMS_HPP

// Claim: each sum is a release by an accumulator of the given plan, over all units. Each unit contributed once, and its
//   contribution is a function of that unit's documents and of the arguments alone, bit for bit. The event is in the
//   ledger.
// Preconditions: plan and basis are public or released. The corpus and its units are not changed meanwhile.
// Argument: one worker reads a unit and adds it to one accumulator. It reads nothing that is left in its memory from
//   the unit before (unit_moments.hpp). Which worker, and in what order, does not matter: integer sums are exact and
//   are merged. Bins of a histogram follow from the unit's own norm; a norm of 0, or one that is not a number, falls
//   into the last. The sums leave only by accumulator::publish. clip_norm and longest_triple read releases. The number
//   of threads depends on the plan and the machine, not on the data.
// Test: tests/inference/private_spectral_test.cpp (grey-box audits of all sums, threads).

#include <dplda/core/corpus.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dplda::inline v0_1::detail {

/// What an accumulator released, and the standard deviation of its noise.
template <class Real>
struct noisy_sums {
  std::vector<Real> values;
  double noise;
};

/// The sums over all units that private spectral LDA releases. Each function reads all units once, records one event
/// and returns the release.
class moment_sums {
 public:
  static constexpr std::size_t bins = 48;

  /// Keeps references. Precondition: threads >= 1.
  moment_sums(const corpus& docs, const privacy_units& units, std::size_t threads)
      : docs_(docs), units_(units), threads_(threads) {}

  /// Sums of m1: a number for each word.
  noisy_sums<double> first(const accumulator_plan& plan, random_source& random, ledger& spent) const;

  /// Sums of m2 (unit_moments::pairs).
  template <class Real = float>
  noisy_sums<Real> pairs(const accumulator_plan& plan, random_source& random, ledger& spent) const;

  /// Sums of m3(B, B, B) (unit_moments::triples).
  noisy_sums<double> triples(const tall_matrix& basis, const accumulator_plan& plan, random_source& random,
                             ledger& spent) const;

  /// The histogram of the norms of m2: bin i counts norms of about 2^(-i/4), and the last bin counts all smaller ones.
  noisy_sums<double> pair_sizes(const accumulator_plan& plan, random_source& random, ledger& spent) const;

  /// The same for m3(B, B, B), in parts of longest_triple(B).
  noisy_sums<double> triple_sizes(const tall_matrix& basis, const accumulator_plan& plan, random_source& random,
                                  ledger& spent) const;

  /// No m3(B, B, B) is longer: the third power of the longest row of B.
  static double longest_triple(const tall_matrix& basis);

  /// The lowest bin edge above which the histogram shows at most `limit` units, relative to the largest norm.
  static double clip_norm(const noisy_sums<double>& sizes, double limit);

 private:
  template <class Moment>
  noisy_sums<double> sizes(double top, const accumulator_plan& plan, random_source& random, ledger& spent,
                           const Moment& moment) const;

  template <class Real, class Add>
  noisy_sums<Real> released(const accumulator_plan& plan, std::size_t threads, random_source& random, ledger& spent,
                            const Add& add) const;

  const corpus& docs_;
  const privacy_units& units_;
  std::size_t threads_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/moment_sums.ipp>
#endif

#endif

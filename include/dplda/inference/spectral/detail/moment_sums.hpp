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
#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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
  noisy_sums<double> first(const accumulator_plan& plan, random_source& random, ledger& spent) const {
    return released<double>(plan, threads_, random, spent, [](unit_moments& unit, accumulator& sums) {
      unit.first();
      sums.add(unit.cells(), unit.values());
    });
  }

  /// Sums of m2 (unit_moments::pairs).
  template <class Real = float>
  noisy_sums<Real> pairs(const accumulator_plan& plan, random_source& random, ledger& spent) const {
    // Each thread's sums take 8 bytes a cell: no more than 1 GB if one thread can do it with less.
    const std::size_t fit = std::max<std::size_t>(1, (std::size_t{1} << 27) / plan.cells());
    return released<Real>(plan, std::min(threads_, fit), random, spent, [&](unit_moments& unit, accumulator& sums) {
      unit.pairs(docs_.words());
      sums.add(unit.cells(), unit.values());
    });
  }

  /// Sums of m3(B, B, B) (unit_moments::triples).
  noisy_sums<double> triples(const tall_matrix& basis, const accumulator_plan& plan, random_source& random,
                             ledger& spent) const {
    const std::vector<std::uint32_t> row{0};
    return released<double>(plan, threads_, random, spent, [&](unit_moments& unit, accumulator& sums) {
      unit.triples(basis);
      sums.add(std::span(row), unit.values());
    });
  }

  /// The histogram of the norms of m2: bin i counts norms of about 2^(-i/4), and the last bin counts all smaller ones.
  noisy_sums<double> pair_sizes(const accumulator_plan& plan, random_source& random, ledger& spent) const {
    return sizes(1, plan, random, spent, [&](unit_moments& unit) { unit.pairs(docs_.words()); });
  }

  /// The same for m3(B, B, B), in parts of longest_triple(B).
  noisy_sums<double> triple_sizes(const tall_matrix& basis, const accumulator_plan& plan, random_source& random,
                                  ledger& spent) const {
    return sizes(longest_triple(basis), plan, random, spent, [&](unit_moments& unit) { unit.triples(basis); });
  }

  /// No m3(B, B, B) is longer: the third power of the longest row of B.
  static double longest_triple(const tall_matrix& basis) {
    double longest = 0;
    for (Eigen::Index v = 0; v < basis.rows(); ++v)
      longest = std::max(longest, norm(basis.data() + v * basis.cols(), basis.cols()));
    return longest * longest * longest;
  }

  /// The lowest bin edge above which the histogram shows at most `limit` units, relative to the largest norm.
  static double clip_norm(const noisy_sums<double>& sizes, double limit) {
    double above = 0;
    std::size_t edge = 0;
    while (edge + 1 < bins && (above += sizes.values[edge]) <= limit) ++edge;
    return std::exp2(-0.25 * static_cast<double>(edge));
  }

 private:
  template <class Moment>
  noisy_sums<double> sizes(double top, const accumulator_plan& plan, random_source& random, ledger& spent,
                           const Moment& moment) const {
    const std::vector<double> one{1.0};
    return released<double>(plan, threads_, random, spent, [&](unit_moments& unit, accumulator& sums) {
      moment(unit);
      const double octaves = 4 * std::log2(top / unit.norm());
      const std::vector<std::uint32_t> bin{octaves < bins - 1 ? static_cast<std::uint32_t>(std::max(0.0, octaves))
                                                              : std::uint32_t{bins - 1}};
      sums.add(std::span<const std::uint32_t>(bin), std::span<const double>(one));
    });
  }

  template <class Real, class Add>
  noisy_sums<Real> released(const accumulator_plan& plan, std::size_t threads, random_source& random, ledger& spent,
                            const Add& add) const {
    std::vector<accumulator> sums;
    for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(plan);
    std::vector<unit_moments> workers(threads);
    parallel_for(units_.size(), 16, threads, [&](std::size_t begin, std::size_t end, std::size_t w) {
      for (std::size_t u = begin; u < end; ++u) {
        workers[w].look_at(docs_, units_.documents(u));
        add(workers[w], sums[w]);
      }
    });
    for (std::size_t w = 1; w < threads; ++w) sums[0].merge(sums[w]);
    sums.erase(sums.begin() + 1, sums.end());
    noisy_sums<Real> result{std::vector<Real>(sums[0].cells()), sums[0].noise()};
    sums[0].publish(random, spent, std::span(result.values), threads_);
    return result;
  }

  const corpus& docs_;
  const privacy_units& units_;
  std::size_t threads_;
};

}  // namespace dplda::inline v0_1::detail

#endif

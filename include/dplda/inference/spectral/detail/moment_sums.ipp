// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_SUMS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_SUMS_IPP

// Bodies of inference/spectral/detail/moment_sums.hpp, which has their claim, argument and test.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/moment_sums.hpp>

#include <cmath>
#include <cstdint>
#include <span>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE noisy_sums<double> moment_sums::first(const accumulator_plan& plan, random_source& random,
                                                   ledger& spent) const {
  return released<double>(plan, threads_, random, spent, [](unit_moments& unit, accumulator& sums) {
    unit.first();
    sums.add(unit.cells(), unit.values());
  });
}

template <class Real>
noisy_sums<Real> moment_sums::pairs(const accumulator_plan& plan, random_source& random, ledger& spent) const {
  // Each thread's sums take 8 bytes a cell: no more than 1 GB if one thread can do it with less.
  const std::size_t fit = std::max<std::size_t>(1, (std::size_t{1} << 27) / plan.cells());
  return released<Real>(plan, std::min(threads_, fit), random, spent, [&](unit_moments& unit, accumulator& sums) {
    unit.pairs(docs_.words());
    sums.add(unit.cells(), unit.values());
  });
}

DPLDA_INLINE noisy_sums<double> moment_sums::triples(const tall_matrix& basis, const accumulator_plan& plan,
                                                     random_source& random, ledger& spent) const {
  const std::vector<std::uint32_t> row{0};
  return released<double>(plan, threads_, random, spent, [&](unit_moments& unit, accumulator& sums) {
    unit.triples(basis);
    sums.add(std::span(row), unit.values());
  });
}

DPLDA_INLINE noisy_sums<double> moment_sums::pair_sizes(const accumulator_plan& plan, random_source& random,
                                                        ledger& spent) const {
  return sizes(1, plan, random, spent, [&](unit_moments& unit) { unit.pairs(docs_.words()); });
}

DPLDA_INLINE noisy_sums<double> moment_sums::triple_sizes(const tall_matrix& basis, const accumulator_plan& plan,
                                                          random_source& random, ledger& spent) const {
  return sizes(longest_triple(basis), plan, random, spent, [&](unit_moments& unit) { unit.triples(basis); });
}

DPLDA_INLINE double moment_sums::longest_triple(const tall_matrix& basis) {
  double longest = 0;
  for (Eigen::Index v = 0; v < basis.rows(); ++v)
    longest = std::max(longest, norm(basis.data() + v * basis.cols(), basis.cols()));
  return longest * longest * longest;
}

DPLDA_INLINE double moment_sums::clip_norm(const noisy_sums<double>& sizes, double limit) {
  double above = 0;
  std::size_t edge = 0;
  while (edge + 1 < bins && (above += sizes.values[edge]) <= limit) ++edge;
  return std::exp2(-0.25 * static_cast<double>(edge));
}

template <class Moment>
noisy_sums<double> moment_sums::sizes(double top, const accumulator_plan& plan, random_source& random, ledger& spent,
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
noisy_sums<Real> moment_sums::released(const accumulator_plan& plan, std::size_t threads, random_source& random,
                                       ledger& spent, const Add& add) const {
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

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

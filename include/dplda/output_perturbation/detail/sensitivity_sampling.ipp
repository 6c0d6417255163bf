// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_DETAIL_SENSITIVITY_SAMPLING_IPP
#define DPLDA_OUTPUT_PERTURBATION_DETAIL_SENSITIVITY_SAMPLING_IPP

// Bodies of output_perturbation/sensitivity_sampling.hpp, which has their claim, argument and test.

#include <dplda/output_perturbation/sensitivity_sampling.hpp>

#include <Eigen/Core>

#include <cmath>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::uint64_t fewest_pairs(double gamma) {
  detail::require(gamma > 1e-9 && gamma < 1, "fewest_pairs", "gamma", gamma, "must lie in (1e-9, 1)");
  auto h = static_cast<std::uint64_t>(std::ceil(1 / gamma)) - 1;
  if (std::fma(gamma, static_cast<double>(h + 1), -1.0) < 0) ++h;
  return h;
}

DPLDA_INLINE std::uint64_t sensitivity_rank(double gamma, std::uint64_t pairs) {
  detail::require(pairs >= fewest_pairs(gamma) && pairs < 1'000'000'000, "sensitivity_rank", "pairs", pairs,
                  detail::text("must be at least ", fewest_pairs(gamma), " for gamma = ", gamma, " and below 10^9"));
  const double all = static_cast<double>(pairs + 1);
  auto beyond = static_cast<std::uint64_t>(gamma * all);  // h + 1 - k, at most gamma (h + 1)
  if (std::fma(gamma, all, -static_cast<double>(beyond)) < 0) --beyond;
  return pairs + 1 - std::max<std::uint64_t>(1, beyond);
}

namespace detail {

DPLDA_INLINE double topics_apart(const topic_model<>& a, const topic_model<>& b, bool any_order) {
  require(a.topics() == b.topics() && a.words() == b.words(), "sample_sensitivity", "topics of two corpora",
          text(b.topics(), " x ", b.words()), text("must be the same for all, ", a.topics(), " x ", a.words()));
  if (!any_order) return (a.phi() - b.phi()).norm();
  Eigen::MatrixXd cost(a.phi().rows(), a.phi().rows());
  for (Eigen::Index i = 0; i < cost.rows(); ++i) {
    for (Eigen::Index j = 0; j < cost.cols(); ++j) cost(i, j) = (a.phi().row(i) - b.phi().row(j)).squaredNorm();
  }
  const std::vector<std::size_t> match = minimum_cost_assignment(cost);
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i)
    sum += cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(match[i]));
  return std::sqrt(sum);
}

DPLDA_INLINE corpus corpus_of_units(const corpus& law, const privacy_units& units,
                                    const std::vector<std::size_t>& slots) {
  corpus_builder builder;
  std::vector<user_id> users;
  std::vector<std::uint64_t> ids;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::uint64_t number = 0;
    for (const std::size_t d : units.documents(slots[slot])) {
      const document doc = law[d];
      for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
      builder.end_document();
      users.push_back(static_cast<user_id>(slot));
      ids.push_back(std::uint64_t{slot} << 32 | number++);
    }
  }
  if (units.unit() == privacy_unit::user) builder.set_users(std::move(users), slots.size());
  builder.set_ids(std::move(ids));
  return with_pruning(builder.build(law.vocab()), law.pruning());
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

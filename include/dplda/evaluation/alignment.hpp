// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_ALIGNMENT_HPP
#define DPLDA_EVALUATION_ALIGNMENT_HPP

// Topics have no natural order: before two models are compared, their topics must be paired.

#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/evaluation/distance.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Assigns each row a different column such that the sum of the chosen costs is minimal.
///
/// The Hungarian method, in O(rows^2 columns). Rows are added one by one. Potentials u, v keep every reduced cost
/// c(i, j) - u_i - v_j non-negative, and zero for chosen pairs. A new row is added along a cheapest alternating path
/// (Dijkstra on reduced costs), which preserves both properties, so the choice stays optimal. Throws
/// std::invalid_argument if there are more rows than columns or a cost is not finite.
std::vector<std::size_t> minimum_cost_assignment(const Eigen::MatrixXd& cost);

/// For each topic of `reference`, the matching topic of `model`: distinct topics with the least total distance.
/// Throws std::invalid_argument if the vocabularies differ or `model` has fewer topics than `reference`.
template <class Real, class RealReference>
std::vector<std::size_t> align_topics(const topic_model<Real>& model, const topic_model<RealReference>& reference,
                                      topic_distance distance = topic_distance::l1) {
  detail::require_same_vocabulary("align_topics", model.vocab(), reference.vocab());
  detail::require(model.topics() >= reference.topics(), "align_topics", "number of topics", model.topics(),
                  detail::text("must be at least the reference's number of topics, ", reference.topics()));
  // One topic per column, because each is read many times.
  const Eigen::MatrixXd to = reference.phi().transpose().template cast<double>();
  const Eigen::MatrixXd from = model.phi().transpose().template cast<double>();
  Eigen::MatrixXd cost(to.cols(), from.cols());
  for (Eigen::Index i = 0; i < cost.rows(); ++i) {
    for (Eigen::Index j = 0; j < cost.cols(); ++j) {
      cost(i, j) = detail::distance_of_topics(from.col(j), to.col(i), distance);
    }
  }
  return minimum_cost_assignment(cost);
}

/// A model of these topics, in this order, with their entries of alpha; select_topics(model, align_topics(model,
/// reference)) matches the reference row by row. Throws std::invalid_argument if a topic does not exist or the list is
/// empty.
template <class Real>
topic_model<Real> select_topics(const topic_model<Real>& model, std::span<const std::size_t> topics) {
  typename topic_model<Real>::matrix phi(static_cast<Eigen::Index>(topics.size()), model.phi().cols());
  Eigen::VectorXd alpha(model.alpha().size() == 0 ? 0 : phi.rows());
  for (std::size_t k = 0; k < topics.size(); ++k) {
    detail::require(topics[k] < model.topics(), "select_topics", "topic", topics[k],
                    detail::text("must be below the number of topics, ", model.topics()));
    const auto to = static_cast<Eigen::Index>(k), from = static_cast<Eigen::Index>(topics[k]);
    phi.row(to) = model.phi().row(from);
    if (alpha.size() > 0) alpha[to] = model.alpha()[from];
  }
  topic_model<Real> selected(std::move(phi), model.vocab(), std::move(alpha));
  return model.released() ? as_released(std::move(selected)) : selected;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/alignment.ipp>
#endif

#endif

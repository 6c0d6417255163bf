// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DISTANCE_HPP
#define DPLDA_EVALUATION_DISTANCE_HPP

// Distances between two topic models, row k of one against row k of the other: align them first
// (evaluation/alignment.hpp).

#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace dplda::inline v0_1 {

/// A distance between two topics p and q.
enum class topic_distance {
  l1,        ///< sum |p - q|, in [0, 2]
  l2,        ///< sqrt(sum (p - q)^2), in [0, sqrt 2]
  hellinger  ///< sqrt(sum (sqrt p - sqrt q)^2 / 2), in [0, 1]
};

/// A comparison of two models. Models of K topics have K distances of each kind; sums and means are over topics.
struct model_comparison {
  double l1_sum = 0;
  double l1_mean = 0;
  double l2_sum = 0;  ///< of the topics' Euclidean distances; the Frobenius norm of the difference is rmse * sqrt(K V)
  double l2_mean = 0;
  double hellinger_mean = 0;
  double rmse = 0;                ///< root of the mean squared difference over all K V entries
  double kendall_tau_b_mean = 0;  ///< 1: all topics rank the words alike, 0: unrelated, -1: reversed
};

namespace detail {

template <class TopicA, class TopicB>
double distance_of_topics(const TopicA& a, const TopicB& b, topic_distance distance) {
  const auto p = a.template cast<double>().array();
  const auto q = b.template cast<double>().array();
  switch (distance) {
    case topic_distance::l2:
      return std::sqrt((p - q).square().sum());
    case topic_distance::hellinger:
      return std::sqrt((p.sqrt() - q.sqrt()).square().sum() / 2);
    case topic_distance::l1:
      break;
  }
  return (p - q).abs().sum();
}

template <class RealA, class RealB>
void require_comparable(std::string_view function, const topic_model<RealA>& a, const topic_model<RealB>& b) {
  require_same_vocabulary(function, a.vocab(), b.vocab());
  require(a.topics() == b.topics(), function, "number of topics", a.topics(),
          text("must be the other model's number of topics, ", b.topics()));
}

}  // namespace detail

/// Kendall's rank correlation tau-b of two lists, in O(n log n) (Knight 1966):
///
///     tau_b = (concordant - discordant pairs) / sqrt((pairs not tied in x) (pairs not tied in y)), in [-1, 1];
///
/// 0 if all items of a list are tied. Throws std::invalid_argument if the sizes differ or a value is NaN.
double kendall_tau_b(std::span<const double> x, std::span<const double> y);

/// The distance of each topic of `a` from the topic of `b` with the same number.
/// Throws std::invalid_argument if vocabularies or numbers of topics differ.
template <class RealA, class RealB>
std::vector<double> distance_per_topic(const topic_model<RealA>& a, const topic_model<RealB>& b,
                                       topic_distance distance) {
  detail::require_comparable("distance_per_topic", a, b);
  std::vector<double> distances(a.topics());
  for (std::size_t k = 0; k < distances.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    distances[k] = detail::distance_of_topics(a.phi().row(row), b.phi().row(row), distance);
  }
  return distances;
}

/// Kendall's tau-b between the probabilities of all words, for each topic.
/// Throws std::invalid_argument if vocabularies or numbers of topics differ.
template <class RealA, class RealB>
std::vector<double> kendall_tau_b_per_topic(const topic_model<RealA>& a, const topic_model<RealB>& b) {
  detail::require_comparable("kendall_tau_b_per_topic", a, b);
  std::vector<double> taus(a.topics());
  for (std::size_t k = 0; k < taus.size(); ++k) {
    const Eigen::VectorXd x = a.phi().row(static_cast<Eigen::Index>(k)).transpose().template cast<double>();
    const Eigen::VectorXd y = b.phi().row(static_cast<Eigen::Index>(k)).transpose().template cast<double>();
    taus[k] = kendall_tau_b({x.data(), a.words()}, {y.data(), b.words()});
  }
  return taus;
}

/// All distances at once. Throws std::invalid_argument if vocabularies or numbers of topics differ.
template <class RealA, class RealB>
model_comparison compare_models(const topic_model<RealA>& a, const topic_model<RealB>& b) {
  const auto sum = [](const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); };
  const double topics = static_cast<double>(a.topics());
  const std::vector<double> l2 = distance_per_topic(a, b, topic_distance::l2);
  model_comparison result;
  result.l1_sum = sum(distance_per_topic(a, b, topic_distance::l1));
  result.l1_mean = result.l1_sum / topics;
  result.l2_sum = sum(l2);
  result.l2_mean = result.l2_sum / topics;
  result.hellinger_mean = sum(distance_per_topic(a, b, topic_distance::hellinger)) / topics;
  result.rmse =
      std::sqrt(std::inner_product(l2.begin(), l2.end(), l2.begin(), 0.0) / (topics * static_cast<double>(a.words())));
  result.kendall_tau_b_mean = sum(kendall_tau_b_per_topic(a, b)) / topics;
  return result;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/distance.ipp>
#endif

#endif

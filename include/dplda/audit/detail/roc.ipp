// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_ROC_IPP
#define DPLDA_AUDIT_DETAIL_ROC_IPP

// Bodies of audit/roc.hpp.

#include <dplda/audit/roc.hpp>

#include <cmath>
#include <limits>

namespace dplda::inline v0_1 {

DPLDA_INLINE roc_curve::roc_curve(std::vector<scored_document> scored) {
  for (const scored_document& one : scored) {
    detail::require(std::isfinite(one.score), "roc_curve", "score", one.score, "must be finite");
    ++(one.member ? members_ : others_);
  }
  detail::require(members_ > 0, "roc_curve", "number of members", members_, "must be at least 1");
  detail::require(others_ > 0, "roc_curve", "number of others", others_, "must be at least 1");
  std::sort(scored.begin(), scored.end(),
            [](const scored_document& a, const scored_document& b) { return a.score > b.score; });
  std::size_t false_positives = 0, true_positives = 0;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    if (i == 0 || scored[i].score != scored[i - 1].score) {
      points_.push_back({scored[i].score, false_positives, true_positives});
    }
    ++(scored[i].member ? true_positives : false_positives);
  }
  points_.push_back({-std::numeric_limits<double>::infinity(), false_positives, true_positives});
}

DPLDA_INLINE double roc_curve::auc() const {
  double area = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const auto width = static_cast<double>(points_[i].false_positives - points_[i - 1].false_positives);
    area += width * static_cast<double>(points_[i].true_positives + points_[i - 1].true_positives) / 2;
  }
  return area / (static_cast<double>(members_) * static_cast<double>(others_));
}

DPLDA_INLINE roc_rates roc_curve::at(double rate, double confidence) const {
  detail::require(rate >= 0 && rate <= 1, "roc_curve::at", "rate", rate, "must lie in [0, 1]");
  const std::size_t most = most_false_positives(rate);
  const auto beyond = std::partition_point(points_.begin(), points_.end(),
                                           [&](const roc_point& point) { return point.false_positives <= most; });
  const roc_point& point = *(beyond - 1);  // the first point has no false positive
  roc_rates rates{point.threshold, clopper_pearson(point.false_positives, others_, confidence),
                  clopper_pearson(point.true_positives, members_, confidence)};
  rates.false_positive_rate.high = clopper_pearson(most, others_, confidence).high;
  return rates;
}

DPLDA_INLINE double roc_curve::with_random_ties(double rate) const {
  detail::require(rate >= 0 && rate <= 1, "roc_curve::with_random_ties", "rate", rate, "must lie in [0, 1]");
  const double wanted = rate * static_cast<double>(others_);
  const std::size_t most = most_false_positives(rate);
  const auto next = std::partition_point(points_.begin(), points_.end(),
                                         [&](const roc_point& point) { return point.false_positives <= most; });
  const roc_point& last = *(next - 1);
  auto caught = static_cast<double>(last.true_positives);
  if (next != points_.end()) {
    const auto step = static_cast<double>(next->false_positives - last.false_positives);
    caught += std::max(0.0, wanted - static_cast<double>(last.false_positives)) / step *
              static_cast<double>(next->true_positives - last.true_positives);
  }
  return caught / static_cast<double>(members_);
}

DPLDA_INLINE std::vector<roc_rates> roc_curve::band(std::span<const double> rates, double confidence) const {
  detail::require_confidence(confidence, "roc_curve::band");
  std::vector<roc_rates> points;
  for (const double rate : rates) {
    points.push_back(at(rate, 1 - (1 - confidence) / (2 * static_cast<double>(rates.size()))));
  }
  return points;
}

DPLDA_INLINE std::size_t roc_curve::most_false_positives(double rate) const {
  return std::min(others_, static_cast<std::size_t>(rate * static_cast<double>(others_) * (1 + 1e-12)));
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_ROC_HPP
#define DPLDA_AUDIT_ROC_HPP

#include <dplda/audit/rates.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dplda {

/// An attack's score of a document, and the truth.
struct scored_document {
  double score = 0;
  bool member = false;
};

/// A point of a ROC curve: documents with scores above `threshold` are called members.
struct roc_point {
  double threshold = 0;
  std::size_t false_positives = 0;
  std::size_t true_positives = 0;
};

/// The rates at a point, with exact intervals.
struct roc_rates {
  double threshold = 0;
  rate_interval false_positive_rate;
  rate_interval true_positive_rate;
};

/// How well scores tell members from others, at each threshold. To pool repetitions of an attack, give the scores of
/// all of them at once.
///
/// Intervals count documents as independent. Scores of one model are not quite: take them as what would be seen if other
/// documents were drawn, not another model, and pool several models.
class roc_curve {
 public:
  /// Throws std::invalid_argument if there is not at least one member and one other, or if a score is not finite.
  explicit roc_curve(std::vector<scored_document> scored) {
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

  std::size_t members() const noexcept { return members_; }
  std::size_t others() const noexcept { return others_; }
  /// From no document to all, one for each set of documents that a threshold can cut off.
  const std::vector<roc_point>& points() const noexcept { return points_; }

  /// The area under the curve: the probability that a member scores higher than another document, ties by half.
  double auc() const {
    double area = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const auto width = static_cast<double>(points_[i].false_positives - points_[i - 1].false_positives);
      area += width * static_cast<double>(points_[i].true_positives + points_[i - 1].true_positives) / 2;
    }
    return area / (static_cast<double>(members_) * static_cast<double>(others_));
  }

  /// The rates at the lowest threshold whose observed false positive rate is at most `rate`. That the threshold was
  /// chosen by the others' scores does no harm: members' scores had no part in it, and it is the order statistic of rank
  /// floor(rate * others()) whatever the ties, so that the false positive rate's upper end is that of so many false
  /// positives, even where ties leave fewer. (Its lower end is that of those seen.) Throws std::invalid_argument if rate
  /// is outside [0, 1], or confidence outside (0, 1).
  roc_rates at(double rate = 0.001, double confidence = 0.95) const {
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

  /// The true positive rate at exactly this false positive rate of an attack that tosses coins among documents of one
  /// score: the line between two points. Scores with many ties need it. Throws std::invalid_argument if rate is outside
  /// [0, 1].
  double with_random_ties(double rate = 0.001) const {
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

  /// The rates at several false positive rates, with intervals that all hold at once with the stated confidence (by
  /// Bonferroni's inequality over both rates of each point). Throws as `at` does.
  std::vector<roc_rates> band(std::span<const double> rates, double confidence = 0.95) const {
    detail::require_confidence(confidence, "roc_curve::band");
    std::vector<roc_rates> points;
    for (const double rate : rates) {
      points.push_back(at(rate, 1 - (1 - confidence) / (2 * static_cast<double>(rates.size()))));
    }
    return points;
  }

 private:
  /// floor(rate * others), where a product that rounding left just below an integer counts as that integer.
  std::size_t most_false_positives(double rate) const {
    return std::min(others_, static_cast<std::size_t>(rate * static_cast<double>(others_) * (1 + 1e-12)));
  }

  std::vector<roc_point> points_;
  std::size_t members_ = 0, others_ = 0;
};

}  // namespace dplda

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_ROC_HPP
#define DPLDA_AUDIT_ROC_HPP

#include <dplda/audit/rates.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

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

/// How well scores distinguish members from others, at each threshold. To pool repetitions of an attack, pass the
/// scores of all of them at once.
///
/// Intervals treat scores as independent. Those of one model are not quite: read the intervals as the variation if
/// other documents were drawn, not another model. If models are pooled, each document has several scores and the
/// intervals are too narrow: use rate_by_document, which draws documents.
class roc_curve {
 public:
  /// Throws std::invalid_argument if there is not at least one member and one other, or if a score is not finite.
  explicit roc_curve(std::vector<scored_document> scored);

  std::size_t members() const noexcept { return members_; }
  std::size_t others() const noexcept { return others_; }
  /// From no document to all, one for each set of documents that a threshold can cut off.
  const std::vector<roc_point>& points() const noexcept { return points_; }

  /// The area under the curve: the probability that a member scores higher than a non-member; ties count half.
  double auc() const;

  /// The rates at the lowest threshold whose observed false positive rate is at most `rate`. Each interval is for the
  /// true rate of this very threshold. The threshold's false positive rate is not `rate` but somewhere in its own
  /// interval, so read both together. The true positive rate's interval is not one for "the true positive rate at
  /// exactly this false positive rate": that would be wider, and rate_by_document gives it. The threshold may depend on
  /// the non-members' scores, because members' scores had no part in it. It is the order statistic of rank floor(rate *
  /// others()) whatever the ties, so the false positive rate's upper end is that of this many false positives, even if
  /// ties leave fewer. (Its lower end is that of the observed ones.) Throws std::invalid_argument if rate is outside
  /// [0, 1], or confidence is outside (0, 1).
  roc_rates at(double rate = 0.001, double confidence = 0.95) const;

  /// The true positive rate, at exactly this false positive rate, of an attack that tosses coins among documents of
  /// equal score: the line between two points. Useful for scores with many ties. Throws std::invalid_argument if rate
  /// is outside [0, 1].
  double with_random_ties(double rate = 0.001) const;

  /// The rates at several false positive rates, with intervals that all hold at once with the stated confidence (by
  /// Bonferroni's inequality over both rates of each point). Throws as `at` does.
  std::vector<roc_rates> band(std::span<const double> rates, double confidence = 0.95) const;

 private:
  /// floor(rate * others), where a product that rounding left just below an integer counts as that integer.
  std::size_t most_false_positives(double rate) const;

  std::vector<roc_point> points_;
  std::size_t members_ = 0, others_ = 0;
};

/// The true positive rate at a false positive rate, as in roc_curve::at, and a percentile interval by the bootstrap
/// over documents. Scores of one document under several models are not independent trials, so a Clopper-Pearson
/// interval would be too narrow; the bootstrap draws whole documents with all their scores. documents[i] is the
/// document of scored[i]. The attacked models are fixed: the interval describes what other documents would have given.
/// Throws std::invalid_argument as roc_curve and roc_curve::at do, and if sizes differ or resamples is 0.
template <class Generator>
rate_interval rate_by_document(const std::vector<scored_document>& scored, std::span<const std::size_t> documents,
                               Generator& bits, double rate = 0.001, double confidence = 0.95,
                               std::size_t resamples = 1000) {
  const char* const function = "rate_by_document";
  detail::require(documents.size() == scored.size(), function, "number of documents", documents.size(),
                  detail::text("must be the number of scores, ", scored.size()));
  detail::require(resamples >= 1, function, "resamples", resamples, "must be at least 1");
  rate_interval found{roc_curve(scored).at(rate, confidence).true_positive_rate.rate, 0, 1};
  std::vector<std::size_t> order(scored.size()), names(documents.begin(), documents.end());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scored[a].score > scored[b].score; });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::size_t> of(scored.size()),
      sides[2] = {std::vector<std::size_t>(names.size()), std::vector<std::size_t>(names.size())};
  for (std::size_t i = 0; i < scored.size(); ++i) {
    of[i] = static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), documents[i]) - names.begin());
    ++sides[scored[i].member ? 1 : 0][of[i]];
  }
  std::vector<double> rates;
  std::vector<std::size_t> drawn(names.size());
  for (std::size_t r = 0; r < resamples; ++r) {
    std::fill(drawn.begin(), drawn.end(), 0);
    for (std::size_t i = 0; i < drawn.size(); ++i) ++drawn[uniform_below(bits, drawn.size())];
    std::size_t totals[2] = {0, 0}, caught[2] = {0, 0}, before = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      for (const int side : {0, 1}) totals[side] += drawn[i] * sides[side][i];
    }
    if (totals[1] == 0) continue;  // no member was drawn
    const auto most = static_cast<std::size_t>(rate * static_cast<double>(totals[0]) * (1 + 1e-12));
    for (std::size_t i = 0; i < order.size(); ++i) {
      // A threshold takes all documents of equal score or none.
      if (i == 0 || scored[order[i]].score != scored[order[i - 1]].score) before = caught[1];
      caught[scored[order[i]].member ? 1 : 0] += drawn[of[order[i]]];
      if (caught[0] > most) break;
      if (i + 1 == order.size()) before = caught[1];
    }
    rates.push_back(static_cast<double>(before) / static_cast<double>(totals[1]));
  }
  if (rates.empty()) return found;
  std::sort(rates.begin(), rates.end());
  const auto at = [&](double share) {
    return rates[std::min(rates.size() - 1, static_cast<std::size_t>(share * static_cast<double>(rates.size())))];
  };
  found.low = std::min(found.rate, at((1 - confidence) / 2));
  found.high = std::max(found.rate, at((1 + confidence) / 2));
  return found;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/roc.ipp>
#endif

#endif

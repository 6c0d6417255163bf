// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_RISK_HPP
#define DPLDA_AUDIT_RISK_HPP

// Which documents are at risk, how well that is known from few shadow models, and what a guarantee allows.
//
// Claim: (1) With the stated confidence, all intervals of documents_at_risk contain their documents' detection rates at
//   once. (2) With the same confidence, no document stands out whose statistic does not depend on membership.
//   (3) No attack that distinguishes two neighbouring datasets has a true positive rate above largest_detection at that
//   false positive rate.
// Preconditions: pairs of shadow models are independent of each other, as train_shadows makes them. (1) The statistic
//   is normal IN and normal OUT; shapiro_wilk (diagnostics.hpp) tests for violations. (2) needs no normal distribution:
//   its null hypothesis is that the two statistics of a pair may be exchanged. (3) The budget or ledger holds.
// Argument: (1) With n normal values, sqrt(n) (mean - t) / deviation has a noncentral t distribution. Its inversion
//   gives exact limits for a quantile t of the values and for P(value > t). The threshold that accuses falsely at the
//   given rate is a quantile of the values OUT. The rate's lower limit is that of P(value IN > t) at the upper limit of
//   t, its upper limit the reverse. By Bonferroni's inequality, each of these four limits gets a quarter of a
//   document's error probability, and each document gets an equal share of the total. IN and OUT may depend on each
//   other. (2) To stand out, a document needs more pairs with the higher statistic IN than fair coins give (the sign
//   test, exact), at a level divided by the number of documents. It also needs an interval above the false positive
//   rate. (3) A set of outputs that has probability a without the unit has at most e^epsilon a + delta with it, and its
//   complement gives 1 - e^-epsilon (1 - delta - a). A ledger has a delta for each epsilon: each gives a bound, so the
//   smallest of them is one too.
// What shadow models measure is not exactly what a guarantee bounds. Halves of an even number of documents have equal
//   sizes, so a half without the document has another one in its place. If F(a) is largest_detection for one unit more
//   or less, the detection rate of the shadow models is at most F(F(a)): F is concave, so averages over the other
//   documents keep the bound. A half of 2 k + 1 documents has k or k + 1. All but a share of 1 / (2 k + 1) of the
//   halves with the document are paired with halves without it of the same size; the remaining ones, of size k + 1, are
//   paired with halves of size k, for which F(a) <= F(F(a)) holds.
// Test: tests/audit/risk_test.cpp (coverage, false alarms, and that intervals of a third of the width are caught).

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/lira.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/minima.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

/// How much a model reveals about one document.
struct document_risk {
  std::size_t document = 0;  ///< its position in the corpus
  /// mean IN - mean OUT, in standard deviations OUT. It should be positive. (The Kullback-Leibler divergence, which the
  /// paper uses, is never negative, so it cannot show that the statistic rises.)
  double separation = 0;
  double divergence = 0;  ///< Kullback-Leibler, of the law IN from the law OUT
  /// The chance that a threshold detects the document if the model was trained on it. If it was not, the threshold
  /// falsely accuses it at the given rate. The estimate of the fitted laws, and an interval that holds for all
  /// documents at once.
  rate_interval detection = {};
  bool stands_out = false;  ///< whether that can be distinguished from chance
};

namespace detail {

/// The observed excess of the mean of n normal values over a threshold, in sample deviations, if the true excess is
/// `excess` true deviations: sqrt(n) times it has a noncentral t distribution, (Z + sqrt(n) excess) / S, where Z is
/// normal and S is the root of an independent chi-squared variable over its n - 1 degrees.
class excess_law {
 public:
  explicit excess_law(std::size_t values)
      : root_(std::sqrt(static_cast<double>(values))),
        half_((static_cast<double>(values) - 1) / 2),
        least_(std::sqrt(boost::math::gamma_p_inv(half_, 1e-25, audit_policy()) / half_)),
        largest_(std::sqrt(boost::math::gamma_q_inv(half_, 1e-25, audit_policy()) / half_)),
        log_factor_(std::log(2.0) + half_ * std::log(half_) - std::lgamma(half_)) {}

  /// The chance to observe at least this much, to about 1e-12: the integral over S of its density times
  /// P(Z > t S - center).
  double chance_above(double seen, double excess) const {
    const double t = seen * root_, center = excess * root_;
    if (t == 0) return normal_cdf(center);
    // More than 10 from where t S = center, P(Z > t S - center) is 0 or 1.
    const double low = std::clamp((center - 10 * (t > 0 ? 1 : -1)) / t, least_, largest_),
                 high = std::clamp((center + 10 * (t > 0 ? 1 : -1)) / t, least_, largest_);
    double chance = t > 0 ? boost::math::gamma_p(half_, half_ * low * low, audit_policy())
                          : boost::math::gamma_q(half_, half_ * high * high, audit_policy());
    const int panels = 8;
    for (int i = 0; i < panels; ++i) {
      const double left = low + (high - low) * i / panels, right = low + (high - low) * (i + 1) / panels;
      chance += boost::math::quadrature::gauss<double, 15, audit_policy>::integrate(
          [&](double s) {
            return std::exp(log_factor_ + (2 * half_ - 1) * std::log(s) - half_ * s * s) * normal_cdf(center - t * s);
          },
          left, right);
    }
    return chance;
  }

 private:
  double root_, half_;
  double least_, largest_;  // S is outside with a chance of 2e-25
  double log_factor_;
};

/// The x in [low, high] where a decreasing function falls below `value`, rounded down or up.
template <class Function>
double falls_below(double value, double low, double high, bool up, Function&& f) {
  while (high - low > 1e-9 * std::max(1.0, std::abs(low))) {
    const double middle = (low + high) / 2;
    (f(middle) < value ? high : low) = middle;
  }
  return up ? high : low;
}

/// Limits for a detection rate, from numbers of normal values; each limit for a quantile or a rate errs with
/// probability `tail`.
class detection_limits {
 public:
  detection_limits(std::size_t with, std::size_t without, double false_positive_rate, double tail)
      : in_(with), tail_(tail), quantile_(-normal_quantile(false_positive_rate)) {
    const excess_law out(without);
    const auto below = [&](double chance, bool up) {
      const auto exceeds = [&](double seen) { return out.chance_above(seen, quantile_); };
      double end = 1;
      while (exceeds(end) >= chance) end *= 2;
      double begin = -1;
      while (exceeds(begin) < chance) begin *= 2;
      return falls_below(chance, begin, end, up, exceeds);
    };
    lowest_ = below(1 - tail, false);
    highest_ = below(tail, true);
  }

  rate_interval operator()(const membership_laws& laws) const {
    const auto& in = laws.in;
    const auto& out = laws.out;
    const auto above = [&](double deviations) {  // by how many deviations IN the mean exceeds the threshold
      return (in.mean - out.mean - deviations * out.deviation) / in.deviation;
    };
    const double most = 9;  // normal probabilities of 1e-19 and 1 - 1e-19 count as 0 and 1
    const double highest = above(lowest_), lowest = above(highest_);
    const double low = -falls_below(tail_, -most, most, true, [&](double x) { return in_.chance_above(lowest, -x); });
    const double high =
        falls_below(tail_, -most, most, true, [&](double x) { return 1 - in_.chance_above(highest, x); });
    return {normal_cdf(above(quantile_)), low < 1e-6 - most ? 0 : normal_cdf(low), normal_cdf(high)};
  }

 private:
  excess_law in_;
  double tail_, quantile_;
  double lowest_, highest_;  // limits of the threshold, in deviations OUT above the mean OUT
};

/// The chance that at least `heads` of `coins` fair coins show heads.
inline double sign_test(std::size_t heads, std::size_t coins) {
  if (heads == 0) return 1;
  return boost::math::ibeta(static_cast<double>(heads), static_cast<double>(coins - heads + 1), 0.5, audit_policy());
}

}  // namespace detail

/// The risk of each document, from its statistics under shadow models (shadows x documents) that come in pairs: of rows
/// 2j and 2j + 1, one was trained on the document and the other was not, as train_shadows makes them. Documents that
/// stand out come first, by descending lower limit. All others follow in the order of the corpus, because a rate that
/// cannot be distinguished from chance has no rank. Throws std::invalid_argument if rows do not form pairs, if there
/// are fewer than two pairs, if false_positive_rate or confidence is outside (0, 1), and as fit_laws does.
inline std::vector<document_risk> documents_at_risk(const Eigen::MatrixXd& statistics, const membership& members,
                                                    double false_positive_rate = 0.001, double confidence = 0.95) {
  const char* const function = "documents_at_risk";
  detail::require(false_positive_rate > 0 && false_positive_rate < 1, function, "false_positive_rate",
                  false_positive_rate, "must lie in (0, 1)");
  detail::require_confidence(confidence, function);
  const Eigen::Index pairs = statistics.rows() / 2;
  detail::require(statistics.rows() % 2 == 0 && pairs >= 2, function, "number of shadows", statistics.rows(),
                  "must be even and at least 4");
  const std::vector<membership_laws> laws = fit_laws(statistics, members);
  std::vector<document_risk> risks(laws.size());
  if (risks.empty()) return risks;
  const double allowed = (1 - confidence) / static_cast<double>(laws.size());
  const auto side = static_cast<std::size_t>(pairs);
  const detail::detection_limits limits(side, side, false_positive_rate, allowed / 4);
  for (std::size_t d = 0; d < laws.size(); ++d) {
    const auto column = static_cast<Eigen::Index>(d);
    std::size_t higher = 0, different = 0;
    for (Eigen::Index s = 0; s < statistics.rows(); s += 2) {
      const bool first = members(s, column);
      detail::require(first != members(s + 1, column), function, detail::text("shadows ", s, " and ", s + 1),
                      first ? "both with" : "both without",
                      detail::text("must be one with document ", d, " and one without"));
      const double in = statistics(first ? s : s + 1, column), out = statistics(first ? s + 1 : s, column);
      higher += in > out;
      different += in != out;
    }
    const auto& [in, out] = laws[d];
    const double ratio = in.deviation / out.deviation, apart = (in.mean - out.mean) / out.deviation;
    risks[d] = {d, apart, (ratio * ratio + apart * apart - 1) / 2 - std::log(ratio), limits(laws[d]), false};
    risks[d].stands_out =
        risks[d].detection.low > false_positive_rate && detail::sign_test(higher, different) <= allowed;
  }
  detail::stable_sort(risks.begin(), risks.end(), [](const document_risk& a, const document_risk& b) {
    if (!a.stands_out || !b.stands_out) return a.stands_out && !b.stands_out;
    return a.detection.low != b.detection.low ? a.detection.low > b.detection.low : a.separation > b.separation;
  });
  return risks;
}

/// How many shadow models are needed before any of `documents` documents can stand out.
/// Throws std::invalid_argument if there is no document, or confidence is outside (0, 1).
inline std::size_t shadows_to_stand_out(std::size_t documents, double confidence = 0.95) {
  detail::require(documents >= 1, "shadows_to_stand_out", "documents", documents, "must be at least 1");
  detail::require_confidence(confidence, "shadows_to_stand_out");
  std::size_t pairs = 2;
  while (detail::sign_test(pairs, pairs) > (1 - confidence) / static_cast<double>(documents)) ++pairs;
  return 2 * pairs;
}

/// The largest true positive rate that differential privacy allows at a false positive rate, between neighbouring
/// datasets.
/// Throws std::invalid_argument if the rate is outside [0, 1], epsilon is negative or NaN, or delta is outside [0, 1].
inline double largest_detection(const budget& spent, double false_positive_rate) {
  const char* const function = "largest_detection";
  detail::require(false_positive_rate >= 0 && false_positive_rate <= 1, function, "false_positive_rate",
                  false_positive_rate, "must lie in [0, 1]");
  detail::require(spent.epsilon >= 0, function, "epsilon", spent.epsilon, "must be at least 0");
  detail::require(spent.delta >= 0 && spent.delta <= 1, function, "delta", spent.delta, "must lie in [0, 1]");
  if (std::isinf(spent.epsilon)) return 1;
  const double factor = std::exp(spent.epsilon), left = 1 - spent.delta - false_positive_rate;
  const double directly = false_positive_rate == 0 ? spent.delta : factor * false_positive_rate + spent.delta;
  const double bound = std::min(directly, left > 0 ? 1 - left / factor : 1.0);
  if (bound == 0) return 0;
  return std::clamp(bound * (1 + 1e-12) + 1e-15, false_positive_rate, 1.0);  // raised by more than the rounding error
}

/// The same for a ledger, with its unit and neighbouring relation: the least bound over its epsilons, each with its
/// delta.
/// Throws std::invalid_argument if the rate is outside [0, 1].
inline double largest_detection(const ledger& book, double false_positive_rate) {
  double least = 1;
  const auto bound = [&](double epsilon) {
    const double delta = ledger_delta(book, epsilon).upper;
    least = std::min(least, largest_detection(budget{epsilon, delta}, false_positive_rate));
    return delta;
  };
  bound(0);
  // Each of the two bounds has one minimum, as delta is convex in e^epsilon. Beyond these ends it is above `least`.
  const double most = 30, rate = false_positive_rate;
  const auto search = [&](double end, auto&& from_delta) {
    if (!(end > 0)) return;
    std::uintmax_t evaluations = 30;
    boost::math::tools::brent_find_minima([&](double epsilon) { return from_delta(std::exp(epsilon), bound(epsilon)); },
                                          0.0, std::min(end, most), 12, evaluations);
  };
  search(rate > 0 ? std::log(least / rate) : most, [&](double factor, double delta) { return factor * rate + delta; });
  search(least < 1 ? std::log((1 - rate) / (1 - least)) : most,
         [&](double factor, double delta) { return (delta + rate - 1) / factor; });
  return least;
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_RISK_IPP
#define DPLDA_AUDIT_DETAIL_RISK_IPP

// Bodies of audit/risk.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/audit/risk.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/minima.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE excess_law::excess_law(std::size_t values)
    : root_(std::sqrt(static_cast<double>(values))),
      half_((static_cast<double>(values) - 1) / 2),
      least_(std::sqrt(boost::math::gamma_p_inv(half_, 1e-25, audit_policy()) / half_)),
      largest_(std::sqrt(boost::math::gamma_q_inv(half_, 1e-25, audit_policy()) / half_)),
      log_factor_(std::log(2.0) + half_ * std::log(half_) - std::lgamma(half_)) {}

DPLDA_INLINE double excess_law::chance_above(double seen, double excess) const {
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

/// The x in [low, high] where a decreasing function falls below `value`, rounded down or up.
template <class Function>
double falls_below(double value, double low, double high, bool up, Function&& f) {
  while (high - low > 1e-9 * std::max(1.0, std::abs(low))) {
    const double middle = (low + high) / 2;
    (f(middle) < value ? high : low) = middle;
  }
  return up ? high : low;
}

DPLDA_INLINE detection_limits::detection_limits(std::size_t with, std::size_t without, double false_positive_rate,
                                                double tail)
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

DPLDA_INLINE rate_interval detection_limits::operator()(const membership_laws& laws) const {
  const auto& in = laws.in;
  const auto& out = laws.out;
  const auto above = [&](double deviations) {  // by how many deviations IN the mean exceeds the threshold
    return (in.mean - out.mean - deviations * out.deviation) / in.deviation;
  };
  const double most = 9;  // normal probabilities of 1e-19 and 1 - 1e-19 count as 0 and 1
  const double highest = above(lowest_), lowest = above(highest_);
  const double low = -falls_below(tail_, -most, most, true, [&](double x) { return in_.chance_above(lowest, -x); });
  const double high = falls_below(tail_, -most, most, true, [&](double x) { return 1 - in_.chance_above(highest, x); });
  return {normal_cdf(above(quantile_)), low < 1e-6 - most ? 0 : normal_cdf(low), normal_cdf(high)};
}

/// The chance that at least `heads` of `coins` fair coins show heads.
inline double sign_test(std::size_t heads, std::size_t coins) {
  if (heads == 0) return 1;
  return boost::math::ibeta(static_cast<double>(heads), static_cast<double>(coins - heads + 1), 0.5, audit_policy());
}

}  // namespace detail

DPLDA_INLINE std::vector<document_risk> documents_at_risk(const Eigen::MatrixXd& statistics, const membership& members,
                                                          double false_positive_rate, double confidence) {
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

DPLDA_INLINE std::size_t shadows_to_stand_out(std::size_t documents, double confidence) {
  detail::require(documents >= 1, "shadows_to_stand_out", "documents", documents, "must be at least 1");
  detail::require_confidence(confidence, "shadows_to_stand_out");
  std::size_t pairs = 2;
  while (detail::sign_test(pairs, pairs) > (1 - confidence) / static_cast<double>(documents)) ++pairs;
  return 2 * pairs;
}

DPLDA_INLINE double largest_detection(const budget& spent, double false_positive_rate) {
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

DPLDA_INLINE double largest_detection(const ledger& book, double false_positive_rate) {
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

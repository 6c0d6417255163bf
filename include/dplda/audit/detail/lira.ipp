// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_LIRA_IPP
#define DPLDA_AUDIT_DETAIL_LIRA_IPP

// Bodies of audit/lira.hpp.

#include <dplda/audit/lira.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

struct side_summary {
  std::size_t count = 0;
  double center = 0;
  double squares = 0;  // sum of squared distances to the mean
};

inline side_summary summarise(std::vector<double>& values, center_rule rule) {
  side_summary side;
  side.count = values.size();
  double mean = 0;  // NaN (0 / 0) if there are none
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values) side.squares += (value - mean) * (value - mean);
  side.center = mean;
  if (rule == center_rule::median && !values.empty()) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    side.center = *middle;
    if (values.size() % 2 == 0) side.center = (side.center + *std::max_element(values.begin(), middle)) / 2;
  }
  return side;
}

inline double deviation_of(double squares, double degrees, double least) {
  return std::max(least, degrees > 0 ? std::sqrt(squares / degrees) : 0.0);
}

}  // namespace detail

DPLDA_INLINE std::vector<membership_laws> fit_laws(const Eigen::MatrixXd& statistics, const membership& members,
                                                   const lira_options& options) {
  const char* const function = "fit_laws";
  detail::require(members.rows() == statistics.rows() && members.cols() == statistics.cols(), function,
                  "shape of members", detail::text(members.rows(), " x ", members.cols()),
                  detail::text("must be that of the statistics, ", statistics.rows(), " x ", statistics.cols()));
  detail::require(options.least_spread > 0, function, "least_spread", options.least_spread, "must be positive");
  const std::size_t fewest = options.spread == spread_rule::separate ? 2 : 1;
  std::vector<membership_laws> laws(static_cast<std::size_t>(statistics.cols()));
  double squares[2] = {0, 0}, degrees[2] = {0, 0};
  bool offline = true;  // no document has a shadow IN
  std::vector<double> values[2];
  for (Eigen::Index d = 0; d < statistics.cols(); ++d) {
    for (auto& side : values) side.clear();
    for (Eigen::Index s = 0; s < statistics.rows(); ++s) {
      const double value = statistics(s, d);
      if (!std::isfinite(value)) {
        detail::refuse(function, detail::text("statistic (", s, ", ", d, ")"), value, "must be finite");
      }
      values[members(s, d) ? 0 : 1].push_back(value);
    }
    const auto in = detail::summarise(values[0], options.center), out = detail::summarise(values[1], options.center);
    detail::require(in.count == 0 || in.count >= fewest, function,
                    detail::text("the number of shadows with document ", d), in.count,
                    detail::text("must be 0 or at least ", fewest));
    detail::require(out.count >= fewest, function, detail::text("the number of shadows without document ", d),
                    out.count, detail::text("must be at least ", fewest));
    const double in_degrees = std::max(1.0, static_cast<double>(in.count)) - 1,
                 out_degrees = static_cast<double>(out.count) - 1;
    membership_laws& law = laws[static_cast<std::size_t>(d)];
    law = {{in.center, detail::deviation_of(in.squares, in_degrees, options.least_spread)},
           {out.center, detail::deviation_of(out.squares, out_degrees, options.least_spread)}};
    if (options.spread == spread_rule::shared) {
      detail::require(in_degrees + out_degrees > 0, function, "number of shadows", statistics.rows(),
                      "must be at least 3");
      law.in.deviation = law.out.deviation =
          detail::deviation_of(in.squares + out.squares, in_degrees + out_degrees, options.least_spread);
    }
    offline = offline && in.count == 0;
    squares[0] += in.squares;
    squares[1] += out.squares;
    degrees[0] += in_degrees;
    degrees[1] += out_degrees;
  }
  if (options.spread == spread_rule::pooled && !laws.empty()) {
    detail::require(offline || degrees[0] > 0, function, "degrees of freedom of the pooled spread IN", degrees[0],
                    "must be positive: some document needs 2 shadows with it");
    detail::require(degrees[1] > 0, function, "degrees of freedom of the pooled spread OUT", degrees[1],
                    "must be positive: some document needs 2 shadows without it");
    for (membership_laws& law : laws) {
      law.in.deviation = detail::deviation_of(squares[0], degrees[0], options.least_spread);
      law.out.deviation = detail::deviation_of(squares[1], degrees[1], options.least_spread);
    }
  }
  return laws;
}

namespace detail {

template <class Score>
std::vector<double> scores_of(std::string_view function, const std::vector<membership_laws>& laws,
                              const Eigen::VectorXd& target, Score&& score) {
  require(static_cast<std::size_t>(target.size()) == laws.size(), function, "number of the target's statistics",
          target.size(), text("must be the number of documents, ", laws.size()));
  std::vector<double> scores(laws.size());
  for (std::size_t d = 0; d < laws.size(); ++d) {
    const double value = target[static_cast<Eigen::Index>(d)];
    require(std::isfinite(value), function, text("the target's statistic ", d), value, "must be finite");
    scores[d] = score(laws[d], value);
  }
  return scores;
}

}  // namespace detail

DPLDA_INLINE std::vector<double> online_lira(const std::vector<membership_laws>& laws, const Eigen::VectorXd& target) {
  return detail::scores_of("online_lira", laws, target, [](const membership_laws& law, double value) {
    detail::require(!std::isnan(law.in.mean), "online_lira", "number of shadows with a document", 0,
                    "must be positive (offline_lira needs none)");
    const double in = (value - law.in.mean) / law.in.deviation, out = (value - law.out.mean) / law.out.deviation;
    return (out * out - in * in) / 2 + std::log(law.out.deviation / law.in.deviation);
  });
}

DPLDA_INLINE std::vector<double> offline_lira(const std::vector<membership_laws>& laws, const Eigen::VectorXd& target) {
  return detail::scores_of("offline_lira", laws, target, [](const membership_laws& law, double value) {
    return (value - law.out.mean) / law.out.deviation;
  });
}

namespace detail {

/// The users that have documents, ascending, and the position in that list of each document's user.
struct users_of_documents {
  std::vector<user_id> users;
  std::vector<Eigen::Index> place;
};

inline users_of_documents users_of(const corpus& docs) {
  users_of_documents found;
  std::vector<Eigen::Index> place(docs.users(), -1);  // -1: no documents
  for (std::size_t d = 0; d < docs.size(); ++d) place[docs.user(d)] = 0;
  for (std::size_t u = 0; u < place.size(); ++u) {
    if (place[u] < 0) continue;
    place[u] = static_cast<Eigen::Index>(found.users.size());
    found.users.push_back(static_cast<user_id>(u));
  }
  for (std::size_t d = 0; d < docs.size(); ++d) found.place.push_back(place[docs.user(d)]);
  return found;
}

}  // namespace detail

DPLDA_INLINE Eigen::VectorXd sum_by_user(const Eigen::VectorXd& target, const corpus& docs) {
  detail::require(static_cast<std::size_t>(target.size()) == docs.size(), "sum_by_user",
                  "number of the target's statistics", target.size(),
                  detail::text("must be the number of documents, ", docs.size()));
  const auto [users, place] = detail::users_of(docs);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(users.size()));
  for (std::size_t d = 0; d < docs.size(); ++d) sums[place[d]] += target[static_cast<Eigen::Index>(d)];
  return sums;
}

DPLDA_INLINE user_statistics sum_by_user(const Eigen::MatrixXd& statistics, const membership& members,
                                         const corpus& docs) {
  const char* const function = "sum_by_user";
  detail::require(static_cast<std::size_t>(statistics.cols()) == docs.size(), function, "number of columns",
                  statistics.cols(), detail::text("must be the number of documents, ", docs.size()));
  detail::require(members.rows() == statistics.rows() && members.cols() == statistics.cols(), function,
                  "shape of members", detail::text(members.rows(), " x ", members.cols()),
                  "must be that of the statistics");
  auto [users, place] = detail::users_of(docs);
  const auto columns = static_cast<Eigen::Index>(users.size());
  std::vector<bool> seen(users.size(), false);
  user_statistics sums{Eigen::MatrixXd::Zero(statistics.rows(), columns),
                       membership::Constant(statistics.rows(), columns, false), std::move(users)};
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const Eigen::Index user = place[d], column = static_cast<Eigen::Index>(d);
    sums.statistics.col(user) += statistics.col(column);
    if (!seen[static_cast<std::size_t>(user)]) sums.members.col(user) = members.col(column);
    seen[static_cast<std::size_t>(user)] = true;
    detail::require((sums.members.col(user) == members.col(column)).all(), function, "user", docs.user(d),
                    "must be in or out with all documents (shadow_options::unit)");
  }
  return sums;
}

}  // namespace dplda::inline v0_1

#endif

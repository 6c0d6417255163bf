// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_RMIA_IPP
#define DPLDA_AUDIT_DETAIL_RMIA_IPP

// Bodies of audit/rmia.hpp.

#include <dplda/audit/rmia.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dplda::inline v0_1 {

namespace detail {

/// log((e^a + e^b) / 2)
inline double log_mean_of_two(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log((std::exp(a - larger) + std::exp(b - larger)) / 2);
}

/// The logarithm of the mean of e^x over the shadows with, or without, a document.
inline double log_mean(const Eigen::MatrixXd& statistics, const membership& members, Eigen::Index d, bool with) {
  double largest = -std::numeric_limits<double>::infinity(), count = 0, sum = 0;
  for (Eigen::Index s = 0; s < statistics.rows(); ++s) {
    require(std::isfinite(statistics(s, d)), "rmia", text("statistic (", s, ", ", d, ")"), statistics(s, d),
            "must be finite");
    if (members(s, d) != with) continue;
    largest = std::max(largest, statistics(s, d));
    count += 1;
  }
  require(count > 0, "rmia", text("the number of shadows ", with ? "with" : "without", " document ", d), 0,
          "must be at least 1");
  for (Eigen::Index s = 0; s < statistics.rows(); ++s) {
    if (members(s, d) == with) sum += std::exp(statistics(s, d) - largest);
  }
  return largest + std::log(sum / count);
}

}  // namespace detail

DPLDA_INLINE std::vector<double> rmia(const Eigen::MatrixXd& statistics, const membership& members,
                                      const Eigen::VectorXd& target, rmia_reference reference) {
  detail::require(members.rows() == statistics.rows() && members.cols() == statistics.cols(), "rmia",
                  "shape of members", detail::text(members.rows(), " x ", members.cols()),
                  detail::text("must be that of the statistics, ", statistics.rows(), " x ", statistics.cols()));
  detail::require(target.size() == statistics.cols(), "rmia", "number of the target's statistics", target.size(),
                  detail::text("must be the number of documents, ", statistics.cols()));
  std::vector<double> ratios;
  for (Eigen::Index d = 0; d < target.size(); ++d) {
    detail::require(std::isfinite(target[d]), "rmia", detail::text("the target's statistic ", d), target[d],
                    "must be finite");
    const double out = detail::log_mean(statistics, members, d, false);
    const double all = reference == rmia_reference::offline
                           ? out
                           : detail::log_mean_of_two(out, detail::log_mean(statistics, members, d, true));
    ratios.push_back(target[d] - all);
  }
  return ratios;
}

DPLDA_INLINE std::vector<double> rmia_shares(const std::vector<double>& ratios, std::vector<double> population,
                                             double gamma) {
  detail::require(!population.empty(), "rmia_shares", "population", "empty", "must have at least 1 document");
  detail::require(gamma > 0 && std::isfinite(gamma), "rmia_shares", "gamma", gamma, "must be positive and finite");
  std::sort(population.begin(), population.end());
  std::vector<double> shares;
  for (const double ratio : ratios) {
    const auto above = std::upper_bound(population.begin(), population.end(), ratio - std::log(gamma));
    shares.push_back(static_cast<double>(above - population.begin()) / static_cast<double>(population.size()));
  }
  return shares;
}

}  // namespace dplda::inline v0_1

#endif

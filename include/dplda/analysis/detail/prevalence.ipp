// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_PREVALENCE_IPP
#define DPLDA_ANALYSIS_DETAIL_PREVALENCE_IPP

// Bodies of analysis/prevalence.hpp.

#include <dplda/analysis/prevalence.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE Eigen::MatrixXd shares_of(const Eigen::MatrixXd& sums, double noise) {
  const auto topics = static_cast<std::size_t>(sums.cols());
  const auto put_share = [&](const Eigen::RowVectorXd& row, double deviation, auto share) {
    if (!noisy_share{.row = row.sum(), .cells = topics, .noise = deviation}.tells()) return;
    share = row.cwiseMax(0) / row.cwiseMax(0).sum();
  };
  Eigen::RowVectorXd together = Eigen::RowVectorXd::Constant(sums.cols(), 1 / static_cast<double>(topics));
  put_share(sums.colwise().sum(), noise * std::sqrt(static_cast<double>(sums.rows())), together.row(0));
  Eigen::MatrixXd shares = together.replicate(sums.rows(), 1);
  for (Eigen::Index g = 0; g < sums.rows(); ++g) put_share(sums.row(g), noise, shares.row(g));
  return shares;
}

/// The spread of each topic: the noisy squares divided by what they would be at most, each shrunk to their joint ratio.
inline Eigen::VectorXd spread_of(const prevalence::parts& p, const Eigen::MatrixXd& shares) {
  Eigen::ArrayXd most = Eigen::ArrayXd::Zero(p.sums.cols());  // sums of row p (1 - p)
  for (Eigen::Index g = 0; g < p.sums.rows(); ++g)
    most += std::max(0.0, p.sums.row(g).sum()) * shares.row(g).transpose().array() *
            (1 - shares.row(g).transpose().array());
  Eigen::VectorXd spread = Eigen::VectorXd::Ones(most.size());
  if (!(p.squares_noise > 0) || !(most.sum() > 0)) return spread;
  const double joint = p.squares.sum() / most.sum();
  double beyond = 0, weights = 0;  // the variance between topics that noise does not explain
  for (Eigen::Index k = 0; k < most.size(); ++k) {
    const double off = p.squares[k] - joint * most[k];
    beyond += off * off - p.squares_noise * p.squares_noise;
    weights += most[k] * most[k];
  }
  const double between = std::max(0.0, beyond / weights);
  for (Eigen::Index k = 0; k < most.size(); ++k) {
    const double own = between * most[k] * most[k];  // beside the noise on the square
    const double weight = own / (own + p.squares_noise * p.squares_noise);
    const double ratio = most[k] > 0 ? p.squares[k] / most[k] : joint;
    spread[k] = std::clamp(joint + weight * (ratio - joint), 1e-6, 1.0);
  }
  return spread;
}

}  // namespace detail

DPLDA_INLINE prevalence::prevalence(parts p) : parts_(std::move(p)) {
  const char* const function = "prevalence";
  const auto finite = [](const auto& numbers) { return (numbers.array().abs() <= 1e100).all(); };  // false for NaN
  detail::require(!parts_.groups.empty() && parts_.sums.cols() > 0, function, "number of groups", parts_.groups.size(),
                  "there must be groups and topics");
  detail::require(static_cast<std::size_t>(parts_.sums.rows()) == groups(), function, "number of rows",
                  parts_.sums.rows(), "must be the number of groups");
  detail::require(finite(parts_.sums), function, "a sum", "not finite", "must be at most 1e100");
  detail::require(parts_.noise > 0 && parts_.noise <= 1e100, function, "noise", parts_.noise,
                  "must be positive and at most 1e100");
  const bool measured = parts_.squares_noise > 0;
  detail::require(measured ? parts_.squares.size() == parts_.sums.cols() && parts_.squares_noise <= 1e100
                           : parts_.squares.size() == 0 && parts_.squares_noise == 0,
                  function, "number of squares", parts_.squares.size(),
                  "must be the number of topics, with noise, or none, without");
  detail::require(finite(parts_.squares), function, "a square", "not finite", "must be at most 1e100");
  shares_ = detail::shares_of(parts_.sums, parts_.noise);
  spread_ = detail::spread_of(parts_, shares_);
}

DPLDA_INLINE noisy_share prevalence::cell(std::size_t group, std::size_t topic) const {
  detail::require(group < groups(), "prevalence", "group", group, "must be below the number of groups");
  detail::require(topic < topics(), "prevalence", "topic", topic, "must be below the number of topics");
  const auto row = static_cast<Eigen::Index>(group), column = static_cast<Eigen::Index>(topic);
  return {
      .cell = parts_.sums(row, column), .row = parts_.sums.row(row).sum(), .cells = topics(), .noise = parts_.noise};
}

DPLDA_INLINE double prevalence::units(std::size_t group) const { return cell(group, 0).row; }

DPLDA_INLINE double prevalence::units_noise() const noexcept {
  return parts_.noise * std::sqrt(static_cast<double>(topics()));
}

DPLDA_INLINE bool prevalence::tells(std::size_t group) const { return cell(group, 0).tells(); }

DPLDA_INLINE double prevalence::share(std::size_t group, std::size_t topic) const {
  (void)cell(group, topic);  // throws if there is no such cell
  return shares_(static_cast<Eigen::Index>(group), static_cast<Eigen::Index>(topic));
}

DPLDA_INLINE share_interval prevalence::noise_interval(std::size_t group, std::size_t topic) const {
  return cell(group, topic).interval();
}

DPLDA_INLINE share_interval prevalence::interval(std::size_t group, std::size_t topic) const {
  noisy_share both = cell(group, topic);
  both.spread = spread(topic);
  return both.interval();
}

DPLDA_INLINE double prevalence::spread(std::size_t topic) const {
  (void)cell(0, topic);
  return spread_[static_cast<Eigen::Index>(topic)];
}

DPLDA_INLINE Eigen::VectorXd prevalence::overall() const {
  const double groups = static_cast<double>(parts_.sums.rows());
  return detail::shares_of(parts_.sums.colwise().sum(), parts_.noise * std::sqrt(groups)).transpose();
}

}  // namespace dplda::inline v0_1

#endif

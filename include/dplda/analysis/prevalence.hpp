// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_PREVALENCE_HPP
#define DPLDA_ANALYSIS_PREVALENCE_HPP

#include <dplda/analysis/share_interval.hpp>
#include <dplda/core/config.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// The shares of topics in groups of documents, as they were measured with noise (private_prevalence), and what follows
/// from the measurement. Intervals are for one share each; of many, five in a hundred miss.
class prevalence {
 public:
  /// What was measured.
  struct parts {
    std::vector<std::string> groups = {};  ///< their names
    bool ordered = false;                  ///< whether they follow each other in time, say
    Eigen::MatrixXd sums = {};             ///< groups x topics: sums of the units' proportions
    double noise = 0;                      ///< the standard deviation of the noise on each of them
    /// For each topic, the sum over units and groups of the squared deviation of a unit from its groups' shares.
    Eigen::VectorXd squares = {};
    double squares_noise = 0;  ///< the standard deviation of the noise on each; 0: squares were not measured
  };

  /// Throws std::invalid_argument if there is no group or no topic, if sizes do not match, if a number is not finite or
  /// beyond 1e100, or if the noise on the sums is not positive.
  explicit prevalence(parts p);

  const parts& get() const noexcept { return parts_; }
  std::size_t groups() const noexcept { return parts_.groups.size(); }
  std::size_t topics() const noexcept { return static_cast<std::size_t>(parts_.sums.cols()); }

  /// About how many units the group has; a unit that writes in several groups is divided among them. With noise of
  /// standard deviation units_noise().
  double units(std::size_t group) const;
  double units_noise() const noexcept;
  /// Whether the group has enough units to tell anything: clearly more than the noise on their number.
  bool tells(std::size_t group) const;

  /// The topic's share in the group: the shares of a group are not negative and add up to 1. That of all groups together
  /// if the group does not tell.
  double share(std::size_t group, std::size_t topic) const;
  /// The 95 % interval for the share among these documents: only noise moves it. [0, 1] if the group does not tell.
  share_interval noise_interval(std::size_t group, std::size_t topic) const;
  /// The 95 % interval for the share among all units of which these are a random sample: noise and sampling.
  share_interval interval(std::size_t group, std::size_t topic) const;

  /// The variance of the topic's proportion between units of a group, divided by p (1 - p), the largest possible one;
  /// 1 where squares were not measured. All groups together, and shrunk to the mean of all topics as far as noise
  /// explains the differences.
  double spread(std::size_t topic) const;

  /// The topics' shares in all groups together; all alike if none is clear.
  Eigen::VectorXd overall() const;

 private:
  noisy_share cell(std::size_t group, std::size_t topic) const;

  parts parts_;
  Eigen::MatrixXd shares_;
  Eigen::VectorXd spread_;
};

namespace detail {

/// Noisy sums as shares, row by row: not negative, and adding up to 1. Rows that do not tell have the shares of all rows
/// together; if these do not tell either, all shares are equal.
Eigen::MatrixXd shares_of(const Eigen::MatrixXd& sums, double noise);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/prevalence.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_RMIA_HPP
#define DPLDA_AUDIT_RMIA_HPP

// The robust membership inference attack (RMIA; Zarifzadeh, Liu and Shokri 2024) on topic models: is a document more
// likely under the target model than under shadow models, by more than documents of the population are?

#include <dplda/audit/lira.hpp>

#include <Eigen/Core>

#include <vector>

namespace dplda::inline v0_1 {

/// What p(x), the probability of a document under no model in particular, is averaged over.
enum class rmia_reference {
  online,  ///< the mean of the means over shadows with the document and over those without it
  offline  ///< shadows without it (the paper's a = 1: likelihoods of documents are far from its line towards 1)
};

/// log(p(x | target) / p(x)) of each document, where `statistics` (shadows x documents) and `target` are log likelihoods,
/// zeta. The attack's score of a document x is the share of documents z of a population whose ratio it exceeds by a factor
/// gamma, an increasing function of this number: so the number itself has the attack's ROC curve, without its ties.
/// Throws std::invalid_argument if shapes differ, if a statistic is not finite, or if a document has no shadow that the
/// reference needs.
std::vector<double> rmia(const Eigen::MatrixXd& statistics, const membership& members, const Eigen::VectorXd& target,
                         rmia_reference reference = rmia_reference::online);

/// The attack's score as the paper defines it: for each number of `ratios`, as rmia gives them, the share of the numbers
/// z of `population` with ratio - z >= log(gamma). Throws std::invalid_argument if the population is empty or gamma is
/// not positive.
std::vector<double> rmia_shares(const std::vector<double>& ratios, std::vector<double> population, double gamma = 2);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/rmia.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_LIRA_HPP
#define DPLDA_AUDIT_LIRA_HPP

// The likelihood ratio attack on topic models (Manzonelli, Zhang and Vadhan 2024, algorithms 2 and 3, after Carlini et
// al. 2022): is a document's statistic under the target model more like those under shadow models trained with it, or
// like those under models trained without it?
//
// The global-threshold attacks of Huang et al. (2022) need no shadows: their score of a document is the target's
// statistic itself, standard_deviation, negative_entropy or logit_maximum (in the order of the maximum posterior).

#include <dplda/core/corpus.hpp>

#include <Eigen/Core>

#include <vector>

namespace dplda::inline v0_1 {

/// Which documents each model was trained on: a row for each model, a column for each document.
using membership = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

enum class spread_rule {
  separate,  ///< for each document a standard deviation IN and one OUT, as in the paper; needs many shadows
  shared,    ///< for each document one for both
  pooled     ///< one for all documents IN and one for all OUT (root mean squares); for few shadows
};

enum class center_rule { mean, median };

struct lira_options {
  spread_rule spread = spread_rule::separate;
  center_rule center = center_rule::mean;
  /// The least standard deviation, so that constant statistics give finite scores.
  double least_spread = 1e-6;
};

/// A normal distribution.
struct normal_law {
  double mean = 0;
  double deviation = 1;
};

/// The distributions of a document's statistic with and without it in the training data.
struct membership_laws {
  normal_law in, out;
};

/// Fits each document's normal distributions to its statistics under the shadow models (shadows x documents).
/// Throws std::invalid_argument if the shapes differ, if a statistic is not finite, if least_spread is not positive, or
/// if a document has too few shadows: it needs 2 IN and 2 OUT (shared: 1 and 1, and 3 in all; pooled: 1 and 1, and some
/// document 2 IN, some 2 OUT). It may have none IN; the law IN is then NaN, and only offline_lira can use it.
std::vector<membership_laws> fit_laws(const Eigen::MatrixXd& statistics, const membership& members,
                                      const lira_options& options = {});

/// Algorithm 2: log(p(statistic | in) / p(statistic | out)) of each document; the higher, the more likely a member.
/// Throws std::invalid_argument if the sizes differ, if a statistic is not finite, or if a document had no shadow IN.
std::vector<double> online_lira(const std::vector<membership_laws>& laws, const Eigen::VectorXd& target);

/// Algorithm 3, which uses only shadow models without the document. The paper's score is P(N_out < statistic) = Phi(z);
/// here it is z itself, which gives the same order and does not saturate at 1. Throws std::invalid_argument if the
/// sizes differ, or if a statistic is not finite.
std::vector<double> offline_lira(const std::vector<membership_laws>& laws, const Eigen::VectorXd& target);

/// Statistics of the users that have documents. Each model was trained on all of a user's documents or none.
struct user_statistics {
  Eigen::MatrixXd statistics;  ///< sums over a user's documents; for zeta, the log likelihood of all they wrote
  membership members;
  std::vector<user_id> users;  ///< the user of each column, ascending
};

/// Adds up a target model's statistics over each user's documents: a number for each user that has documents,
/// ascending, for online_lira and offline_lira with the laws of user_statistics. Throws std::invalid_argument unless
/// there is a statistic for each document.
Eigen::VectorXd sum_by_user(const Eigen::VectorXd& target, const corpus& docs);

/// The same for all shadow models. Throws std::invalid_argument if the shapes do not fit the corpus, or if a model was
/// trained on only some of a user's documents.
user_statistics sum_by_user(const Eigen::MatrixXd& statistics, const membership& members, const corpus& docs);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/lira.ipp>
#endif

#endif

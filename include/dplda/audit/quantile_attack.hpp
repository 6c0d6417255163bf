// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_QUANTILE_ATTACK_HPP
#define DPLDA_AUDIT_QUANTILE_ATTACK_HPP

// Membership inference by quantile regression (Bertran, Tang, Kearns, Morgenstern, Roth and Wu 2023) on topic models. It
// needs no shadow models: from documents that are known not to be in the training data it learns how large a statistic is
// at most, in all but a small share of such documents, given what the document looks like.

#include <dplda/core/corpus.hpp>

#include <Eigen/Core>

namespace dplda::inline v0_1 {

/// What the attack knows of a document: 1, its length, its number of distinct words, the log likelihood of its tokens
/// under the word frequencies of `background`, and that of each word once. A row for each document of `docs`. Throws
/// std::invalid_argument if the vocabularies differ in size.
Eigen::MatrixXd document_features(const corpus& docs, const corpus& background);

/// The linear function of the features that has a share `level` of the values below it, given the features: the
/// coefficients that minimise sum_i rho(y_i - x_i b), rho(r) = r (level - [r < 0]) (Koenker and Bassett 1978), by the
/// majorisation of Hunter and Lange (2000). Throws std::invalid_argument if sizes differ, if there are fewer values than
/// features, if a number is not finite, or if level is not in (0, 1).
Eigen::VectorXd quantile_regression(const Eigen::MatrixXd& features, const Eigen::VectorXd& values, double level);

/// The attack's scores: how far each statistic is above the quantile that is expected of a document with these features if
/// it is not a member; above 0, it is called a member at a false positive rate of about 1 - level. `known_features` and
/// `known` are of documents that are not members. Throws as quantile_regression does.
Eigen::VectorXd quantile_attack(const Eigen::MatrixXd& known_features, const Eigen::VectorXd& known,
                                const Eigen::MatrixXd& features, const Eigen::VectorXd& statistics,
                                double level = 0.99);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/quantile_attack.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_QUANTILE_ATTACK_IPP
#define DPLDA_AUDIT_DETAIL_QUANTILE_ATTACK_IPP

// Bodies of audit/quantile_attack.hpp.

#include <dplda/audit/quantile_attack.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>

#include <Eigen/QR>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE Eigen::MatrixXd document_features(const corpus& docs, const corpus& background) {
  detail::require(docs.words() == background.words(), "document_features", "words of the background",
                  background.words(), detail::text("must be as many as those of the documents, ", docs.words()));
  const std::vector<std::uint64_t> counts = word_counts(background);
  const double total = static_cast<double>(background.tokens() + docs.words());
  Eigen::MatrixXd features(static_cast<Eigen::Index>(docs.size()), 5);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    double tokens = 0, types = 0;
    for (std::size_t n = 0; n < docs[d].size(); ++n) {
      const double log_p = std::log(static_cast<double>(counts[docs[d].words[n]] + 1) / total);
      tokens += docs[d].counts[n] * log_p;
      types += log_p;
    }
    features.row(static_cast<Eigen::Index>(d)) << 1, static_cast<double>(docs[d].length()),
        static_cast<double>(docs[d].size()), tokens, types;
  }
  return features;
}

DPLDA_INLINE Eigen::VectorXd quantile_regression(const Eigen::MatrixXd& features, const Eigen::VectorXd& values,
                                                 double level) {
  const char* const function = "quantile_regression";
  detail::require(features.rows() == values.size(), function, "number of values", values.size(),
                  detail::text("must be the number of rows, ", features.rows()));
  detail::require(features.rows() >= features.cols() && features.cols() >= 1, function, "number of rows",
                  features.rows(), detail::text("must be at least the number of features, ", features.cols()));
  detail::require(level > 0 && level < 1, function, "level", level, "must lie in (0, 1)");
  detail::require(features.allFinite() && values.allFinite(), function, "features or values", "not finite",
                  "must be finite");
  // Columns of length 1, so that their units do not matter.
  Eigen::RowVectorXd lengths = features.colwise().norm();
  for (double& length : lengths) length = length > 0 ? length : 1;
  const Eigen::MatrixXd x = features.array().rowwise() / lengths.array();
  Eigen::VectorXd found = x.colPivHouseholderQr().solve(values);
  // |r| is replaced by a parabola that touches it at the last residual; near 0, where none does, by one within `least`.
  const double scale = (values - x * found).cwiseAbs().mean();
  const double least = 1e-6 * (scale > 0 ? scale : 1);
  const Eigen::VectorXd pull = (2 * level - 1) * x.colwise().sum().transpose();
  for (int step = 0; step < 1000; ++step) {
    const Eigen::VectorXd weights = ((values - x * found).cwiseAbs().array() + least).inverse();
    const Eigen::MatrixXd gram = x.transpose() * weights.asDiagonal() * x;
    const Eigen::VectorXd right = x.transpose() * weights.cwiseProduct(values) + pull;
    const Eigen::VectorXd next = gram.colPivHouseholderQr().solve(right);
    const double moved = (x * (next - found)).cwiseAbs().maxCoeff();
    found = next;
    if (moved <= 1e-9 * scale) break;
  }
  return found.cwiseQuotient(lengths.transpose());
}

DPLDA_INLINE Eigen::VectorXd quantile_attack(const Eigen::MatrixXd& known_features, const Eigen::VectorXd& known,
                                             const Eigen::MatrixXd& features, const Eigen::VectorXd& statistics,
                                             double level) {
  detail::require(features.rows() == statistics.size(), "quantile_attack", "number of statistics", statistics.size(),
                  detail::text("must be the number of rows, ", features.rows()));
  detail::require(features.cols() == known_features.cols(), "quantile_attack", "number of features", features.cols(),
                  detail::text("must be that of the known documents, ", known_features.cols()));
  return statistics - features * quantile_regression(known_features, known, level);
}

}  // namespace dplda::inline v0_1

#endif

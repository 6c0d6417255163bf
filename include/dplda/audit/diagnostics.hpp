// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DIAGNOSTICS_HPP
#define DPLDA_AUDIT_DIAGNOSTICS_HPP

// Tests whether statistics are normal, as the attack assumes (Manzonelli, Zhang and Vadhan 2024, appendix C).
// document_risk::separation (risk.hpp) shows whether they rise with membership.

#include <dplda/audit/lira.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// A test statistic and its p-value.
struct test_result {
  double statistic = 0;
  double p_value = 1;
};

/// The test of Shapiro and Wilk (1965) that values are a sample of a normal distribution, with the weights and the
/// p-value of Royston (1995, algorithm AS R94). Values that are all equal are not such a sample: then W = 1 and p = 0.
/// Throws std::invalid_argument unless there are 3 to 5000 values, all finite.
test_result shapiro_wilk(std::span<const double> values);

/// How many of the hypotheses with these p-values are rejected at a false discovery rate (Benjamini and Hochberg 1995).
/// The smallest p-values are rejected. Throws std::invalid_argument if the rate is outside (0, 1) or a p-value is NaN.
std::size_t false_discovery_rejections(std::vector<double> p_values, double rate = 0.05);

/// The p-values of normality of each document's values IN and OUT in a table of statistics (shadows x documents), as
/// counted in Table 3 of the paper. Throws as shapiro_wilk does.
std::vector<double> normality_p_values(const Eigen::MatrixXd& statistics, const membership& members);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/diagnostics.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_DETAIL_NOISY_ROWS_IPP
#define DPLDA_OUTPUT_PERTURBATION_DETAIL_NOISY_ROWS_IPP

// Bodies of output_perturbation/noisy_rows.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/output_perturbation/noisy_rows.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// The nearest distribution: max(x - t, 0) with the t for which it sums to 1.
inline Eigen::ArrayXd nearest_distribution(Eigen::ArrayXd row) {
  row -= row.maxCoeff();  // this changes no result; only entries within 1 of the largest can be above t
  std::vector<double> near;
  for (const double x : row) {
    if (x > -1) near.push_back(x);
  }
  std::sort(near.begin(), near.end(), std::greater<>());
  double sum = 0, threshold = -1;
  for (std::size_t j = 0; j < near.size(); ++j) {
    sum += near[j];
    const double candidate = (sum - 1) / static_cast<double>(j + 1);
    if (near[j] <= candidate) break;
    threshold = candidate;
  }
  row = (row - threshold).max(0);
  return row / row.sum();
}

}  // namespace detail

DPLDA_INLINE topic_model<>::matrix repaired_rows(topic_model<>::matrix noisy, row_repair repair) {
  detail::require(noisy.cols() >= 1, "repaired_rows", "number of columns", noisy.cols(), "must be at least 1");
  detail::require(noisy.allFinite(), "repaired_rows", "an entry", "not finite", "must be finite");
  for (Eigen::Index k = 0; k < noisy.rows(); ++k) {
    Eigen::ArrayXd row = noisy.row(k).transpose().array();
    if (repair == row_repair::clamp) {
      row = row.max(0);
      const double largest = row.maxCoeff();
      row = largest > 0 ? Eigen::ArrayXd(row / largest) : Eigen::ArrayXd::Ones(row.size());
      row /= row.sum();
    } else {
      row = detail::nearest_distribution(std::move(row));
    }
    noisy.row(k) = row.matrix().transpose();
  }
  return noisy;
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_RECOVERY_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_RECOVERY_IPP

// Bodies of inference/spectral/recovery.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/recovery.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE detail::tall_matrix whitening_matrix(const eigenpairs& second) {
  const Eigen::Index k = second.values.size();
  double least = 0;
  for (const double value : second.values) least = std::max(least, 1e-12 * std::abs(value));
  detail::tall_matrix w(second.vectors.rows(), k);
  for (Eigen::Index i = 0; i < k; ++i) {
    detail::require(second.values[i] > least, "spectral", "number of topics", k,
                    detail::text("must be at most ", i, ", the number of positive eigenvalues of the second moment"));
    const double factor = 1 / std::sqrt(second.values[i]);
    for (Eigen::Index v = 0; v < w.rows(); ++v) w(v, i) = factor * second.vectors(v, i);
  }
  return w;
}

DPLDA_INLINE Eigen::VectorXd project_to_simplex(const Eigen::VectorXd& x) {
  const double top = *std::max_element(x.begin(), x.end());
  std::vector<double> left(x.begin(), x.end());
  for (double& entry : left) entry -= top;
  // Entries that do not exceed the shift of the remaining ones end as 0, and without them the shift grows (Michelot
  // 1986). It is below 0, so the largest entry stays.
  double shift = 0;
  for (std::size_t before = 0; left.size() != before;) {
    before = left.size();
    double sum = 0;
    for (const double entry : left) sum += entry;
    shift = (sum - 1) / static_cast<double>(before);
    std::erase_if(left, [&](double entry) { return !(entry > shift); });
  }
  Eigen::VectorXd point(x.size());
  double total = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) total += point[i] = std::max(x[i] - top - shift, 0.0);
  for (double& p : point) p /= total;
  return point;
}

DPLDA_INLINE lda_parameters recover_parameters(double alpha0, const eigenpairs& second,
                                               const tensor_decomposition& third) {
  detail::require_alpha0(alpha0, "recover_parameters");
  lda_parameters result;
  const double scale = (alpha0 + 2) / 2;
  const Eigen::Index k = third.values.size();
  Eigen::MatrixXd combination(k, k);  // row i: scale lambda_i (L^1/2 v_i)'
  result.alpha.resize(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const double lambda = third.values[i], share = (alpha0 + 1) / (scale * scale * lambda * lambda);
    result.alpha[i] = share < 1 ? alpha0 * share : alpha0;
    for (Eigen::Index j = 0; j < k; ++j) {
      combination(i, j) = scale * lambda * std::sqrt(second.values[j]) * third.vectors(j, i);
    }
  }
  result.topics = Eigen::MatrixXd::Zero(k, second.vectors.rows());
  detail::add_multiplied_transposed(detail::whole(result.topics), detail::whole(std::as_const(combination)),
                                    detail::whole(second.vectors));
  return result;
}

}  // namespace dplda::inline v0_1

#endif

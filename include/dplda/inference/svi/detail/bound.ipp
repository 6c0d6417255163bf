// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_BOUND_IPP
#define DPLDA_INFERENCE_SVI_DETAIL_BOUND_IPP

// Bodies of inference/svi/bound.hpp.

#include <dplda/inference/prior.hpp>
#include <dplda/inference/svi/bound.hpp>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE Eigen::VectorXd expected_log(const Eigen::VectorXd& a) {
  return a.unaryExpr([](double x) { return digamma(x); }).array() - digamma(a.sum());
}

DPLDA_INLINE double minus_divergence(const Eigen::VectorXd& prior, const Eigen::VectorXd& a) {
  double sum = log_gamma(prior.sum()) - log_gamma(a.sum()) + (prior - a).dot(expected_log(a));
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += log_gamma(a[i]) - log_gamma(prior[i]);
  return sum;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

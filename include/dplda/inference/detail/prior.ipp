// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_PRIOR_IPP
#define DPLDA_INFERENCE_DETAIL_PRIOR_IPP

// Bodies of inference/prior.hpp.

#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/inference/prior.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE dirichlet_prior::dirichlet_prior(std::initializer_list<double> values)
    : values_(static_cast<Eigen::Index>(values.size())) {
  std::copy(values.begin(), values.end(), values_.data());
}

DPLDA_INLINE Eigen::VectorXd dirichlet_prior::expand(std::size_t size, std::string_view function,
                                                     std::string_view argument) const {
  const auto n = static_cast<Eigen::Index>(size);
  detail::require(symmetric() || values_.size() == n, function, detail::text("size of ", argument), values_.size(),
                  detail::text("must be 1 or ", size));
  for (const double value : values_) {
    detail::require(value > 0 && std::isfinite(value), function, argument, value, "must be positive and finite");
  }
  return symmetric() ? Eigen::VectorXd::Constant(n, values_[0]) : values_;
}

namespace detail {

DPLDA_INLINE Eigen::VectorXd fit_dirichlet(const Eigen::VectorXd& mean_log, Eigen::VectorXd a) {
  constexpr double smallest = 1e-4;
  for (int round = 0; round < 100 && a.size() > 1; ++round) {
    const double total = a.sum();
    const double shared = trigamma(total);
    Eigen::VectorXd gradient(a.size()), curvature(a.size());
    for (Eigen::Index k = 0; k < a.size(); ++k) {
      gradient[k] = digamma(total) - digamma(a[k]) + mean_log[k];
      curvature[k] = -trigamma(a[k]);
    }
    const double b = (gradient.array() / curvature.array()).sum() / (1 / shared + curvature.array().inverse().sum());
    Eigen::VectorXd step = (gradient.array() - b) / curvature.array();
    if (!step.allFinite()) break;
    while (((a - step).array() <= 0).any()) step /= 2;
    a = (a - step).cwiseMax(smallest);
    if ((step.array().abs() <= 1e-9 * a.array()).all()) break;
  }
  return a;
}

DPLDA_INLINE double fit_symmetric_dirichlet(double mean_log, double size, double a) {
  constexpr double smallest = 1e-4;
  for (int round = 0; round < 100 && size > 1; ++round) {
    const double gradient = digamma(size * a) - digamma(a) + mean_log;
    const double curvature = size * trigamma(size * a) - trigamma(a);
    double step = gradient / curvature;
    if (!std::isfinite(step)) break;
    while (a - step <= 0) step /= 2;
    a = std::max(a - step, smallest);
    if (std::abs(step) <= 1e-9 * a) break;
  }
  return a;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

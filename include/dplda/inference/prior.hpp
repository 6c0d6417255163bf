// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIOR_HPP
#define DPLDA_INFERENCE_PRIOR_HPP

#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/core/errors.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

/// The parameters of a Dirichlet prior: one number for all components, or one for each.
class dirichlet_prior {
 public:
  /// The same parameter for every component.
  dirichlet_prior(double symmetric) : values_(Eigen::VectorXd::Constant(1, symmetric)) {}
  dirichlet_prior(std::initializer_list<double> values) : values_(static_cast<Eigen::Index>(values.size())) {
    std::copy(values.begin(), values.end(), values_.data());
  }
  dirichlet_prior(Eigen::VectorXd values) : values_(std::move(values)) {}

  bool symmetric() const noexcept { return values_.size() == 1; }

  /// All `size` parameters. Throws std::invalid_argument, naming `function` and `argument`, if another number of
  /// parameters was given, or if one is not positive and finite.
  Eigen::VectorXd expand(std::size_t size, std::string_view function, std::string_view argument) const {
    const auto n = static_cast<Eigen::Index>(size);
    detail::require(symmetric() || values_.size() == n, function, detail::text("size of ", argument), values_.size(),
                    detail::text("must be 1 or ", size));
    for (const double value : values_) {
      detail::require(value > 0 && std::isfinite(value), function, argument, value, "must be positive and finite");
    }
    return symmetric() ? Eigen::VectorXd::Constant(n, values_[0]) : values_;
  }

 private:
  Eigen::VectorXd values_;
};

namespace detail {

/// The Dirichlet parameters under which the expected logarithms are `mean_log` (E[log p_k] = digamma(a_k) - digamma(sum
/// a)), by Newton's method from `start` with the Hessian's diagonal-plus-constant inverse (Minka, Estimating a
/// Dirichlet distribution). Steps that would leave the positive orthant are halved. A single component does not
/// determine its parameter, which stays.
inline Eigen::VectorXd fit_dirichlet(const Eigen::VectorXd& mean_log, Eigen::VectorXd a) {
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

/// The same for a symmetric Dirichlet of `size` components with average expected logarithm `mean_log`.
inline double fit_symmetric_dirichlet(double mean_log, double size, double a) {
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

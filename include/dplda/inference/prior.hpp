// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIOR_HPP
#define DPLDA_INFERENCE_PRIOR_HPP

#include <dplda/core/config.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

/// The parameters of a Dirichlet prior: one number for all components, or one for each.
class dirichlet_prior {
 public:
  /// The same parameter for every component.
  dirichlet_prior(double symmetric) : values_(Eigen::VectorXd::Constant(1, symmetric)) {}
  dirichlet_prior(std::initializer_list<double> values);
  dirichlet_prior(Eigen::VectorXd values) : values_(std::move(values)) {}

  bool symmetric() const noexcept { return values_.size() == 1; }

  /// All `size` parameters. Throws std::invalid_argument, naming `function` and `argument`, if another number of
  /// parameters was given, or if one is not positive and finite.
  Eigen::VectorXd expand(std::size_t size, std::string_view function, std::string_view argument) const;

 private:
  Eigen::VectorXd values_;
};

namespace detail {

/// The Dirichlet parameters under which the expected logarithms are `mean_log` (E[log p_k] = digamma(a_k) - digamma(sum
/// a)), by Newton's method from `start` with the Hessian's diagonal-plus-constant inverse (Minka, Estimating a
/// Dirichlet distribution). Steps that would leave the positive orthant are halved. A single component does not
/// determine its parameter, which stays.
Eigen::VectorXd fit_dirichlet(const Eigen::VectorXd& mean_log, Eigen::VectorXd a);

/// The same for a symmetric Dirichlet of `size` components with average expected logarithm `mean_log`.
double fit_symmetric_dirichlet(double mean_log, double size, double a);

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/detail/prior.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The posterior of a non-negative number x given y = x + noise. The noise is normal with a known standard deviation,
/// and x has a Gamma prior of this shape and a known mean. Small shapes mean "mostly near 0, sometimes much more than
/// the mean", which is how words are divided among topics. All numbers here are in units of the noise.
///
/// The prior's exponential moves the centre of the noise's bell: the posterior is proportional to
/// x^(a-1) exp(-(x - u)^2 / 2) with u = y - a / mean. So all answers follow from two functions of u,
///   I(u) = integral of x^(a-1) exp(-(x - u)^2 / 2) over x > 0, and M(u) = I_{a+1}(u) / I_a(u), the posterior mean,
/// which are tabulated between -30 and 30 and known by their asymptotic series beyond.
class gamma_shrinkage {
 public:
  /// Precondition: 0 < shape <= 10.
  explicit gamma_shrinkage(double shape);

  /// E[x | y] for a prior of mean 1 / inverse_mean. Precondition: inverse_mean > 0.
  double mean(double y, double inverse_mean) const;

  /// log p(y), given also log(inverse_mean), which is the same for all shapes. Precondition: inverse_mean > 0.
  double log_marginal(double y, double inverse_mean, double log_inverse_mean) const;

 private:
  static constexpr double reach = 30, step = 1.0 / 16;
  static constexpr std::size_t size = 2 * 30 * 16 + 2;
  static constexpr double log_root_two_pi = 0.91893853320467274178;

  double at(const std::vector<double>& table, double u) const;

  // The trapezoid rule in t, x = log(1 + exp(t)): like exp(t) near zero, where x^(a-1) is steep, and like t beyond,
  // where the bell has its width of 1. Below exp(-12) the bell is flat and the rest of the integral is x^a / a.
  void tabulate(std::size_t i);

  double shape_, log_shape_, log_gamma_;
  std::vector<double> logs_, means_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/gamma_shrinkage.ipp>
#endif

#endif

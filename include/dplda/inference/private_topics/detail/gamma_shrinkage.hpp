// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_HPP

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The posterior of a non-negative number x given y = x + noise. The noise is normal with a known standard deviation,
/// and x has a Gamma prior of this shape and a known mean. Small shapes mean "mostly near 0, sometimes much more than
/// the mean", which is how words are divided among topics.
///
/// In units of the noise, the prior's exponential moves the centre of the noise's bell: the posterior is
/// proportional to x^(a-1) exp(-(x - u)^2 / 2) with u = y - a / mean. So all answers follow from two functions of u,
///   I(u) = integral of x^(a-1) exp(-(x - u)^2 / 2) over x > 0, and M(u) = I_{a+1}(u) / I_a(u), the posterior mean,
/// which are tabulated between -30 and 30 and known by their asymptotic series beyond.
class gamma_shrinkage {
 public:
  /// Precondition: 0 < shape <= 10.
  explicit gamma_shrinkage(double shape) : shape_(shape), log_gamma_(std::log(std::tgamma(shape))) {
    for (std::size_t i = 0; i < size; ++i) tabulate(i);
  }

  /// E[x | y]. Preconditions: noise > 0, mean > 0.
  double mean(double y, double noise, double mean) const {
    const double u = y / noise - shape_ * noise / mean;
    if (u >= reach) return noise * (u + (shape_ - 1) / u);
    if (u <= -reach) return noise * (shape_ / -u) * (1 - (shape_ + 1) / (u * u));
    return noise * at(means_, u);
  }

  /// log p(y) of the observed y, in units of the noise. Preconditions: noise > 0, mean > 0.
  double log_marginal(double y, double noise, double mean) const {
    const double rate = shape_ * noise / mean, v = y / noise, u = v - rate;
    const double exponent = -rate * (u + v) / 2;  // (u^2 - v^2) / 2
    const double prior = shape_ * std::log(rate) - log_gamma_ - log_root_two_pi;
    if (u >= reach) return prior + (shape_ - 1) * std::log(u) + log_root_two_pi + exponent;
    if (u <= -reach) return prior - v * v / 2 - shape_ * std::log(-u) + log_gamma_;
    return prior + at(logs_, u) + exponent;
  }

 private:
  static constexpr double reach = 30, step = 1.0 / 16;
  static constexpr std::size_t size = 2 * 30 * 16 + 2;
  static constexpr double log_root_two_pi = 0.91893853320467274178;

  double at(const std::vector<double>& table, double u) const {
    const double place = (u + reach) / step;
    const auto i = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(i);
    return table[i] + part * (table[i + 1] - table[i]);
  }

  // The trapezoid rule in t, x = log(1 + exp(t)): like exp(t) near zero, where x^(a-1) is steep, and like t beyond,
  // where the bell has its width of 1. Below exp(-12) the bell is flat and the rest of the integral is x^a / a.
  void tabulate(std::size_t i) {
    const double u = -reach + static_cast<double>(i) * step, width = 1.0 / 8, bottom = -12;
    // The bell's largest value on x > 0 is taken out, so that nothing under- or overflows.
    const double reference = u < 0 ? u * u / 2 : 0;
    const auto weight = [&](double t, double& x) {
      x = std::log1p(std::exp(t));
      return std::exp((shape_ - 1) * std::log(x) - (x - u) * (x - u) / 2 + reference) / (1 + std::exp(-t));
    };
    double x, integral = weight(bottom, x) / 2, first = 0;
    for (double t = bottom + width; t < std::max(u, 0.0) + 9; t += width) {
      const double w = weight(t, x);
      integral += w;
      first += w * x;
    }
    const double rest = std::exp(shape_ * bottom - u * u / 2 + reference) / shape_;
    integral = integral * width + rest;
    logs_.push_back(std::log(integral) - reference);
    means_.push_back(first * width / integral);
  }

  double shape_, log_gamma_;
  std::vector<double> logs_, means_;
};

}  // namespace dplda::inline v0_1::detail

#endif

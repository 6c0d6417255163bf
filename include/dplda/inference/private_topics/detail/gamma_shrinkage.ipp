// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_IPP

// Bodies of inference/private_topics/detail/gamma_shrinkage.hpp.

#include <dplda/inference/private_topics/detail/gamma_shrinkage.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE gamma_shrinkage::gamma_shrinkage(double shape)
    : shape_(shape), log_shape_(std::log(shape)), log_gamma_(std::log(std::tgamma(shape))) {
  for (std::size_t i = 0; i < size; ++i) tabulate(i);
}

DPLDA_INLINE double gamma_shrinkage::mean(double y, double inverse_mean) const {
  const double u = y - shape_ * inverse_mean;
  if (u >= reach) return u + (shape_ - 1) / u;
  if (u <= -reach) return (shape_ / -u) * (1 - (shape_ + 1) / (u * u));
  return at(means_, u);
}

DPLDA_INLINE double gamma_shrinkage::log_marginal(double y, double inverse_mean, double log_inverse_mean) const {
  const double rate = shape_ * inverse_mean, u = y - rate;
  const double exponent = -rate * (u + y) / 2;  // (u^2 - y^2) / 2
  const double prior = shape_ * (log_shape_ + log_inverse_mean) - log_gamma_ - log_root_two_pi;
  if (u >= reach) return prior + (shape_ - 1) * std::log(u) + log_root_two_pi + exponent;
  if (u <= -reach) return prior - y * y / 2 - shape_ * std::log(-u) + log_gamma_;
  return prior + at(logs_, u) + exponent;
}

DPLDA_INLINE double gamma_shrinkage::at(const std::vector<double>& table, double u) const {
  const double place = (u + reach) / step;
  const auto i = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(i);
  return table[i] + part * (table[i + 1] - table[i]);
}

DPLDA_INLINE void gamma_shrinkage::tabulate(std::size_t i) {
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

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

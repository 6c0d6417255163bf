// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_GAMMA_SHRINKAGE_IPP

// Bodies of inference/private_topics/detail/gamma_shrinkage.hpp.

#include <dplda/inference/private_topics/detail/gamma_shrinkage.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE gamma_shrinkage::gamma_shrinkage(double shape) : shape_(shape), log_gamma_(std::log(std::tgamma(shape))) {
  for (std::size_t i = 0; i < size; ++i) tabulate(i);
}

DPLDA_INLINE double gamma_shrinkage::mean(double y, double noise, double mean) const {
  const double u = y / noise - shape_ * noise / mean;
  if (u >= reach) return noise * (u + (shape_ - 1) / u);
  if (u <= -reach) return noise * (shape_ / -u) * (1 - (shape_ + 1) / (u * u));
  return noise * at(means_, u);
}

DPLDA_INLINE double gamma_shrinkage::log_marginal(double y, double noise, double mean) const {
  const double rate = shape_ * noise / mean, v = y / noise, u = v - rate;
  const double exponent = -rate * (u + v) / 2;  // (u^2 - v^2) / 2
  const double prior = shape_ * std::log(rate) - log_gamma_ - log_root_two_pi;
  if (u >= reach) return prior + (shape_ - 1) * std::log(u) + log_root_two_pi + exponent;
  if (u <= -reach) return prior - v * v / 2 - shape_ * std::log(-u) + log_gamma_;
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

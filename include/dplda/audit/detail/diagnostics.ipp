// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_DIAGNOSTICS_IPP
#define DPLDA_AUDIT_DETAIL_DIAGNOSTICS_IPP

// Bodies of audit/diagnostics.hpp.

#include <dplda/audit/diagnostics.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <numeric>

namespace dplda::inline v0_1 {

DPLDA_INLINE test_result shapiro_wilk(std::span<const double> values) {
  const std::size_t n = values.size();
  detail::require(n >= 3 && n <= 5000, "shapiro_wilk", "number of values", n, "must lie in [3, 5000]");
  std::vector<double> sorted(values.begin(), values.end());
  for (const double value : sorted) {
    detail::require(std::isfinite(value), "shapiro_wilk", "value", value, "must be finite");
  }
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() == sorted.back()) return {1, 0};
  const auto polynomial = [](std::initializer_list<double> coefficients, double x) {
    double value = 0;
    for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c) value = value * x + *c;
    return value;
  };
  const auto size = static_cast<double>(n);
  const std::size_t half = n / 2;
  std::vector<double> weights(half);  // of the upper half, largest value first
  if (n == 3) {
    weights[0] = std::sqrt(0.5);
  } else {
    double squares = 0;
    for (std::size_t i = 0; i < half; ++i) {
      weights[i] = -detail::normal_quantile((static_cast<double>(i) + 0.625) / (size + 0.25));
      squares += 2 * weights[i] * weights[i];
    }
    const double root = 1 / std::sqrt(size), norm = std::sqrt(squares);
    const std::size_t fitted = n > 5 ? 2 : 1;
    double first[2] = {weights[0] / norm + polynomial({0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056}, root),
                       0};
    if (fitted == 2)
      first[1] = weights[1] / norm + polynomial({0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633}, root);
    double left = squares, taken = 1;
    for (std::size_t i = 0; i < fitted; ++i) {
      left -= 2 * weights[i] * weights[i];
      taken -= 2 * first[i] * first[i];
    }
    for (double& weight : weights) weight /= std::sqrt(left / taken);
    std::copy_n(first, fitted, weights.begin());
  }
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / size;
  double spread = 0, slope = 0;
  for (const double value : sorted) spread += (value - mean) * (value - mean);
  for (std::size_t i = 0; i < half; ++i) slope += weights[i] * (sorted[n - 1 - i] - sorted[i]);
  const double w = std::min(1.0, slope * slope / spread);
  if (n == 3) {
    const double p = 6 / std::numbers::pi * (std::asin(std::sqrt(w)) - std::asin(std::sqrt(0.75)));
    return {w, std::clamp(p, 0.0, 1.0)};
  }
  double y = std::log1p(-w), center, scale;
  if (n <= 11) {
    const double gamma = polynomial({-2.273, 0.459}, size);
    if (y >= gamma) return {w, 0};
    y = -std::log(gamma - y);
    center = polynomial({0.544, -0.39978, 0.025054, -6.714e-4}, size);
    scale = std::exp(polynomial({1.3822, -0.77857, 0.062767, -0.0020322}, size));
  } else {
    const double x = std::log(size);
    center = polynomial({-1.5861, -0.31082, -0.083751, 0.0038915}, x);
    scale = std::exp(polynomial({-0.4803, -0.082676, 0.0030302}, x));
  }
  return {w, detail::normal_cdf((center - y) / scale)};
}

DPLDA_INLINE std::size_t false_discovery_rejections(std::vector<double> p_values, double rate) {
  detail::require(rate > 0 && rate < 1, "false_discovery_rejections", "rate", rate, "must lie in (0, 1)");
  for (const double p : p_values)
    detail::require(!std::isnan(p), "false_discovery_rejections", "p-value", p, "must be a number");
  std::sort(p_values.begin(), p_values.end());
  for (std::size_t i = p_values.size(); i > 0; --i) {
    if (p_values[i - 1] <= rate * static_cast<double>(i) / static_cast<double>(p_values.size())) return i;
  }
  return 0;
}

DPLDA_INLINE std::vector<double> normality_p_values(const Eigen::MatrixXd& statistics, const membership& members) {
  std::vector<double> p_values;
  for (Eigen::Index d = 0; d < statistics.cols(); ++d) {
    for (const bool in : {true, false}) {
      std::vector<double> values;
      for (Eigen::Index s = 0; s < statistics.rows(); ++s) {
        if (members(s, d) == in) values.push_back(statistics(s, d));
      }
      p_values.push_back(shapiro_wilk(values).p_value);
    }
  }
  return p_values;
}

}  // namespace dplda::inline v0_1

#endif

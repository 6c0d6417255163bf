// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_DETAIL_MVG_NOISE_IPP
#define DPLDA_OUTPUT_PERTURBATION_DETAIL_MVG_NOISE_IPP

// Bodies of output_perturbation/mvg_noise.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/output_perturbation/mvg_noise.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace published {

DPLDA_INLINE double mvg_noise(std::size_t m, std::size_t n, double c, double s, const budget& total) {
  const char* const function = "published::mvg_noise";
  const auto positive = [&](double x, const char* name) {
    detail::require(x > 0 && std::isfinite(x), function, name, x, "must be positive and finite");
  };
  positive(static_cast<double>(std::min(m, n)), "size of the matrix");
  positive(c, "norm");
  positive(s, "sensitivity");
  positive(total.epsilon, "epsilon");
  detail::require(total.delta > 0 && total.delta < 1, function, "delta", total.delta, "must lie in (0, 1)");
  double h = 0, roots = 0;
  for (std::size_t i = 1; i <= std::min(m, n); ++i) {
    h += 1 / static_cast<double>(i);
    roots += 1 / std::sqrt(static_cast<double>(i));
  }
  const double cells = static_cast<double>(m) * static_cast<double>(n), log_delta = std::log(total.delta);
  const double a = (h + roots) * c * c + 2 * h * c * s;
  const double b = 2 * std::pow(cells, 0.25) * h * s * (2 * std::sqrt(-cells * log_delta) - 2 * log_delta + cells);
  const double root = 8 * a * total.epsilon / (b + std::sqrt(b * b + 8 * a * total.epsilon));  // sqrt(...) - b
  return 2 * a * std::pow(cells, 0.25) / root;
}

}  // namespace published

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_MVG_NOISE_HPP
#define DPLDA_OUTPUT_PERTURBATION_MVG_NOISE_HPP

// A paper's formula, for comparison. This header claims nothing and draws no noise (output_perturbation/topic_dp.hpp).

#include <dplda/accounting/guarantee.hpp>

#include <cstddef>

namespace dplda::inline v0_1::published {

/// The standard deviation of independent Gaussian noise that meets the condition of Chanyaswad, Dytso, Poor and Mittal
/// (MVG mechanism: differential privacy under matrix-valued query, 2018, Theorem 3) for an m x n matrix of Frobenius norm
/// at most c and sensitivity s. With H_r = sum_{i<=r} 1/i, H' = sum_{i<=r} i^-1/2, r = min(m, n):
///   |sigma(Sigma^-1)| |sigma(Psi^-1)| <= (-b + sqrt(b^2 + 8 a epsilon))^2 / (4 a^2),
///   a = (H_r + H') c^2 + 2 H_r c s, b = 2 (m n)^1/4 H_r s (2 sqrt(-m n ln delta) - 2 ln delta + m n),
/// and Sigma = v I, Psi = I has sqrt(m n)/v on the left. Choosing unequal directions would need data, and they cannot
/// be better if any direction may be the sensitive one. Throws std::invalid_argument unless m, n >= 1, c, s, epsilon >
/// 0 and 0 < delta < 1.
double mvg_noise(std::size_t m, std::size_t n, double c, double s, const budget& total);

}  // namespace dplda::inline v0_1::published

#ifndef DPLDA_COMPILED
#include <dplda/output_perturbation/detail/mvg_noise.ipp>
#endif

#endif

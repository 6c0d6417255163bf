// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_COUNT_HISTOGRAM_HPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_COUNT_HISTOGRAM_HPP

#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/inference/prior.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// How often each count occurs.
class count_histogram {
 public:
  void add(std::uint64_t count) {
    if (count == 0) return;
    if (count >= limit) {
      large_.push_back(count);
      return;
    }
    if (count >= often_.size()) often_.resize(count + 1);
    ++often_[count];
  }

  /// sum of digamma(n + a) - digamma(a) over the counts n. For small n the difference is sum_{j < n} 1 / (a + j), which
  /// all counts share.
  double digamma_rise(double a) const {
    double sum = 0, above = 0;
    for (std::size_t n = often_.size(); n-- > 1;) {
      above += static_cast<double>(often_[n]);
      sum += above / (a + static_cast<double>(n - 1));
    }
    if (large_.empty()) return sum;
    const double start = digamma(a);
    for (const std::uint64_t n : large_) sum += digamma(static_cast<double>(n) + a) - start;
    return sum;
  }

 private:
  static constexpr std::uint64_t limit = 4096;
  std::vector<std::uint64_t> often_;
  std::vector<std::uint64_t> large_;
};

/// Rounds of the fixed-point iteration. It never lowers the likelihood, so it need not converge.
inline constexpr int prior_rounds = 20;
inline constexpr double smallest_learned_prior = 1e-4;

/// Makes counts more likely under the Dirichlet-multinomial distribution, where histogram k holds component k of each
/// vector of counts and `lengths` the vectors' sums: Minka's fixed point (Estimating a Dirichlet distribution, section
/// 3)
///   a_k <- a_k sum_d [digamma(n_dk + a_k) - digamma(a_k)] / sum_d [digamma(n_d + A) - digamma(A)],  A = sum_k a_k.
inline Eigen::VectorXd fit_dirichlet_to_counts(std::span<const count_histogram> components,
                                               const count_histogram& lengths, Eigen::VectorXd a) {
  for (int round = 0; round < prior_rounds; ++round) {
    const double whole = lengths.digamma_rise(a.sum());
    if (!(whole > 0)) break;
    for (Eigen::Index k = 0; k < a.size(); ++k) {
      const double part = components[static_cast<std::size_t>(k)].digamma_rise(a[k]);
      a[k] = std::max(smallest_learned_prior, a[k] * part / whole);
    }
  }
  return a;
}

/// The same for one number shared by `size` components, whose counts are all in one histogram.
inline double fit_symmetric_to_counts(const count_histogram& components, const count_histogram& lengths, double size,
                                      double a) {
  for (int round = 0; round < prior_rounds; ++round) {
    const double whole = size * lengths.digamma_rise(size * a);
    if (!(whole > 0)) break;
    a = std::max(smallest_learned_prior, a * components.digamma_rise(a) / whole);
  }
  return a;
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_HPP

#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <functional>

namespace dplda::inline v0_1::detail {

/// Averages of words, pairs and triples over documents, each with its own Gaussian noise of known standard deviation.
struct noisy_averages {
  Eigen::VectorXd first;                                        ///< m1
  std::function<tall_matrix(const tall_matrix&)> second_times;  ///< products with m2
  symmetric_tensor third;                                       ///< m3(B, B, B)
  tall_matrix basis;                                            ///< B
  double first_noise, second_noise, third_noise;                ///< of a cell (of the diagonal)
};

/// LDA's parameters as points of simplices.
struct lda_point {
  tall_matrix topics;     ///< words x topics, columns are distributions
  Eigen::VectorXd share;  ///< alpha_i / alpha0
};

/// Topics and shares that fit the noisy averages best, near a start: for noise alone, the likeliest ones, where
///   |m1 - A p|^2/s1^2 + |m2 - A C A'|_F^2/s2^2 + |m3(B) - T|_F^2/s3^2
/// is least over distributions p and columns mu_i of A, with e_i = B'mu_i and what LDA expects of them,
///   C = (diag p + alpha0 pp')/(alpha0+1),
///   T = (2 sum_i p_i e_i^(3) + alpha0 S(sum_i p_i e_i e_i', e) + alpha0^2 e^(3))/((alpha0+1)(alpha0+2)), e = sum_i p_i e_i.
/// Accelerated projected gradients restart where momentum leads uphill. Noise distorts a topic mostly at words that the
/// topic does not have, where negative entries reveal it.
class moment_fit {
 public:
  moment_fit(const noisy_averages& averages, double alpha0, std::size_t threads)
      : m_(averages), alpha0_(alpha0), threads_(threads) {}

  /// The cost to be minimised, up to a constant, and its gradient.
  struct value {
    double cost = 0;
    tall_matrix topics;
    Eigen::VectorXd share;
  };

  value evaluate(const lda_point& at) const { return evaluate(at, m_.second_times(at.topics)); }

  /// At most this many iterations, with one product with m2 each. It ends early if the last ten gained nothing that
  /// matters: half of the cost is a log likelihood.
  lda_point improve(lda_point start, std::size_t iterations) const;

 private:
  // `image` is m2 A.
  value evaluate(const lda_point& at, tall_matrix image) const;

  static lda_point moved(const lda_point& from, const value& at, double step);

  const noisy_averages& m_;
  double alpha0_;
  std::size_t threads_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/moment_fit.ipp>
#endif

#endif

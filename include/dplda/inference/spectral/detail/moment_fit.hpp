// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_HPP

#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/recovery.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace dplda::detail {

/// Moments of LDA under Gaussian noise, each entry's standard deviation known.
struct noisy_lda_moments {
  Eigen::VectorXd first;                                        ///< M1
  std::function<tall_matrix(const tall_matrix&)> second_times;  ///< products with M2
  symmetric_tensor third;                                       ///< M3(B, B, B)
  tall_matrix basis;                                            ///< B
  double first_noise, second_noise, third_noise;                ///< of a cell (of the diagonal)
};

/// LDA's parameters as points of simplices.
struct lda_point {
  tall_matrix topics;     ///< words x topics, columns are distributions
  Eigen::VectorXd share;  ///< alpha_i / alpha0
};

/// Topics and shares that fit the noisy moments best, near a start, each moment weighted by its own noise: the least
///   |M1 - sum_i p_i mu_i|^2/s1^2 + |M2 - sum_i c2 p_i mu_i mu_i'|_F^2/s2^2 + |M3(B) - sum_i c3 p_i (B'mu_i)^(3)|_F^2/s3^2
/// with c2 = 1/(alpha0+1), c3 = 2/((alpha0+1)(alpha0+2)), over distributions mu_i and p, by accelerated projected gradients
/// that restart where momentum leads uphill. Most of what noise does to a topic it does to words that the topic does not
/// have, where entries below zero tell it apart.
class moment_fit {
 public:
  moment_fit(const noisy_lda_moments& moments, double alpha0, std::size_t threads)
      : m_(moments), c2_(1 / (alpha0 + 1)), c3_(2 * c2_ / (alpha0 + 2)), threads_(threads) {}

  /// What is to be least, up to a constant, and its slopes.
  struct value {
    double cost = 0;
    tall_matrix topics;
    Eigen::VectorXd share;
  };

  value evaluate(const lda_point& p) const {
    const Eigen::Index k = p.share.size();
    const double w1 = 1 / (m_.first_noise * m_.first_noise), w2 = 1 / (m_.second_noise * m_.second_noise),
                 w3 = 1 / (m_.third_noise * m_.third_noise);
    value result;
    Eigen::VectorXd first = -m_.first;
    for (Eigen::Index i = 0; i < k; ++i) first += p.share[i] * p.topics.col(i);
    // With Q = diag(c2 p): |A Q A' - M2|^2 = |M2|^2 - 2 tr(Q A'M2A) + tr(Q A'A Q A'A).
    const tall_matrix image = m_.second_times(p.topics);
    const Eigen::MatrixXd gram = inner_product(p.topics, p.topics, threads_),
                          seen = inner_product(p.topics, image, threads_);
    Eigen::MatrixXd scaled = gram;  // A'A Q
    for (Eigen::Index i = 0; i < k; ++i) scaled.col(i) *= c2_ * p.share[i];
    const tall_matrix fitted = product(p.topics, transposed(scaled), threads_);  // A Q A'A
    const Eigen::MatrixXd whole = multiplied(scaled, gram);                      // A'A Q A'A
    const Eigen::MatrixXd inner = inner_product(m_.basis, p.topics, threads_);
    symmetric_tensor third = m_.third;
    for (Eigen::Index i = 0; i < k; ++i) third.add_cube(inner.col(i), -c3_ * p.share[i]);
    const Eigen::MatrixXd third_slope = third.apply(inner);  // -(rest)(I, v_i, v_i)
    const double third_norm = third.frobenius_norm();

    result.cost = w1 * first.squaredNorm() + w3 * third_norm * third_norm;
    result.topics.resize(p.topics.rows(), k);
    result.share.resize(k);
    const tall_matrix back = product(m_.basis, third_slope, threads_);
    for (Eigen::Index i = 0; i < k; ++i) {
      const double q = c2_ * p.share[i];
      result.cost += w2 * q * (whole(i, i) - 2 * seen(i, i));
      for (Eigen::Index v = 0; v < p.topics.rows(); ++v) {
        result.topics(v, i) = 2 * w1 * p.share[i] * first[v] + 4 * w2 * q * (fitted(v, i) - image(v, i)) -
                              6 * w3 * c3_ * p.share[i] * back(v, i);
      }
      result.share[i] = 2 * w1 * p.topics.col(i).dot(first) + 2 * w2 * c2_ * (whole(i, i) - seen(i, i)) -
                        2 * w3 * c3_ * dot(&inner(0, i), &third_slope(0, i), inner.rows());
    }
    return result;
  }

  lda_point improve(lda_point start, std::size_t iterations) const {
    lda_point best = std::move(start), ahead = best;
    value at = evaluate(ahead);
    double step = 1e-3 / std::max(at.topics.cwiseAbs().maxCoeff(), at.share.cwiseAbs().maxCoeff());
    if (!(step > 0) || !std::isfinite(step)) return best;
    double momentum = 1;
    for (std::size_t i = 0; i < iterations; ++i) {
      lda_point next;
      value there;
      for (int halvings = 0;; ++halvings) {
        next = moved(ahead, at, step);
        there = evaluate(next);
        const tall_matrix topics = next.topics - ahead.topics;
        const Eigen::VectorXd share = next.share - ahead.share;
        const double expected = at.topics.cwiseProduct(topics).sum() + at.share.dot(share) +
                                (topics.squaredNorm() + share.squaredNorm()) / (2 * step);
        if (there.cost - at.cost <= expected + 1e-12 * std::abs(at.cost)) break;
        if (halvings == 60) return best;
        step /= 2;
      }
      const tall_matrix direction = next.topics - best.topics;
      const bool uphill = (ahead.topics - next.topics).cwiseProduct(direction).sum() > 0;
      const double larger = uphill ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      if (uphill) {
        ahead = next;
        at = std::move(there);
      } else {
        const double weight = (momentum - 1) / larger;
        ahead.topics = next.topics + weight * direction;
        ahead.share = next.share + weight * (next.share - best.share);
        at = evaluate(ahead);
      }
      best = std::move(next);
      momentum = larger;
      step *= 1.1;
    }
    return best;
  }

 private:
  static lda_point moved(const lda_point& from, const value& at, double step) {
    lda_point to = from;
    for (Eigen::Index i = 0; i < to.topics.cols(); ++i)
      to.topics.col(i) = project_to_simplex(from.topics.col(i) - step * at.topics.col(i));
    to.share = project_to_simplex(from.share - step * at.share);
    return to;
  }

  const noisy_lda_moments& m_;
  double c2_, c3_;
  std::size_t threads_;
};

}  // namespace dplda::detail

#endif

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
  lda_point improve(lda_point start, std::size_t iterations) const {
    lda_point best = std::move(start), ahead = best;
    tall_matrix image = m_.second_times(best.topics), ahead_image = image;  // m2 A
    value at = evaluate(ahead, ahead_image);
    double step = 1e-3 / std::max(at.topics.cwiseAbs().maxCoeff(), at.share.cwiseAbs().maxCoeff());
    if (!(step > 0) || !std::isfinite(step)) return best;
    double momentum = 1, looked_at = at.cost;
    for (std::size_t i = 1; i <= iterations; ++i) {
      lda_point next;
      tall_matrix next_image;
      value there;
      for (int halvings = 0;; ++halvings) {
        next = moved(ahead, at, step);
        next_image = m_.second_times(next.topics);
        there = evaluate(next, next_image);
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
      const double cost = there.cost;
      if (uphill) {
        ahead = next;
        ahead_image = next_image;
        at = std::move(there);
      } else {
        const double weight = (momentum - 1) / larger;
        ahead.topics = next.topics + weight * direction;
        ahead.share = next.share + weight * (next.share - best.share);
        ahead_image = next_image + weight * (next_image - image);
        at = evaluate(ahead, ahead_image);
      }
      best = std::move(next);
      image = std::move(next_image);
      momentum = larger;
      step *= 1.1;
      if (i % 10 == 0 && std::exchange(looked_at, cost) - cost < 0.02) break;
    }
    return best;
  }

 private:
  // `image` is m2 A.
  value evaluate(const lda_point& at, tall_matrix image) const {
    const tall_matrix& a = at.topics;
    const Eigen::VectorXd& p = at.share;
    const Eigen::Index k = p.size();
    const auto weight = [](double noise) { return 1 / (noise * noise); };

    const Eigen::VectorXd first = product(a, p, threads_).col(0) - m_.first;
    const double w1 = weight(m_.first_noise);
    double cost = w1 * first.squaredNorm();
    tall_matrix topics = (2 * w1 * first) * p.transpose();
    Eigen::VectorXd share = 2 * w1 * inner_product(a, tall_matrix(first), threads_);

    // |A C A' - m2|^2 = |m2|^2 - 2 tr(C A'm2A) + tr(C A'A C A'A).
    const double c2 = 1 / (alpha0_ + 1), w2 = weight(m_.second_noise);
    Eigen::MatrixXd c = c2 * alpha0_ * p * p.transpose();
    c.diagonal() += c2 * p;
    const Eigen::MatrixXd gram = inner_product(a, a, threads_), seen = inner_product(a, image, threads_);
    const Eigen::MatrixXd mixed = multiplied(c, gram), rest = multiplied(gram, mixed) - seen;
    cost += w2 * c.cwiseProduct(rest - seen).sum();
    image = product(a, mixed, threads_) - image;  // (A C A' - m2) A
    add_product(topics, image, 4 * w2 * c, threads_);
    share += 2 * w2 * c2 * (rest.diagonal() + 2 * alpha0_ * (rest * p));

    const double c3 = c2 / (alpha0_ + 2), w3 = weight(m_.third_noise);
    const Eigen::MatrixXd e = inner_product(m_.basis, a, threads_);
    const Eigen::VectorXd mean = e * p;
    symmetric_tensor third = m_.third;
    for (Eigen::Index i = 0; i < k; ++i) third.add_cube(e.col(i), -2 * c3 * p[i]);
    third.add_symmetrised(multiplied(e * p.asDiagonal(), transposed(e)), mean, -c3 * alpha0_);
    third.add_cube(mean, -c3 * alpha0_ * alpha0_);
    const double norm = third.frobenius_norm();
    cost += w3 * norm * norm;
    // With R = m3(B) - T: gradients along e_i, and along their mean, which all of them move.
    const Eigen::MatrixXd own = third.apply(e), with_mean = third.contract(mean);  // R(I, e_i, e_i), R(I, I, e)
    const Eigen::MatrixXd beside = multiplied(with_mean, e);                       // R(I, e_i, e)
    const Eigen::VectorXd along_mean = alpha0_ * (own * p) + alpha0_ * alpha0_ * (with_mean * mean);
    Eigen::MatrixXd slopes = own + alpha0_ * beside;
    slopes = 2 * slopes;
    slopes.colwise() += along_mean;
    add_product(topics, m_.basis, -6 * w3 * c3 * (slopes * p.asDiagonal()), threads_);
    for (Eigen::Index i = 0; i < k; ++i) {
      const double direct = 2 * e.col(i).dot(own.col(i)) + 3 * alpha0_ * e.col(i).dot(beside.col(i));
      share[i] -= 2 * w3 * c3 * (direct + 3 * e.col(i).dot(along_mean));
    }
    return {cost, std::move(topics), std::move(share)};
  }

  static lda_point moved(const lda_point& from, const value& at, double step) {
    lda_point to = from;
    for (Eigen::Index i = 0; i < to.topics.cols(); ++i)
      to.topics.col(i) = project_to_simplex(from.topics.col(i) - step * at.topics.col(i));
    to.share = project_to_simplex(from.share - step * at.share);
    return to;
  }

  const noisy_averages& m_;
  double alpha0_;
  std::size_t threads_;
};

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENT_FIT_IPP

// Bodies of inference/spectral/detail/moment_fit.hpp.

#include <dplda/inference/spectral/detail/moment_fit.hpp>
#include <dplda/inference/spectral/recovery.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE lda_point moment_fit::improve(lda_point start, std::size_t iterations) const {
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

DPLDA_INLINE moment_fit::value moment_fit::evaluate(const lda_point& at, tall_matrix image) const {
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

DPLDA_INLINE lda_point moment_fit::moved(const lda_point& from, const value& at, double step) {
  lda_point to = from;
  for (Eigen::Index i = 0; i < to.topics.cols(); ++i)
    to.topics.col(i) = project_to_simplex(from.topics.col(i) - step * at.topics.col(i));
  to.share = project_to_simplex(from.share - step * at.share);
  return to;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

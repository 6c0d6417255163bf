// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_NOISY_MOMENTS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_NOISY_MOMENTS_IPP

// Bodies of inference/spectral/detail/noisy_moments.hpp.

#include <dplda/inference/spectral/detail/moment_fit.hpp>
#include <dplda/inference/spectral/detail/noisy_moments.hpp>
#include <dplda/inference/spectral/recovery.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE noisy_moments::noisy_moments(std::size_t words, std::size_t topics, double alpha0, double units,
                                          std::size_t threads)
    : words_(words),
      topics_(topics),
      alpha0_(alpha0),
      weights_(moment_weights::of(alpha0)),
      units_(units),
      threads_(threads) {}

DPLDA_INLINE void noisy_moments::set_first(const noisy_sums<double>& sums) {
  first_ = Eigen::Map<const Eigen::VectorXd>(sums.values.data(), static_cast<Eigen::Index>(words_));
  // The number of units was a guess, and those without a document of three tokens are missing from all sums. The sum of
  // the words' frequencies estimates their number, unless it is lost in noise.
  const double seen = first_.sum() / units_, error = 3 * sums.noise * std::sqrt(static_cast<double>(words_)) / units_;
  if (seen > error && std::abs(seen - 1) > error) units_ *= seen;
  first_ /= units_;
  first_noise_ = sums.noise / units_;
}

DPLDA_INLINE void noisy_moments::set_second(noisy_sums<float> sums) {
  const auto diagonal = static_cast<float>(1 / units_), beside = static_cast<float>(1 / (1.4142135623730951 * units_));
  for (std::size_t v = 0, cell = 0; v < words_; ++v) {
    sums.values[cell++] *= diagonal;
    for (std::size_t w = v + 1; w < words_; ++w) sums.values[cell++] *= beside;
  }
  second_noise_ = sums.noise / units_;
  pairs_.emplace(words_, std::move(sums.values));
}

DPLDA_INLINE void noisy_moments::whiten(const random_source& random) {
  second_ = top_eigenpairs([&](const tall_matrix& x) { return second_times(x); }, words_, topics_, random,
                           {.tolerance = 1e-4, .iterations = 60, .threads = threads_});
  // Noise can leave fewer positive eigenvalues than topics.
  const double least = 1e-3 * std::max(second_.values[0], second_noise_);
  second_.values = second_.values.cwiseMax(least);
  basis_ = whitening_matrix(second_);
}

DPLDA_INLINE double noisy_moments::choose_basis(double clip) {
  if (whole_clip() > clip) return clip;
  basis_ = second_.vectors;
  orthonormal_ = true;
  return 1;
}

DPLDA_INLINE double noisy_moments::whole_clip() const {
  const Eigen::VectorXd inverse = second_.values.cwiseInverse();
  double sum = 0;
  for_each_triple(topics_, [&](std::size_t, std::size_t a, std::size_t b, std::size_t c) {
    const auto at = [&](std::size_t i) { return inverse[static_cast<Eigen::Index>(i)]; };
    sum += at(a) * at(b) * at(c);
  });
  return std::sqrt(sum / static_cast<double>(triple_cells(topics_)));
}

DPLDA_INLINE void noisy_moments::set_third(const noisy_sums<double>& sums) {
  third_.emplace(topics_);
  for_each_triple(topics_, [&](std::size_t cell, std::size_t a, std::size_t b, std::size_t c) {
    third_->set(a, b, c, sums.values[cell] / (triple_weight(a, b, c) * units_));
  });
  third_noise_ = sums.noise / units_;
}

DPLDA_INLINE symmetric_tensor noisy_moments::whitened() const {
  symmetric_tensor result = *third_;
  const Eigen::VectorXd mean = inner_product(basis_, tall_matrix(first_), threads_);
  result.add_symmetrised(inner_product(basis_, pairs_->times(basis_, threads_), threads_), mean, -weights_.b);
  result.add_cube(mean, weights_.c);
  if (!orthonormal_) return result;
  const Eigen::VectorXd scale = second_.values.cwiseSqrt().cwiseInverse();
  for_each_triple(topics_, [&](std::size_t, std::size_t a, std::size_t b, std::size_t c) {
    const auto at = [&](std::size_t i) { return scale[static_cast<Eigen::Index>(i)]; };
    result.set(a, b, c, result(a, b, c) * at(a) * at(b) * at(c));
  });
  return result;
}

DPLDA_INLINE topic_model<> noisy_moments::topics(vocabulary_ptr vocab, const random_source& random,
                                                 const tensor_options& options, std::size_t iterations) const {
  lda_parameters found = recover_parameters(alpha0_, second_, decompose(whitened(), random, options, threads_));
  lda_point point{tall_matrix(static_cast<Eigen::Index>(words_), static_cast<Eigen::Index>(topics_)),
                  found.alpha / found.alpha.sum()};
  for (Eigen::Index i = 0; i < point.topics.cols(); ++i) {
    const double sum = found.topics.row(i).sum();
    point.topics.col(i) = project_to_simplex(found.topics.row(i).transpose() / (sum > 0 ? sum : 1));
  }
  const noisy_averages averages{first_,       [&](const tall_matrix& x) { return pairs_->times(x, threads_); },
                                *third_,      basis_,
                                first_noise_, second_noise_,
                                third_noise_};
  point = moment_fit(averages, alpha0_, threads_).improve(std::move(point), iterations);
  const Eigen::VectorXd alpha = alpha0_ * point.share.cwiseMax(1e-3 / static_cast<double>(topics_));
  return topic_model<>(point.topics.transpose(), std::move(vocab), alpha);
}

DPLDA_INLINE tall_matrix noisy_moments::second_times(const tall_matrix& x) const {
  tall_matrix result = pairs_->times(x, threads_);
  const Eigen::MatrixXd mean = -weights_.a * inner_product(tall_matrix(first_), x, threads_);
  add_product(result, tall_matrix(first_), mean, threads_);
  return result;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

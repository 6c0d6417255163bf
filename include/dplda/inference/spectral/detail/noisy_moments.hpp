// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_NOISY_MOMENTS_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_NOISY_MOMENTS_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/moment_sums.hpp>
#include <dplda/inference/spectral/detail/pair_matrix.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/tensor.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <optional>

namespace dplda::inline v0_1::detail {

/// From released sums of moments to topics: post-processing. Set first, second and third in turn; the whitened basis for
/// the third comes from the first two, and whether it stays also from the clip norm.
class noisy_moments {
 public:
  noisy_moments(std::size_t words, std::size_t topics, double alpha0, double units, std::size_t threads);

  /// Sums of m1.
  void set_first(const noisy_sums<double>& sums);

  /// Sums of m2.
  void set_second(noisy_sums<float> sums);

  /// The leading eigenvectors of M2 become the basis, whitened. (Only to the accuracy that the noise allows: if topics
  /// drown in noise, eigenvalues lie close together, and their vectors are not worth a long search.)
  void whiten(const random_source& random);

  const tall_matrix& basis() const { return basis_; }

  /// Decides between the two forms of noise in the third moment, which are both known before it is read: the whitened
  /// basis with this clip norm, or the orthonormal one, where no unit is longer than 1. Takes the basis that has less
  /// noise, or the orthonormal one if it is a tie, and returns its clip norm.
  double choose_basis(double clip);

  /// The clip norm in the whitened basis at which the whitened tensor has as much noise (in Frobenius norm, squared and
  /// expected) as from the orthonormal basis with a clip norm of 1, where entry (a, b, c) is divided by the square root of
  /// l_a l_b l_c.
  double whole_clip() const;

  /// Sums of m3 in the basis.
  void set_third(const noisy_sums<double>& sums);

  /// M3 = avg m3 - b S(avg m2, M1) + c M1^(3), in the whitened basis.
  symmetric_tensor whitened() const;

  /// The topics, fitted to all moments in at most this many iterations.
  topic_model<> topics(vocabulary_ptr vocab, const random_source& random, const tensor_options& options,
                       std::size_t iterations) const;

 private:
  // M2 = avg m2 - a M1 M1'.
  tall_matrix second_times(const tall_matrix& x) const;

  std::size_t words_, topics_;
  double alpha0_;
  moment_weights weights_;
  double units_;
  std::size_t threads_;
  Eigen::VectorXd first_;
  double first_noise_ = 0, second_noise_ = 0, third_noise_ = 0;
  std::optional<pair_matrix> pairs_;
  eigenpairs second_;
  tall_matrix basis_;
  bool orthonormal_ = false;
  std::optional<symmetric_tensor> third_;  // avg m3, in the basis
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/noisy_moments.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_TENSOR_HPP
#define DPLDA_INFERENCE_SPECTRAL_TENSOR_HPP

#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>

namespace dplda::inline v0_1 {

/// A symmetric tensor of third order and k x k x k entries, all of which are stored.
class symmetric_tensor {
 public:
  /// Zeros. Throws std::invalid_argument if k is 0.
  explicit symmetric_tensor(std::size_t k);

  std::size_t size() const noexcept { return static_cast<std::size_t>(entries_.cols()); }
  double operator()(std::size_t a, std::size_t b, std::size_t c) const;

  /// Sets the entry and its five permutations.
  void set(std::size_t a, std::size_t b, std::size_t c, double value);

  /// Adds weight u (x) u (x) u.
  void add_cube(const Eigen::VectorXd& u, double weight);

  /// Adds weight S(X, u) of a symmetric X, where S(X, u)_abc = X_ab u_c + X_ac u_b + X_bc u_a.
  void add_symmetrised(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, double weight);

  /// The matrix T(I, I, v).
  Eigen::MatrixXd contract(const Eigen::VectorXd& v) const;

  /// The vectors T(I, v, v) of the columns v of `frame`.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& frame) const;

  double frobenius_norm() const { return detail::norm(entries_.data(), entries_.size()); }
  /// k^2 x k: entry (a, b, c) in row a + k b, column c.
  const Eigen::MatrixXd& entries() const noexcept { return entries_; }

 private:
  double& at(std::size_t a, std::size_t b, std::size_t c);
  double* column(Eigen::Index b, Eigen::Index c) { return &entries_(entries_.cols() * b, c); }

  Eigen::MatrixXd entries_;
};

namespace detail {

/// A symmetric tensor by its columns T(I, e_b, e_c), b <= c, side by side.
class packed_tensor {
 public:
  explicit packed_tensor(const symmetric_tensor& tensor);

  Eigen::Index size() const noexcept { return columns_.rows(); }

  void add_cube(const Eigen::VectorXd& u, double weight);

  /// The vectors T(I, v, v) = sum_b<=c T(I, e_b, e_c) v_b v_c (2 if b < c) of the columns v of `frame`.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& frame) const;

 private:
  Eigen::MatrixXd columns_;
};

}  // namespace detail

/// An approximation of T by sum_i values_i v_i (x) v_i (x) v_i with orthonormal v_i.
struct tensor_decomposition {
  Eigen::VectorXd values;   ///< T(v_i, v_i, v_i), not negative, largest first
  Eigen::MatrixXd vectors;  ///< v_i in columns
};

namespace detail {

Eigen::MatrixXd random_directions(Eigen::Index size, Eigen::Index count, chacha20& bits);

/// T(v, v, v) of the columns v of `frame`, from the vectors T(I, v, v).
Eigen::VectorXd values_of(const Eigen::MatrixXd& frame, const Eigen::MatrixXd& applied);

/// Turns each column to the side on which T(v, v, v) >= 0 and sorts by that value.
tensor_decomposition ordered(const packed_tensor& tensor, Eigen::MatrixXd frame);

}  // namespace detail

/// Eigenvectors of a tensor that is nearly sum_i values_i v_i (x) v_i (x) v_i with orthonormal v_i and positive values.
///
/// Deflation (Anandkumar et al., Tensor decompositions for learning latent variable models, 2014, Algorithm 1): the best
/// of several power iterations v <- T(I, v, v) / |T(I, v, v)| is an eigenvector, and its part is subtracted. The vectors
/// are orthogonal only as far as the tensor allows. Simultaneous (after Wang and Lu, Tensor decomposition via
/// simultaneous power iteration, 2017): all vectors are updated at once and made orthonormal after each step. The
/// starts are deflation's frame and restarts - 1 random ones, each followed to 1e-2. The result with the largest sum of
/// squared values is then followed to the tolerance.
/// The same source gives the same bits for every number of threads. Throws std::invalid_argument if an option is out of
/// its range.
tensor_decomposition decompose(const symmetric_tensor& tensor, const random_source& random,
                               const tensor_options& options = {}, std::size_t threads = 1);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/tensor.ipp>
#endif

#endif

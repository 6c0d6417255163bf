// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_EIGENPAIRS_HPP
#define DPLDA_INFERENCE_SPECTRAL_EIGENPAIRS_HPP

#include <dplda/core/errors.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace dplda {

/// The largest eigenvalues of a symmetric matrix, largest first, with orthonormal eigenvectors (columns). The entry of a
/// vector that is largest in size is positive.
struct eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  double residual = 0;         ///< largest norm of A u - value u
  std::size_t iterations = 0;  ///< products with the matrix
};

/// When top_eigenpairs stops.
struct eigen_options {
  double tolerance = 1e-9;  ///< all residuals are at most this part of the largest eigenvalue's size
  std::size_t iterations = 500;
  std::size_t threads = 1;
};

namespace detail {

/// An orthonormal basis (of fewer columns, where they are dependent) of the columns of `block` less their parts in
/// `basis`.
template <class Basis>
tall_matrix orthonormal_rest(tall_matrix block, const Basis& basis, std::size_t threads) {
  // Twice: what cancellation leaves of the basis in the first round, the second removes.
  for (int round = 0; round < 2; ++round) {
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      const double norm = block.col(j).norm();
      if (norm > 0) block.col(j) /= norm;
    }
    if (basis.cols() > 0) add_product(block, basis, -inner_product(basis, block, threads), threads);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(inner_product(block, block, threads));
    const double least = 1e-13 * std::max(1e-3, gram.eigenvalues()[block.cols() - 1]);
    Eigen::Index dropped = 0;
    while (dropped < block.cols() && !(gram.eigenvalues()[dropped] > least)) ++dropped;
    const Eigen::Index kept = block.cols() - dropped;
    if (kept == 0) return tall_matrix(block.rows(), 0);
    block = product(block,
                    gram.eigenvectors().rightCols(kept) *
                        gram.eigenvalues().tail(kept).cwiseSqrt().cwiseInverse().asDiagonal(),
                    threads);
  }
  return block;
}

}  // namespace detail

/// The `count` algebraically largest eigenpairs of a symmetric matrix of `size` rows that is known by its products:
/// apply(X) gives A X as a row-major matrix.
///
/// Block Lanczos with thick restarts: the basis grows by the residuals of the leading Ritz vectors, and starts again from
/// those vectors when it is four blocks wide. Full orthogonalisation, so eigenvalues that coincide come out as often as
/// they occur. Where the basis fills the space the answer is that of the dense method.
/// Throws std::invalid_argument if count is not in [1, size].
template <class Apply>
eigenpairs top_eigenpairs(const Apply& apply, std::size_t size, std::size_t count, const random_source& random,
                          const eigen_options& options = {}) {
  detail::require(count >= 1 && count <= size, "top_eigenpairs", "count", count,
                  detail::text("must lie in [1, ", size, "]"));
  const std::size_t threads = options.threads;
  const auto rows = static_cast<Eigen::Index>(size), wanted = static_cast<Eigen::Index>(count);
  // Some more than wanted, so that the last ones wanted do not wait for a small gap below them.
  const Eigen::Index block = std::min(rows, wanted + std::max<Eigen::Index>(4, wanted / 4));
  const Eigen::Index widest = std::min(rows, 4 * block);

  detail::tall_matrix basis(rows, widest), image(rows, widest);
  Eigen::Index width = 0;
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(widest, widest);
  eigenpairs result;
  const auto expand = [&](const detail::tall_matrix& fresh) {
    const Eigen::Index grown = width + fresh.cols();
    basis.middleCols(width, fresh.cols()) = fresh;
    image.middleCols(width, fresh.cols()) = apply(fresh);
    const Eigen::MatrixXd corner =
        detail::inner_product(basis.leftCols(grown), image.middleCols(width, fresh.cols()), threads);
    projected.block(0, width, grown, fresh.cols()) = corner;
    projected.block(width, 0, fresh.cols(), width) = corner.topRows(width).transpose();
    width = grown;
    ++result.iterations;
  };

  detail::tall_matrix start(rows, block);
  for (Eigen::Index j = 0; j < block; ++j) {
    auto bits = random.stream("spectral.eigen", static_cast<std::uint64_t>(j));
    for (Eigen::Index v = 0; v < rows; ++v) start(v, j) = normal(bits);
  }
  expand(detail::orthonormal_rest(std::move(start), basis.leftCols(0), threads));
  for (;;) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(projected.topLeftCorner(width, width));
    const Eigen::Index leading = std::min(block, width);
    const Eigen::VectorXd values = ritz.eigenvalues().tail(leading).reverse();
    const Eigen::MatrixXd combination = ritz.eigenvectors().rightCols(leading).rowwise().reverse();
    const detail::tall_matrix vectors = detail::product(basis.leftCols(width), combination, threads);
    const detail::tall_matrix images = detail::product(image.leftCols(width), combination, threads);
    detail::tall_matrix residuals = images - vectors * values.asDiagonal();
    const double scale = ritz.eigenvalues().cwiseAbs().maxCoeff();
    result.residual = 0;
    for (Eigen::Index j = 0; j < wanted; ++j) result.residual = std::max(result.residual, residuals.col(j).norm());
    detail::tall_matrix fresh;
    const bool done = !(result.residual > options.tolerance * scale) || width == rows ||
                      result.iterations >= options.iterations;
    if (!done) {
      if (width + leading > widest) {
        basis.leftCols(leading) = vectors;
        image.leftCols(leading) = images;
        width = leading;
        projected.setZero();
        projected.diagonal().head(leading) = values;
      }
      fresh = detail::orthonormal_rest(std::move(residuals), basis.leftCols(width), threads);
      if (fresh.cols() > widest - width) fresh = fresh.leftCols(widest - width).eval();
    }
    if (done || fresh.cols() == 0) {
      result.values = values.head(wanted);
      result.vectors = vectors.leftCols(wanted);
      for (Eigen::Index j = 0; j < wanted; ++j) {
        Eigen::Index largest = 0;
        result.vectors.col(j).cwiseAbs().maxCoeff(&largest);
        if (result.vectors(largest, j) < 0) result.vectors.col(j) *= -1;
      }
      return result;
    }
    expand(fresh);
  }
}

}  // namespace dplda

#endif

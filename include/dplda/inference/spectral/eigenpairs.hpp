// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_EIGENPAIRS_HPP
#define DPLDA_INFERENCE_SPECTRAL_EIGENPAIRS_HPP

#include <dplda/core/errors.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The largest eigenvalues of a symmetric matrix, largest first, with orthonormal eigenvectors (columns). The entry
/// with the largest absolute value of each vector is positive.
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
/// `basis`. `parts`, if not empty, is basis' block.
tall_matrix orthonormal_rest(tall_matrix block, const tall_view& basis, std::size_t threads,
                             Eigen::MatrixXd parts = {});

/// Puts `block` into the columns of `matrix` from `first` on.
void set_columns(tall_matrix& matrix, Eigen::Index first, const tall_matrix& block);

/// Sets `values` to the leading eigenvalues of the corner of `projected`, largest first, and returns their eigenvectors
/// and the largest |eigenvalue|.
std::pair<Eigen::MatrixXd, double> leading_ritz(const Eigen::MatrixXd& projected, Eigen::Index width,
                                                Eigen::VectorXd& values);

/// Whether `count` of the values, largest first, are the same but for `spread`.
bool any_multiple(const Eigen::VectorXd& values, Eigen::Index count, double spread);

/// The largest norm of images_j - values_j vectors_j over the first `count` columns.
double largest_residual(const tall_matrix& vectors, const tall_matrix& images, const Eigen::VectorXd& values,
                        Eigen::Index count);

/// images_j - values_j vectors_j for the first `count` columns, or fewer, whose norm is above `error`.
tall_matrix open_residuals(const tall_matrix& vectors, const tall_matrix& images, const Eigen::VectorXd& values,
                           Eigen::Index count, double error);

/// The first columns, each with its largest entry positive.
Eigen::MatrixXd with_signs(const tall_matrix& vectors, Eigen::Index count);

}  // namespace detail

/// The `count` algebraically largest eigenpairs of a symmetric matrix of `size` rows that is known by its products:
/// apply(X) returns A X as a row-major matrix.
///
/// Block Lanczos with full orthogonalisation and thick restarts: when the basis is full, it starts again from its leading
/// Ritz vectors. The block is small, because the degree of the polynomials matters and not their number. A Krylov space
/// holds at most as many vectors of one eigenvalue as its block has columns. If it found that many, the search ends
/// only when a fresh random block has found nothing larger. If the basis fills the space, the answer is that of the
/// dense method.
/// Throws std::invalid_argument if count is not in [1, size].
template <class Apply>
eigenpairs top_eigenpairs(const Apply& apply, std::size_t size, std::size_t count, const random_source& random,
                          const eigen_options& options = {}) {
  detail::require(count >= 1 && count <= size, "top_eigenpairs", "count", count,
                  detail::text("must lie in [1, ", size, "]"));
  const std::size_t threads = options.threads;
  const auto rows = static_cast<Eigen::Index>(size), wanted = static_cast<Eigen::Index>(count);
  const Eigen::Index block = std::min<Eigen::Index>(rows, 8);  // a cache line of each row
  // Some more than wanted, so that a small gap below the last ones does not delay them.
  const Eigen::Index kept = std::min(rows, wanted + std::max<Eigen::Index>(4, wanted / 4));
  const Eigen::Index widest = std::min(rows, std::max(4 * kept, kept + 6 * block));

  detail::tall_matrix basis(rows, widest), image(rows, widest);
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(widest, widest);
  Eigen::Index width = 0;
  eigenpairs result;
  std::uint64_t drawn = 0;
  const auto random_block = [&] {
    auto bits = random.stream("spectral.eigen", drawn++);
    detail::tall_matrix fresh(rows, std::min(block, widest - width));
    for (Eigen::Index i = 0; i < fresh.size(); ++i) fresh.data()[i] = normal(bits);
    return detail::orthonormal_rest(std::move(fresh), basis.leftCols(width), threads);
  };

  detail::tall_matrix fresh = random_block();
  std::vector<double> settled;  // the values at the last time that residuals were small
  bool mixed = false;           // whether the basis holds more than one Krylov space
  for (;;) {
    const Eigen::Index added = fresh.cols(), grown = width + added;
    const detail::tall_matrix applied = apply(fresh);
    detail::set_columns(basis, width, fresh);
    detail::set_columns(image, width, applied);
    const Eigen::MatrixXd corner = detail::inner_product(basis.leftCols(grown), applied, threads);
    for (Eigen::Index j = 0; j < added; ++j) {
      for (Eigen::Index i = 0; i < grown; ++i) projected(i, width + j) = projected(width + j, i) = corner(i, j);
    }
    ++result.iterations;
    detail::tall_matrix next = detail::orthonormal_rest(applied, basis.leftCols(grown), threads, corner);
    width = grown;
    if (width < kept || (next.cols() > 0 && width + next.cols() <= widest)) {
      fresh = next.cols() > 0 ? std::move(next) : random_block();
      continue;
    }

    Eigen::VectorXd values(kept);
    const auto [combination, size_of_largest] = detail::leading_ritz(projected, width, values);
    const detail::tall_matrix vectors = detail::product(basis.leftCols(width), combination, threads);
    const detail::tall_matrix images = detail::product(image.leftCols(width), combination, threads);
    result.residual = detail::largest_residual(vectors, images, values, wanted);
    const double error = options.tolerance * size_of_largest;
    const bool small = !(result.residual > error);
    bool complete = small && !(settled.empty() && detail::any_multiple(values.head(wanted), block, 1000 * error));
    for (std::size_t j = 0; complete && j < settled.size(); ++j) {
      complete = !(values[static_cast<Eigen::Index>(j)] - settled[j] > 2 * error);
    }
    if (complete || width == rows || result.iterations >= options.iterations) {
      result.values = values.head(wanted);
      result.vectors = detail::with_signs(vectors, wanted);
      return result;
    }
    detail::set_columns(basis, 0, vectors);
    detail::set_columns(image, 0, images);
    width = kept;
    projected.setZero();
    for (Eigen::Index j = 0; j < kept; ++j) projected(j, j) = values[j];
    if (small) settled.assign(values.data(), values.data() + wanted);
    if (small || next.cols() == 0) {
      fresh = random_block();
      mixed = true;
    } else if (mixed) {  // `next` goes on from the last block alone; the others' residuals are not in it
      fresh = detail::orthonormal_rest(detail::open_residuals(vectors, images, values, block, error),
                                       basis.leftCols(width), threads);
      if (fresh.cols() == 0) fresh = random_block();
    } else {
      fresh = std::move(next);
    }
  }
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/eigenpairs.ipp>
#endif

#endif

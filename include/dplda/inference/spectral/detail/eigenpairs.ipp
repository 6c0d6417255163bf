// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_EIGENPAIRS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_EIGENPAIRS_IPP

// Bodies of inference/spectral/eigenpairs.hpp.

#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

/// Scales the columns to length 1 and returns the factors.
inline Eigen::VectorXd normalise_columns(tall_matrix& block) {
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(block.cols());
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    for (Eigen::Index j = 0; j < block.cols(); ++j) scales[j] += block(row, j) * block(row, j);
  }
  for (double& s : scales) s = s > 0 ? 1 / std::sqrt(s) : 1;
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    for (Eigen::Index j = 0; j < block.cols(); ++j) block(row, j) *= scales[j];
  }
  return scales;
}

DPLDA_INLINE tall_matrix orthonormal_rest(tall_matrix block, const tall_view& basis, std::size_t threads,
                                          Eigen::MatrixXd parts) {
  // The second round removes what cancellation left in the first, always: what is left along the basis after one round is
  // the basis's own error times up to 1 / (the share of a column that is new), and would grow from block to block.
  for (int round = 0; round < 2; ++round) {
    const Eigen::VectorXd factors = normalise_columns(block);
    if (basis.cols() > 0) {
      if (round > 0 || parts.size() == 0) {
        parts = inner_product(basis, block, threads);
        scale(-1, parts.data(), parts.size());
      } else {
        for (Eigen::Index j = 0; j < parts.cols(); ++j) scale(-factors[j], &parts(0, j), parts.rows());
      }
      add_product(block, basis, parts, threads);
    }
    const symmetric_eigen gram = eigen_of(inner_product(block, block, threads));
    const double least = 1e-13 * std::max(1e-3, gram.values[block.cols() - 1]);
    Eigen::Index dropped = 0;
    while (dropped < block.cols() && !(gram.values[dropped] > least)) ++dropped;
    const Eigen::Index kept = block.cols() - dropped;
    if (kept == 0) return tall_matrix(block.rows(), 0);
    Eigen::MatrixXd combination(gram.vectors.rows(), kept);
    std::copy_n(&gram.vectors(0, dropped), combination.size(), combination.data());
    for (Eigen::Index j = 0; j < kept; ++j) {
      scale(1 / std::sqrt(gram.values[dropped + j]), &combination(0, j), combination.rows());
    }
    block = product(block, combination, threads);
  }
  return block;
}

DPLDA_INLINE void set_columns(tall_matrix& matrix, Eigen::Index first, const tall_matrix& block) {
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    std::copy_n(block.data() + row * block.cols(), block.cols(), matrix.data() + row * matrix.cols() + first);
  }
}

DPLDA_INLINE std::pair<Eigen::MatrixXd, double> leading_ritz(const Eigen::MatrixXd& projected, Eigen::Index width,
                                                             Eigen::VectorXd& values) {
  Eigen::MatrixXd corner(width, width);
  for (Eigen::Index j = 0; j < width; ++j) std::copy_n(&projected(0, j), width, &corner(0, j));
  const symmetric_eigen ritz = eigen_of(std::move(corner));
  Eigen::MatrixXd combination(width, values.size());
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    values[j] = ritz.values[width - 1 - j];
    std::copy_n(&ritz.vectors(0, width - 1 - j), width, &combination(0, j));
  }
  return {std::move(combination), std::max(std::abs(ritz.values[0]), std::abs(ritz.values[width - 1]))};
}

DPLDA_INLINE bool any_multiple(const Eigen::VectorXd& values, Eigen::Index count, double spread) {
  for (Eigen::Index j = count - 1; j < values.size(); ++j) {
    if (values[j - count + 1] - values[j] <= spread) return true;
  }
  return false;
}

DPLDA_INLINE double largest_residual(const tall_matrix& vectors, const tall_matrix& images,
                                     const Eigen::VectorXd& values, Eigen::Index count) {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(count);
  for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
    for (Eigen::Index j = 0; j < count; ++j) {
      const double difference = images(row, j) - values[j] * vectors(row, j);
      squares[j] += difference * difference;
    }
  }
  return std::sqrt(*std::max_element(squares.data(), squares.data() + count));
}

DPLDA_INLINE tall_matrix open_residuals(const tall_matrix& vectors, const tall_matrix& images,
                                        const Eigen::VectorXd& values, Eigen::Index count, double error) {
  std::vector<Eigen::Index> open;
  for (Eigen::Index j = 0; j < values.size() && static_cast<Eigen::Index>(open.size()) < count; ++j) {
    double square = 0;
    for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
      const double difference = images(row, j) - values[j] * vectors(row, j);
      square += difference * difference;
    }
    if (square > error * error) open.push_back(j);
  }
  tall_matrix residuals(vectors.rows(), static_cast<Eigen::Index>(open.size()));
  for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
    for (Eigen::Index i = 0; i < residuals.cols(); ++i) {
      const Eigen::Index j = open[static_cast<std::size_t>(i)];
      residuals(row, i) = images(row, j) - values[j] * vectors(row, j);
    }
  }
  return residuals;
}

DPLDA_INLINE Eigen::MatrixXd with_signs(const tall_matrix& vectors, Eigen::Index count) {
  Eigen::MatrixXd result(vectors.rows(), count);
  for (Eigen::Index j = 0; j < count; ++j) {
    double largest = 0;
    for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
      result(row, j) = vectors(row, j);
      if (std::abs(vectors(row, j)) > std::abs(largest)) largest = vectors(row, j);
    }
    if (largest < 0) scale(-1, &result(0, j), result.rows());
  }
  return result;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_BLOCKED_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_BLOCKED_HPP

// Products of tall matrices, cut into blocks of rows that do not depend on the number of threads and summed in order, so
// that the bits do not either.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/dense.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Row-major, because sparse products read and write whole rows.
using tall_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A tall matrix, or some neighbouring columns of one; anything else is copied into one.
using tall_view = Eigen::Ref<const tall_matrix>;

/// Rows of a tall matrix as the columns of a block.
inline const_block rows_of(const tall_view& tall, Eigen::Index first, Eigen::Index count) {
  return {tall.data() + first * tall.outerStride(), tall.cols(), count, Eigen::OuterStride<>(tall.outerStride())};
}

/// left' right.
inline Eigen::MatrixXd inner_product(const tall_view& left, const tall_view& right, std::size_t threads) {
  // Few blocks, because each has a sum of its own.
  const std::size_t rows = static_cast<std::size_t>(left.rows()), grain = std::max<std::size_t>(1024, (rows + 15) / 16);
  std::vector<Eigen::MatrixXd> parts((rows + grain - 1) / grain);
  parallel_for(rows, grain, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
    Eigen::MatrixXd part = Eigen::MatrixXd::Zero(left.cols(), right.cols());
    add_multiplied_transposed(whole(part), rows_of(left, first, count), rows_of(right, first, count));
    parts[begin / grain] = std::move(part);
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(left.cols(), right.cols());
  for (const Eigen::MatrixXd& part : parts) add_scaled(1, part.data(), sum.data(), sum.size());
  return sum;
}

/// target += tall * small.
inline void add_product(tall_matrix& target, const tall_view& tall, const Eigen::MatrixXd& small, std::size_t threads) {
  const Eigen::MatrixXd turned = transposed(small);
  parallel_for(static_cast<std::size_t>(tall.rows()), 1024, threads,
               [&](std::size_t begin, std::size_t end, std::size_t) {
                 const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
                 const Eigen::OuterStride<> stride(target.cols());
                 add_multiplied({target.data() + first * target.cols(), target.cols(), count, stride}, whole(turned),
                                rows_of(tall, first, count));
               });
}

/// tall * small.
inline tall_matrix product(const tall_view& tall, const Eigen::MatrixXd& small, std::size_t threads) {
  tall_matrix result = tall_matrix::Zero(tall.rows(), small.cols());
  add_product(result, tall, small, threads);
  return result;
}

}  // namespace dplda::inline v0_1::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_BLOCKED_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_BLOCKED_HPP

// Products of tall matrices, cut into blocks of rows that do not depend on the number of threads and summed in order, so
// that the bits do not either.

#include <dplda/core/parallel.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dplda::detail {

/// Row-major, because sparse products read and write whole rows.
using tall_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// left' right.
template <class Left, class Right>
Eigen::MatrixXd inner_product(const Eigen::MatrixBase<Left>& left, const Eigen::MatrixBase<Right>& right,
                              std::size_t threads) {
  // Few blocks, because each has a sum of its own.
  const std::size_t rows = static_cast<std::size_t>(left.rows()), grain = std::max<std::size_t>(1024, (rows + 15) / 16);
  std::vector<Eigen::MatrixXd> parts((rows + grain - 1) / grain);
  parallel_for(rows, grain, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
    parts[begin / grain].noalias() = left.middleRows(first, count).transpose() * right.middleRows(first, count);
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(left.cols(), right.cols());
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return sum;
}

/// target += tall * small.
template <class Target, class Tall>
void add_product(Eigen::MatrixBase<Target>& target, const Eigen::MatrixBase<Tall>& tall, const Eigen::MatrixXd& small,
                 std::size_t threads) {
  parallel_for(static_cast<std::size_t>(tall.rows()), 1024, threads,
               [&](std::size_t begin, std::size_t end, std::size_t) {
                 const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
                 target.middleRows(first, count).noalias() += tall.middleRows(first, count) * small;
               });
}

/// tall * small.
template <class Tall>
tall_matrix product(const Eigen::MatrixBase<Tall>& tall, const Eigen::MatrixXd& small, std::size_t threads) {
  tall_matrix result = tall_matrix::Zero(tall.rows(), small.cols());
  add_product(result, tall, small, threads);
  return result;
}

}  // namespace dplda::detail

#endif

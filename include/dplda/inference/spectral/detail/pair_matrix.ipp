// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_IPP

// Bodies of inference/spectral/detail/pair_matrix.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/pair_matrix.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>

#include <Eigen/Core>

#include <algorithm>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE float pair_matrix::operator()(std::size_t v, std::size_t w) const {
  return cells_[pair_cell(std::min(v, w), std::max(v, w), words_)];
}

DPLDA_INLINE tall_matrix pair_matrix::times(const tall_matrix& x, std::size_t threads) const {
  tall_matrix result = tall_matrix::Zero(x.rows(), x.cols());
  constexpr std::size_t side = 128;
  parallel_for(words_, side, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    tall_matrix tile;
    const auto first = static_cast<Eigen::Index>(begin), rows = static_cast<Eigen::Index>(end - begin);
    for (std::size_t left = 0; left < words_; left += side) {
      const std::size_t right = std::min(words_, left + side);
      fill(tile, begin, end, left, right);
      // Row-major matrices are column-major transposes: the result's rows' part += x's part' tile'.
      add_multiplied({result.data() + first * x.cols(), x.cols(), rows, Eigen::OuterStride<>(x.cols())},
                     rows_of(x, static_cast<Eigen::Index>(left), static_cast<Eigen::Index>(right - left)),
                     rows_of(tile, 0, rows));
    }
  });
  return result;
}

DPLDA_INLINE void pair_matrix::fill(tall_matrix& tile, std::size_t begin, std::size_t end, std::size_t left,
                                    std::size_t right) const {
  tile.resize(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(right - left));
  const auto columns = static_cast<std::size_t>(tile.cols());
  if (left < begin) {  // below the diagonal: from the other side of it, along its rows
    for (std::size_t w = left; w < right; ++w) {
      const float* from = cells_.data() + pair_cell(w, begin, words_);
      double* to = tile.data() + (w - left);
      for (std::size_t i = 0; i < end - begin; ++i) to[i * columns] = static_cast<double>(from[i]);
    }
    return;
  }
  for (std::size_t v = begin; v < end; ++v) {
    double* to = tile.data() + (v - begin) * columns;
    for (std::size_t w = left; w < std::min(right, v); ++w)
      to[w - left] = static_cast<double>(cells_[pair_cell(w, v, words_)]);
    const std::size_t first = std::max(left, v);
    const float* from = cells_.data() + pair_cell(v, first, words_);
    for (std::size_t w = first; w < right; ++w) to[w - left] = static_cast<double>(from[w - first]);
  }
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_HPP

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A dense symmetric matrix. The cells on and above the diagonal are stored in single precision: 128 MB for 8000 words,
/// 1.8 GB for 30,000.
class pair_matrix {
 public:
  /// Precondition: cells.size() == pair_cells(words).
  pair_matrix(std::size_t words, std::vector<float> cells) : words_(words), cells_(std::move(cells)) {}

  std::size_t words() const noexcept { return words_; }
  float operator()(std::size_t v, std::size_t w) const {
    return cells_[pair_cell(std::min(v, w), std::max(v, w), words_)];
  }

  /// The product with a matrix of one row per word; the same bits for every number of threads.
  tall_matrix times(const tall_matrix& x, std::size_t threads) const {
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

 private:
  // Rows [begin, end) and columns [left, right) of the matrix, which overlap either fully or not at all.
  void fill(tall_matrix& tile, std::size_t begin, std::size_t end, std::size_t left, std::size_t right) const {
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

  std::size_t words_;
  std::vector<float> cells_;
};

}  // namespace dplda::inline v0_1::detail

#endif

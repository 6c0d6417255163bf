// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_PAIR_MATRIX_HPP

#include <dplda/inference/spectral/detail/blocked.hpp>

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
  float operator()(std::size_t v, std::size_t w) const;

  /// The product with a matrix of one row per word; the same bits for every number of threads.
  tall_matrix times(const tall_matrix& x, std::size_t threads) const;

 private:
  // Rows [begin, end) and columns [left, right) of the matrix, which overlap either fully or not at all.
  void fill(tall_matrix& tile, std::size_t begin, std::size_t end, std::size_t left, std::size_t right) const;

  std::size_t words_;
  std::vector<float> cells_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/pair_matrix.ipp>
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DETAIL_MOMENT_NOISE_HPP
#define DPLDA_PUBLISHED_DETAIL_MOMENT_NOISE_HPP

// Noise for the moments of published::decarolis_spectral.
//
// Claim: none. No sensitivity is enforced and no ledger is written, which is why that engine's guarantee is as_published.
// Test: tests/published/decarolis_spectral_test.cpp (the distribution of the noise).

#include <dplda/core/parallel.hpp>
#include <dplda/published/detail/count_noise.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Sets a square array to (E + E')/2, where the cells of E are independent and normal with standard deviation sigma.
/// This is the noise of a symmetric matrix if every cell gets noise and the two sides of the diagonal are then
/// averaged. The same bits for every number of threads. Precondition: cells.size() == size^2.
inline void fill_symmetric_noise(std::span<double> cells, std::size_t size, double sigma, const random_source& random,
                                 stream_purpose purpose, std::size_t threads) {
  parallel_for(size, 1, threads, [&](std::size_t row, std::size_t, std::size_t) {
    chacha20 bits = random.stream(purpose, row);
    const std::span<double> right = cells.subspan(row * size + row, size - row);
    count_noise law(false, sigma);
    std::copy_n(law.draw(bits, right.size()).begin(), right.size(), right.begin());
    // The mean of two cells.
    for (double& cell : right.subspan(1)) cell *= std::sqrt(0.5);
  });
  // By tiles, because one of the two sides is read or written down a column.
  constexpr std::size_t side = 64;
  parallel_for(size, side, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t left = 0; left < end; left += side) {
      for (std::size_t row = begin; row < end; ++row) {
        for (std::size_t column = left; column < std::min(left + side, row); ++column) {
          cells[row * size + column] = cells[column * size + row];
        }
      }
    }
  });
}

/// Calls add(a, b, c, value) for all a <= b <= c with the entries of Sym(E(W, W, W)), where E is words x words x words,
/// independent and normal with standard deviation sigma, Sym the average over the six orders of the indices, and W
/// any matrix with W'W = diag(1/lengths).
///
/// E(W, W, W) has covariance sigma^2 G (x) G (x) G with G = W'W: its entries are independent, with standard deviation
/// sigma/sqrt(l_a l_b l_c), whatever the number of words. Symmetrising E and whitening it commute. The six orders of
/// (a, b, c) are 6, 3 or 1 different entries, and the average is over these.
template <BitGenerator64 Generator, class Add>
void add_whitened_noise(std::span<const double> lengths, double sigma, Generator& bits, const Add& add) {
  count_noise law(false, 1);
  const std::size_t k = lengths.size();
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a; b < k; ++b) {
      const std::span<const double> values = law.draw(bits, k - b);
      for (std::size_t c = b; c < k; ++c) {
        const double orders = a == b && b == c ? 1 : a == b || b == c ? 3 : 6;
        add(a, b, c, sigma * values[c - b] / std::sqrt(orders * lengths[a] * lengths[b] * lengths[c]));
      }
    }
  }
}

}  // namespace dplda::inline v0_1::detail

#endif

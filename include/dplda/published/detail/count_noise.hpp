// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DETAIL_COUNT_NOISE_HPP
#define DPLDA_PUBLISHED_DETAIL_COUNT_NOISE_HPP

// Claim: none. No sensitivity is enforced and no ledger is written, which is why the guarantees of the engines that use it
//   are as_published.
// Test: tests/published/{sub_lda,decarolis_spectral}_test.cpp (the distribution of the noise).

#include <dplda/random/discrete.hpp>
#include <dplda/random/floored_gaussian.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Noise for published::sub_lda and published::decarolis_spectral.
///
/// The noise is Gaussian with standard deviation `scale`, or Laplace with that scale, in steps of scale / 2^32.
class count_noise {
 public:
  count_noise(bool laplace, double scale) : laplace_(laplace), step_(scale * 0x1p-32) {}

  /// `count` independent values, valid until the next call.
  template <BitGenerator64 Generator>
  std::span<const double> draw(Generator& bits, std::size_t count) {
    steps_.assign(count, 0);
    values_.resize(count);
    if (laplace_) {
      for (std::uint64_t& steps : steps_) {
        steps = static_cast<std::uint64_t>(floored_laplace(bits, std::uint64_t{1} << 32));
      }
    } else {
      add_floored_gaussian(bits, 32, std::span(steps_));
    }
    for (std::size_t i = 0; i < count; ++i) {
      values_[i] = step_ * static_cast<double>(static_cast<std::int64_t>(steps_[i]));
    }
    return values_;
  }

 private:
  bool laplace_;
  double step_;
  std::vector<std::uint64_t> steps_;
  std::vector<double> values_;
};

}  // namespace dplda::inline v0_1::detail

#endif

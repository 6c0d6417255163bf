// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_NUMBER_OF_RUNS_HPP
#define DPLDA_RANDOM_NUMBER_OF_RUNS_HPP

// Claim: if the bits are uniform and independent, the samplers of this header have exactly the stated laws.
// Preconditions: probabilities are doubles that are 0 or at least 2^-11, and so multiples of 2^-64, which `coin` decides
//   exactly.
// Argument: all decisions are comparisons of integers (random/bernoulli.hpp).
//   - Truncated negative binomial: k is geometric, (1 - c)^(k - 1) c, and is kept with the probability of the product
//     over 1 <= l < k of (l + s)/(l + 1), at most 1. So P(k) is proportional to (1 - c)^k times the product over 0 < l <
//     k, which is the stated one without its first factor s, the same for all k. For s >= 0 a factor is l/(l + 1) + s/(l
//     + 1): one of l + 1 equally likely places, and if it is the last, a coin of probability s. For s < 0 it is l/(l +
//     1) (1 - |s|/l): not the last place, and then not both the first of l places and a coin of probability |s|.
//   - Poisson of mean 1: k is drawn with probability 2^-(k + 1) and kept with probability 2^(k + 1)/(4 k!), which is 1/2
//     for k = 0, 1 for 1 and 2, and the product of 2/l over 3 <= l <= k beyond. A Poisson number of mean m is a sum of
//     such numbers, and for a mean below 1 as many of one's units as coins of that probability keep.
// Test: tests/random/number_of_runs_test.cpp

#include <dplda/random/bernoulli.hpp>

#include <cmath>
#include <cstdint>

namespace dplda::inline v0_1 {

/// k = 1, 2, ... with probability proportional to (1 - stop)^k times the product of (l + shape)/(l + 1) over 0 < l < k.
/// Throws std::invalid_argument unless 2^-11 <= stop < 1 and the shape is 0, or in (-1, 1] and at least 2^-11 in size.
template <BitGenerator64 Generator>
std::uint64_t truncated_negative_binomial(Generator& bits, double shape, double stop) {
  const char* const function = "truncated_negative_binomial";
  detail::require(stop >= 0x1p-11 && stop < 1, function, "stop", stop, "must lie in [2^-11, 1)");
  detail::require(shape == 0 || (shape > -1 && shape <= 1 && std::abs(shape) >= 0x1p-11), function, "shape", shape,
                  "must be 0, or lie in (-1, 1] and be at least 2^-11 in size");
  const coin stops(stop), size(std::abs(shape));
  const auto kept = [&](std::uint64_t l) {
    const bool last = uniform_below(bits, l + 1) == l;
    if (shape >= 0) return !last || size(bits);
    return !last && !(uniform_below(bits, l) == 0 && size(bits));
  };
  for (;;) {
    std::uint64_t k = 1;
    bool good = true;
    while (good && !stops(bits)) good = kept(k++);
    if (good) return k;
  }
}

/// k = 0, 1, ... with probability e^-mean mean^k / k!. Throws std::invalid_argument unless 2^-11 <= mean <= 2^20.
template <BitGenerator64 Generator>
std::uint64_t poisson_number(Generator& bits, double mean) {
  detail::require(mean >= 0x1p-11 && mean <= 0x1p20, "poisson_number", "mean", mean, "must lie in [2^-11, 2^20]");
  const auto of_mean_one = [&] {
    for (;;) {
      std::uint64_t k = 0;
      while ((bits() & 1) != 0) ++k;
      bool good = k > 0 || (bits() & 1) != 0;
      for (std::uint64_t l = 3; good && l <= k; ++l) good = uniform_below(bits, l) < 2;
      if (good) return k;
    }
  };
  std::uint64_t total = 0;
  double left = mean;
  for (; left >= 1; left -= 1) total += of_mean_one();
  if (left == 0) return total;
  const coin keeps(left);
  for (std::uint64_t units = of_mean_one(); units > 0; --units) total += keeps(bits) ? 1 : 0;
  return total;
}

}  // namespace dplda::inline v0_1

#endif

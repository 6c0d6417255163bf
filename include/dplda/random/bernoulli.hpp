// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_BERNOULLI_HPP
#define DPLDA_RANDOM_BERNOULLI_HPP

// Claim: coin(p) is true with probability exactly floor(p 2^64) / 2^64, which never exceeds p.
//   bernoulli_exp(bits, flip) is true with probability exactly exp(-P(flip())).
// Preconditions: uniform independent bits; calls of `flip` are independent (it may draw from the same generator).
// Argument: coin: p 2^64 is p with another exponent, so nothing is rounded before floor, and a uniform word is below
//   the threshold t in t of 2^64 cases. bernoulli_exp (Canonne, Kamath, Steinke 2020, Algorithm 1, after von Neumann):
//   with p = P(flip()), round k succeeds with probability p / k, so k rounds succeed with probability p^k / k!. The
//   number of rounds that succeed before one fails is even with probability sum over k of (-p)^k / k! = exp(-p).
// Test: tests/random/bernoulli_test.cpp.

#include <dplda/core/errors.hpp>
#include <dplda/random/uniform.hpp>

#include <cstdint>

namespace dplda::inline v0_1 {

/// A decision that is true with a given probability, rounded down to a multiple of 2^-64: sampling with it never
/// exceeds the rate that the accountant assumes.
class coin {
 public:
  /// Throws std::invalid_argument unless 0 <= probability <= 1.
  explicit coin(double probability) : always_(probability == 1) {
    detail::require(probability >= 0 && probability <= 1, "coin", "probability", probability, "must lie in [0, 1]");
    if (!always_) threshold_ = static_cast<std::uint64_t>(probability * 0x1p64);
  }

  /// The decision for a uniform word.
  bool operator()(std::uint64_t word) const { return always_ || word < threshold_; }

  template <BitGenerator64 Generator>
  bool operator()(Generator& bits) const {
    return (*this)(std::uint64_t{bits()});
  }

 private:
  std::uint64_t threshold_ = 0;
  bool always_;
};

/// True with probability exp(-p), where p is the probability that `flip()` is true.
template <BitGenerator64 Generator, class Flip>
bool bernoulli_exp(Generator& bits, Flip&& flip) {
  std::uint64_t round = 1;
  while (flip() && uniform_below(bits, round) == 0) ++round;
  return round % 2 == 1;
}

}  // namespace dplda::inline v0_1

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_DISCRETE_HPP
#define DPLDA_RANDOM_DISCRETE_HPP

// Claim: if the bits are uniform and independent, the samplers of this header have exactly the stated distributions:
//   floored_laplace modulo 2^64, the discrete ones except for values beyond 2^63, which wrap and have a probability
//   below e^-127 per draw.
// Preconditions: scales are integers in [1, 2^56].
// Argument: all decisions are comparisons of integers (random/bernoulli.hpp).
//   - geometric: x = u + t v with u uniform below t, kept with probability exp(-u / t), and v the number of successes
//     of probability exp(-1) before a failure: P(x) is proportional to exp(-u / t) exp(-v) = exp(-x / t).
//   - floored Laplace: t |L| is exponential with mean t for a standard Laplace L, and its floor geometric with ratio
//     exp(-1 / t); a negative value x has floor(-x) = -floor(x) - 1, all bits flipped. As v + floor(t L) =
//     floor(v + t L) for an integer v, it inherits every analysis of the continuous Laplace mechanism.
//   - discrete Laplace (Canonne, Kamath, Steinke 2020): a geometric value with a random sign; one of the two zeros is
//     rejected and drawn again.
//   - discrete Gaussian (same): a discrete Laplace y of scale s is kept with probability exp(-(|y| - s)^2 / (2 s^2)),
//     which times exp(-|y| / s) is proportional to exp(-y^2 / (2 s^2)). With ||y| - s| = i s + r, r < s, that is
//     exp(-1/2)^(i^2) * exp(-r / s)^i * exp(-(r / s)^2 / 2). Each factor is the exponential of a product of coins.
//   A value beyond 2^63 needs v >= 2^63 / 2^56 - 1 = 127.
// Test: tests/random/discrete_test.cpp, benchmarks/micro/exact_noise.cpp.

#include <dplda/random/bernoulli.hpp>

#include <cstdint>

namespace dplda::inline v0_1 {

/// The largest scale of the discrete samplers.
inline constexpr std::uint64_t discrete_max_scale = std::uint64_t{1} << 56;

namespace detail {

inline void require_scale(const char* function, std::uint64_t scale) {
  require(scale >= 1 && scale <= discrete_max_scale, function, "scale", scale, "must lie in [1, 2^56]");
}

/// x = 0, 1, ... with probability proportional to exp(-x / t).
template <BitGenerator64 Generator>
std::uint64_t geometric(Generator& bits, std::uint64_t t) {
  std::uint64_t u;
  do u = uniform_below(bits, t);
  while (!bernoulli_exp(bits, [&] { return uniform_below(bits, t) < u; }));
  std::uint64_t v = 0;
  while (bernoulli_exp(bits, [] { return true; })) ++v;
  return u + t * v;
}

}  // namespace detail

/// floor(scale * L) for a standard Laplace L, density exp(-|x|) / 2.
/// Throws std::invalid_argument unless 1 <= scale <= 2^56.
template <BitGenerator64 Generator>
std::int64_t floored_laplace(Generator& bits, std::uint64_t scale) {
  detail::require_scale("floored_laplace", scale);
  const std::uint64_t sign = bits() & 1;
  return static_cast<std::int64_t>(detail::geometric(bits, scale) ^ (0 - sign));
}

/// An integer x with probability proportional to exp(-|x| / scale).
/// Throws std::invalid_argument unless 1 <= scale <= 2^56.
template <BitGenerator64 Generator>
std::int64_t discrete_laplace(Generator& bits, std::uint64_t scale) {
  detail::require_scale("discrete_laplace", scale);
  for (;;) {
    const bool negative = (bits() & 1) != 0;
    const std::uint64_t size = detail::geometric(bits, scale);
    if (negative && size == 0) continue;
    return static_cast<std::int64_t>(negative ? 0 - size : size);
  }
}

/// An integer x with probability proportional to exp(-x^2 / (2 sigma^2)).
/// Throws std::invalid_argument unless 1 <= sigma <= 2^56.
template <BitGenerator64 Generator>
std::int64_t discrete_gaussian(Generator& bits, std::uint64_t sigma) {
  detail::require_scale("discrete_gaussian", sigma);
  const auto half = [&] { return (bits() & 1) != 0; };
  for (;;) {
    const std::int64_t y = discrete_laplace(bits, sigma);
    const std::uint64_t size = y < 0 ? 0 - static_cast<std::uint64_t>(y) : static_cast<std::uint64_t>(y);
    const std::uint64_t distance = size > sigma ? size - sigma : sigma - size;
    const std::uint64_t i = distance / sigma, r = distance % sigma;
    const auto part = [&] { return uniform_below(bits, sigma) < r; };
    bool kept = bernoulli_exp(bits, [&] { return half() && part() && part(); });
    for (std::uint64_t n = 0; kept && n < i; ++n) kept = bernoulli_exp(bits, part);
    for (std::uint64_t n = 0; kept && n < i * i; ++n) kept = bernoulli_exp(bits, half);
    if (kept) return y;
  }
}

}  // namespace dplda::inline v0_1

#endif

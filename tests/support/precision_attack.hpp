// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_PRECISION_ATTACK_HPP
#define DPLDA_TESTS_SUPPORT_PRECISION_ATTACK_HPP

// The precision attack (Mironov 2012) on noisy releases of v = 0 and v = 1, for tests and the benchmark.
//
// If a double is v plus a double of noise, its grid and its rounding depend on v. The attack looks only at the traces
// of rounding, and in particular not at the size of the release:
//   - is the release a multiple of 2^-53? With v = 1 it always is, since 1 + noise has no finer digits; with v = 0
//     noise below 1/2 shows finer ones;
//   - is it, or the release less 1, sigma times a double? Multiplication by sigma skips doubles and hits others twice;
//   - what is the lowest byte, of the double's mantissa or of the integer that is released?
// These answers form 2048 classes. Half of the draws teach the attack which classes indicate v = 1, the other half
// measure its advantage P(guess 1 | v = 1) - P(guess 1 | v = 0). No attack on an ideal Gaussian release has more than
// 2 Phi(1 / (2 sigma)) - 1, and an attack that does not see its size has no advantage. In addition, a chi-square test
// checks whether the lowest byte has the same distribution for both values.

#include <dplda/mechanisms/accumulator.hpp>

#include "statistics.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
#include <vector>

namespace dplda_tests {

struct released_number {
  double value;
  std::uint8_t lowest_byte;
};

/// The common implementation: v + sigma * std::normal_distribution, in doubles.
class naive_release {
 public:
  naive_release(double sigma, std::uint64_t seed) : sigma_(sigma), bits_(seed) {}
  released_number operator()(int v) {
    const double noise = sigma_ * normal_(bits_), value = v + noise;
    return {value, static_cast<std::uint8_t>(std::bit_cast<std::uint64_t>(value))};
  }
  /// The distance of the two values as it is released.
  double step() const { return 1; }

 private:
  double sigma_;
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
};

/// What the library releases: v in each of many cells of an accumulator whose noise is sigma.
class exact_release {
 public:
  exact_release(double sigma, std::uint64_t seed)
      : random_(dplda::seeded_random(seed)),
        sums_({.rows = 1,
               .row_size = cells,
               .clip = 2 * norm,
               .noise_multiplier = sigma / (2 * norm),
               .max_units = 1,
               .scale_bits = 32}),
        unit_(sums_.plan().unit_size()),
        seen_unit_(sigma * 0x1p-32) {}

  released_number operator()(int v) {
    std::vector<double>& left = left_[v];
    if (left.empty()) {
      const std::uint32_t row = 0;
      const std::vector<double> values(cells, v);
      sums_.add(std::span(&row, 1), std::span<const double>(values));
      dplda::ledger spent;
      left = sums_.publish(random_, spent);
    }
    // The attacker knows the unit, and so the integer that was released. In units of sigma / 2^32 it is a double whose
    // last digits do not reveal its size.
    const std::int64_t integer = std::llround(left.back() / unit_);
    left.pop_back();
    return {static_cast<double>(integer) * seen_unit_, static_cast<std::uint8_t>(integer)};
  }
  double step() const { return std::trunc(1 / unit_) * seen_unit_; }

 private:
  static constexpr std::size_t cells = 1 << 14;
  static constexpr double norm = 1 << 7;  // of as many ones
  dplda::random_source random_;
  dplda::accumulator sums_;
  double unit_, seen_unit_;
  std::vector<double> left_[2];
};

/// Whether y is the rounded product of sigma and a double.
inline bool is_multiple(double y, double sigma) {
  const double n = y / sigma;
  return n * sigma == y || std::nextafter(n, HUGE_VAL) * sigma == y || std::nextafter(n, -HUGE_VAL) * sigma == y;
}

struct attack_outcome {
  double advantage, standard_error;
  double lowest_byte_p;  ///< p-value of "the lowest byte has the same distribution for both values"
};

/// The advantage of the best attack on an ideal release.
inline double ideal_advantage(double sigma) { return std::erf(1 / (2 * sigma) / std::numbers::sqrt2); }

/// Attacks `draws` releases of each of the two values.
template <class Release>
attack_outcome precision_attack(Release make, double sigma, std::uint64_t draws) {
  std::vector<std::array<std::array<std::uint64_t, 2>, 2>> seen(8 * 256);  // class, value, half
  std::array<std::vector<std::uint64_t>, 2> bytes{std::vector<std::uint64_t>(256), std::vector<std::uint64_t>(256)};
  for (std::uint64_t i = 0; i < draws; ++i) {
    for (const int v : {0, 1}) {
      const released_number r = make(v);
      const double fine = r.value * 0x1p53;
      const bool on_grid = fine == std::floor(fine);
      const unsigned answers = (on_grid ? 1u : 0) | (is_multiple(r.value, sigma) ? 2u : 0) |
                               (is_multiple(r.value - make.step(), sigma) ? 4u : 0);
      const auto value = static_cast<std::size_t>(v);
      ++seen[256 * answers + r.lowest_byte][value][i % 2];
      ++bytes[value][r.lowest_byte];
    }
  }
  std::array<double, 2> guessed_one{}, total{};
  for (const auto& [zero, one] : seen) {
    for (std::size_t v = 0; v < 2; ++v) {
      const auto measured = static_cast<double>(v == 0 ? zero[1] : one[1]);
      total[v] += measured;
      if (one[0] > zero[0]) guessed_one[v] += measured;
    }
  }
  const double p0 = guessed_one[0] / total[0], p1 = guessed_one[1] / total[1];
  return {p1 - p0, std::sqrt(p0 * (1 - p0) / total[0] + p1 * (1 - p1) / total[1]),
          chi_square_two_samples(bytes[0], bytes[1])};
}

}  // namespace dplda_tests

#endif
